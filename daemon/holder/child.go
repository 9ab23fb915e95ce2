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

// guest is a daemon's visit to a child.
type guest struct {
	out *outbox
	// client is the guest's name, for people.
	client string
}

// debt is an unanswered request of a guest.
type debt struct {
	guest  *guest // nil if it is gone
	id     json.RawMessage
	token  json.RawMessage
	method string
	// uri is the URI of a subscription.
	uri string
	at  time.Time
}

// silence is how long a child must be silent after a request that its guest cancelled to
// count as hung.
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

	// mu guards the fields below.
	mu     sync.Mutex
	guests []*guest
	// debts maps the child's ids to unanswered requests.
	debts  map[string]*debt
	nextID int64
	// hello is the child's response to the first initialize; hellos are the guests that
	// wait for it. greeted: the child was sent notifications/initialized.
	hello   json.RawMessage
	hellos  []debt
	greeted bool
	// ready: it has responded to initialize, or with Modern to any request.
	ready bool
	// asked maps the ids of the child's own requests to the guests that answer them.
	// asks: it has made a request during a call.
	asked map[string]*guest
	asks  bool
	// queue holds the calls that wait for those of another guest.
	queue []queued
	// subscribed maps a resource to its subscribed guests.
	subscribed map[string][]*guest
	// heard is when the child last sent something; hung: a guest has cancelled a later
	// request.
	heard    time.Time
	hung     bool
	expiry   *time.Timer
	stopping bool
	ending   sync.Once
	// removed is closed when the holder has removed the child.
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

// Write implements io.Writer for the process's stderr.
func (c *child) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	line := notice(methodStderr, map[string]string{"data": string(b)})
	for _, g := range c.guests {
		g.out.send(line)
	}
	return len(b), nil
}

// read handles the output of the process until its end.
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

// readLine reads a line without its end. A line longer than maxWaiting, which could not
// be sent to a guest, ends the stream.
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

// fromGuest handles a line of a guest.
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

// request passes on a request, or answers it with a known response.
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
		// Each guest's subscription is sent: the child may refuse the first and accept
		// the next.
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

// unsubscribe removes a guest's subscription.
func (c *child) unsubscribe(g *guest, uri string) {
	c.subscribed[uri] = slices.DeleteFunc(c.subscribed[uri], func(o *guest) bool { return o == g })
	if len(c.subscribed[uri]) == 0 {
		delete(c.subscribed, uri)
	}
}

// busyFor reports whether a call of another guest is under way.
func (c *child) busyFor(g *guest) bool {
	for _, d := range c.debts {
		if d.method == methodCall && d.guest != g {
			return true
		}
	}
	return false
}

// pass sends a request under a new id.
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

// notified passes on a notification of a guest.
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

// fromChild handles a line of the process.
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

// answered passes a response to its guest.
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

// broken handles a line that is not a message. Guests do not see it as a message, because
// its id is not theirs. If it begins as a response, that request fails.
func (c *child) broken(line []byte) {
	if id := ijson.Member(line, "id"); c.debts[string(id)] != nil && len(ijson.Member(line, "method")) == 0 {
		c.answered(message{ID: id}, refusal(id, "its answer is not JSON"))
	}
	c.toAll(c.guests, notice(methodStderr, map[string]string{"data": "[stdout] " + string(line) + "\n"}))
}

// next sends queued calls that no longer have to wait.
func (c *child) next() {
	for len(c.queue) > 0 && !c.busyFor(c.queue[0].guest) {
		q := c.queue[0]
		c.queue = c.queue[1:]
		c.pass(q.guest, q.m, q.line)
	}
}

// question passes on a request of the child.
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

// announced passes on a notification of the child.
func (c *child) announced(m message, line []byte) {
	p := m.read()
	// The id of the listening request is the child's; some servers send it as a string.
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

// told returns the guests to notify of an update: those subscribed to the resource or to
// one that contains it. A Modern child names no subscribers in it, so all guests are
// notified.
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

// enter adds a guest and sends it the welcome. It returns false if the child is ending.
// left is called when everything sent to the guest is written.
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

// leave removes a guest with its pending requests. Without guests the child ends: at once
// if end is set or it was never ready, otherwise when it has been idle.
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
			continue // kept for the next guest
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

// expire ends a child without guests.
func (c *child) expire() {
	c.mu.Lock()
	empty := len(c.guests) == 0
	c.stopping = c.stopping || empty
	c.mu.Unlock()
	if empty {
		c.stop(process.GentleGrace())
	}
}

// stop ends the process and waits for that.
func (c *child) stop(grace process.Grace) {
	c.mu.Lock()
	c.stopping = true
	c.mu.Unlock()
	c.ending.Do(func() { c.p.Stop(grace, nil) })
}
