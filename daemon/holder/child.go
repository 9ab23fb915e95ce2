package holder

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/process"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// guest is one daemon's visit at a child.
type guest struct {
	out *outbox
	// client says who it is, for people.
	client string
}

// debt is a request of a guest's that the child has not answered.
type debt struct {
	guest  *guest // nil when it has gone
	id     json.RawMessage
	token  json.RawMessage
	method string
	// uri is that of a subscription.
	uri string
	at  time.Time
}

// silence is for how long a child has to be silent after a request that its guest
// gave up before it counts as hung.
const silence = 5 * time.Second

// child is a process with its guests.
type child struct {
	id    uint64
	key   string
	spec  Spec
	since time.Time
	idle  time.Duration
	p     *process.Process
	out   *outbox

	// mu guards what follows.
	mu     sync.Mutex
	guests []*guest
	// debts are by the ids that the child knows.
	debts  map[string]*debt
	nextID int64
	// hello is the child's answer to the first initialize, hellos are who waits
	// for it; greeted: it was told that this is over.
	hello   json.RawMessage
	hellos  []debt
	greeted bool
	// ready: it has begun, by a handshake or, where it knows none, by an answer.
	ready bool
	// asked is who answers the child's own requests; asks: it has made some.
	asked map[string]*guest
	asks  bool
	// queue are calls that wait for those of another guest.
	queue []queued
	// subscribed are the guests that have subscribed, by resource.
	subscribed map[string][]*guest
	// heard is when the child last said something; hung: a guest has given up a
	// request of later.
	heard    time.Time
	hung     bool
	expiry   *time.Timer
	stopping bool
	ending   sync.Once
	// removed is closed when the holder has forgotten the child.
	removed chan struct{}
}

type queued struct {
	guest *guest
	m     message
	line  []byte
}

const (
	methodInitialize = "initialize"
	methodCall       = "tools/call"
	methodSubscribe  = "resources/subscribe"
	methodListen     = "subscriptions/listen"
)

// Write implements io.Writer for what the process prints on stderr.
func (c *child) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	line := notice(methodStderr, map[string]string{"data": string(b)})
	for _, g := range c.guests {
		g.out.send(line)
	}
	return len(b), nil
}

// read takes what the process says, until it is gone.
func (c *child) read() {
	in := bufio.NewReader(c.p.Stdout)
	for {
		line, err := readLine(in)
		if len(line) > 0 {
			each(line, c.fromChild)
		}
		if err != nil {
			break
		}
	}
	c.stop(process.PromptGrace())
}

// readLine reads a line without its end. One that no guest could be sent is the
// end of the stream.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxWaiting:
			return nil, io.ErrShortBuffer
		case err == nil:
			return line[:len(line)-1], nil
		case err != bufio.ErrBufferFull: //nolint:errorlint // bufio returns it as it is
			return line, err
		}
	}
}

// fromGuest takes a line of a guest's.
func (c *child) fromGuest(g *guest, line []byte) {
	m, ok := parse(line)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !ok:
		c.out.send(line)
	case m.Method == "":
		if c.asked[string(m.ID)] == g {
			delete(c.asked, string(m.ID))
			c.out.send(line)
		}
	case m.ID != nil:
		c.request(g, m, line)
	default:
		c.notified(g, m, line)
	}
}

// request passes on a request, or answers what another guest has had answered.
func (c *child) request(g *guest, m message, line []byte) {
	switch m.Method {
	case methodInitialize:
		if c.hello != nil {
			g.out.send(with(c.hello, m.ID, "id"))
			return
		}
		if c.hellos = append(c.hellos, debt{guest: g, id: m.ID}); len(c.hellos) > 1 {
			return
		}
	case methodCall:
		if c.asks && c.busyFor(g) {
			c.queue = append(c.queue, queued{g, m, line})
			return
		}
	case methodSubscribe:
		// The child is asked for each guest: it may refuse the first, and not the
		// next one.
		if uri := m.read().URI; !slices.Contains(c.subscribed[uri], g) {
			c.subscribed[uri] = append(c.subscribed[uri], g)
		}
	case "resources/unsubscribe":
		if c.unsubscribe(g, m.read().URI); len(c.subscribed[m.read().URI]) > 0 {
			g.out.send(result(m.ID, struct{}{}))
			return
		}
	}
	c.pass(g, m, line)
}

// unsubscribe forgets that a guest has subscribed.
func (c *child) unsubscribe(g *guest, uri string) {
	c.subscribed[uri] = slices.DeleteFunc(c.subscribed[uri], func(o *guest) bool { return o == g })
	if len(c.subscribed[uri]) == 0 {
		delete(c.subscribed, uri)
	}
}

// busyFor reports whether a call of another guest's is under way.
func (c *child) busyFor(g *guest) bool {
	for _, d := range c.debts {
		if d.method == methodCall && d.guest != g {
			return true
		}
	}
	return false
}

// pass sends a request under an id of the child's own.
func (c *child) pass(g *guest, m message, line []byte) {
	c.nextID++
	id := strconv.FormatInt(c.nextID, 10)
	d := &debt{guest: g, id: m.ID, method: m.Method, token: m.read().Meta.ProgressToken, uri: m.read().URI, at: time.Now()}
	c.debts[id] = d
	line = with(line, c.nextID, "id")
	if d.token != nil {
		line = with(line, c.nextID, "params", "_meta", "progressToken")
	}
	c.out.send(line)
}

// notified passes on a notification of a guest's.
func (c *child) notified(g *guest, m message, line []byte) {
	switch m.Method {
	case "notifications/initialized":
		if c.greeted {
			return
		}
		c.greeted = true
	case "notifications/cancelled":
		id := string(m.read().RequestID)
		c.queue = slices.DeleteFunc(c.queue, func(q queued) bool { return q.guest == g && string(q.m.ID) == id })
		for theirs, d := range c.debts {
			if d.guest == g && string(d.id) == id {
				c.out.send(with(line, json.RawMessage(theirs), "params", "requestId"))
			}
		}
		return
	}
	c.out.send(line)
}

// fromChild takes a line of the process's.
func (c *child) fromChild(line []byte) {
	m, ok := parse(line)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard, c.hung = time.Now(), false
	switch {
	case !ok:
		c.broken(line)
	case m.Method == "":
		c.answered(m, line)
	case m.ID != nil:
		c.question(m, line)
	default:
		c.announced(m, line)
	}
}

func (c *child) toAll(guests []*guest, line []byte) {
	for _, g := range guests {
		g.out.send(line)
	}
}

// answered gives an answer to whom it is for.
func (c *child) answered(m message, line []byte) {
	d := c.debts[string(m.ID)]
	if d == nil {
		return
	}
	delete(c.debts, string(m.ID))
	if d.method == methodInitialize {
		var answer struct {
			Result json.RawMessage `json:"result"`
		}
		if json.Unmarshal(line, &answer) == nil && answer.Result != nil {
			c.hello, c.ready = line, true
		}
		for _, waits := range c.hellos {
			waits.guest.out.send(with(line, waits.id, "id"))
		}
		c.hellos = nil
		return
	}
	c.ready = c.ready || c.spec.Modern && len(ijson.Member(line, "result")) > 0
	if d.guest != nil {
		if d.method == methodSubscribe && len(ijson.Member(line, "error")) > 0 {
			c.unsubscribe(d.guest, d.uri)
		}
		d.guest.out.send(with(line, d.id, "id"))
	}
	c.next()
}

// broken takes a line that is no message. Its guests do not see it as one: an id
// in it is not theirs. Where it begins an answer, that one ends.
func (c *child) broken(line []byte) {
	if id := ijson.Member(line, "id"); c.debts[string(id)] != nil && len(ijson.Member(line, "method")) == 0 {
		c.answered(message{ID: id}, refusal(id, "its answer is not JSON"))
	}
	c.toAll(c.guests, notice(methodStderr, map[string]string{"data": "[stdout] " + string(line) + "\n"}))
}

// next lets calls go that have waited for another guest's.
func (c *child) next() {
	for len(c.queue) > 0 && !c.busyFor(c.queue[0].guest) {
		q := c.queue[0]
		c.queue = c.queue[1:]
		c.pass(q.guest, q.m, q.line)
	}
}

// question passes on what the child asks.
func (c *child) question(m message, line []byte) {
	if m.Method == "ping" {
		c.out.send(result(m.ID, struct{}{}))
		return
	}
	var who *guest
	for _, d := range c.debts {
		if d.method != methodCall || d.guest == nil {
			continue
		}
		if who != nil && who != d.guest {
			c.asks = true
			c.out.send(refusal(m.ID, "several clients are calling this server at once, and the request does not tell which of them it is for; their calls come one after another from now on"))
			return
		}
		who = d.guest
	}
	switch {
	case who != nil:
		c.asks = true
	case len(c.guests) > 0:
		who = c.guests[0]
	default:
		c.out.send(refusal(m.ID, "no client is there"))
		return
	}
	c.asked[string(m.ID)] = who
	who.out.send(line)
}

// announced passes on what the child says unasked.
func (c *child) announced(m message, line []byte) {
	p := m.read()
	// It names the request that listens by the id that the child knows, some as a
	// string.
	if d := c.debts[strings.Trim(string(p.Meta.Subscription), `"`)]; d != nil && d.method == methodListen {
		if d.guest != nil {
			d.guest.out.send(with(line, d.id, "params", "_meta", "io.modelcontextprotocol/subscriptionId"))
		}
		return
	}
	switch m.Method {
	case "notifications/progress":
		if d := c.debts[string(p.ProgressToken)]; d != nil && d.guest != nil && d.token != nil {
			d.guest.out.send(with(line, d.token, "params", "progressToken"))
		}
	case "notifications/cancelled":
		if g := c.asked[string(p.RequestID)]; g != nil {
			delete(c.asked, string(p.RequestID))
			g.out.send(line)
		}
	case "notifications/resources/updated":
		c.toAll(c.told(p.URI), line)
	default:
		c.toAll(c.guests, line)
	}
}

// told are the guests that hear of an update: those that have subscribed to the
// resource, or to one of which it is a part. Where the child is asked by requests
// that listen, and names none, each guest has to know.
func (c *child) told(uri string) []*guest {
	if c.spec.Modern {
		return c.guests
	}
	return slices.DeleteFunc(slices.Clone(c.guests), func(g *guest) bool {
		for subscribed, who := range c.subscribed {
			if strings.HasPrefix(uri, subscribed) && slices.Contains(who, g) {
				return false
			}
		}
		return true
	})
}

// enter takes a guest in, and calls left when all that it is sent is written; false
// when the child is on its way out. The first line that it is sent is the welcome.
func (c *child) enter(g *guest, conn io.WriteCloser, left func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping {
		return false
	}
	g.out = newOutbox(conn, left)
	if c.expiry != nil {
		c.expiry.Stop()
		c.expiry = nil
	}
	c.guests = append(c.guests, g)
	g.out.send(encode(welcome{Child: c.id, PID: c.p.PID()}))
	return true
}

// leave lets a guest go, with what it has under way. Without guests the child
// ends: at once where it is to, or was never ready, else when it has been idle.
func (c *child) leave(g *guest, end bool) {
	c.mu.Lock()
	is := func(o *guest) bool { return o == g }
	c.guests = slices.DeleteFunc(c.guests, is)
	c.queue = slices.DeleteFunc(c.queue, func(q queued) bool { return q.guest == g })
	c.hellos = slices.DeleteFunc(c.hellos, func(d debt) bool { return d.guest == g })
	for id, d := range c.debts {
		if d.guest != g {
			continue
		}
		if d.guest = nil; d.method == methodInitialize {
			continue // for the next visitor
		}
		delete(c.debts, id)
		c.hung = c.hung || d.method != methodListen && d.at.After(c.heard) && time.Since(d.at) > silence
		c.out.send(notice("notifications/cancelled", map[string]any{"requestId": json.RawMessage(id), "reason": "the client has gone"}))
	}
	for id, who := range c.asked {
		if who == g {
			delete(c.asked, id)
			c.out.send(refusal(json.RawMessage(id), "the client has gone"))
		}
	}
	for uri, who := range c.subscribed {
		if !slices.Contains(who, g) {
			continue
		}
		if c.unsubscribe(g, uri); len(c.subscribed[uri]) == 0 {
			c.pass(nil, message{}, notice("resources/unsubscribe", map[string]string{"uri": uri}))
		}
	}
	c.next()
	empty := len(c.guests) == 0
	stays := c.ready && !end && c.idle > 0
	if empty && stays && !c.stopping {
		c.expiry = time.AfterFunc(c.idle, c.expire)
	}
	c.mu.Unlock()
	if empty && !stays {
		c.expire()
	}
}

// expire ends a child that has no guests.
func (c *child) expire() {
	c.mu.Lock()
	empty := len(c.guests) == 0
	c.stopping = c.stopping || empty
	c.mu.Unlock()
	if empty {
		c.stop(process.GentleGrace())
	}
}

// stop ends the process, and returns when it is gone.
func (c *child) stop(grace process.Grace) {
	c.mu.Lock()
	c.stopping = true
	c.mu.Unlock()
	c.ending.Do(func() { c.p.Stop(grace, nil) })
}
