package holder

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/socket"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
)

// emptyTime is how long a holder without guests and children stays.
const emptyTime = 10 * time.Second

// Holder runs the children of one user.
type Holder struct {
	log *slog.Logger
	key []byte
	end context.CancelFunc

	// mu guards the fields below. It is held while a child is started.
	mu       sync.Mutex
	children map[string]*child
	started  uint64
	guests   int
	// leaving: a newer holder was requested, and this one admits no more guests.
	leaving bool
	// over: the holder and its children end. Guests find another holder.
	over    bool
	empty   *time.Timer
	running sync.WaitGroup
}

// Run runs a holder until it has been empty for emptyTime, ctx ends, or it is stopped.
// ready is called once guests can connect. If another holder runs, the error is
// [socket.ErrInUse].
func Run(ctx context.Context, place socket.Place, log *slog.Logger, ready func()) error {
	listener, err := socket.Listen(place, "")
	if err != nil {
		return err
	}
	process.SweepOrphans()
	ctx, end := context.WithCancel(ctx)
	defer end()
	h := &Holder{log: log, key: make([]byte, sha256.Size), end: end, children: map[string]*child{}}
	h.started = uint64(time.Now().UnixNano()) // differs from the numbers of earlier holders
	_, _ = rand.Read(h.key)                   // it never fails
	h.empty = time.AfterFunc(emptyTime, end)
	served := make(chan struct{})
	go func() {
		defer close(served)
		listener.Serve(log, func(c net.Conn) { h.serve(listener, c) })
	}()
	ready()
	<-ctx.Done()
	h.mu.Lock()
	h.leaving, h.over = true, true
	h.empty.Stop()
	for _, c := range h.children {
		go c.stop(process.PromptGrace())
	}
	h.mu.Unlock()
	h.running.Wait()
	err = listener.Close()
	<-served
	if errors.Is(err, net.ErrClosed) {
		return nil // it had left the socket
	}
	return err
}

// serve serves one connection.
func (h *Holder) serve(listener *socket.Listener, conn net.Conn) {
	h.count(1)
	defer h.count(-1)
	in := bufio.NewReader(conn)
	line, err := readLine(in)
	var asked hello
	if err != nil || json.Unmarshal(line, &asked) != nil {
		return
	}
	answer, said := welcome{}, true
	switch {
	case asked.Do == doStop:
		h.end()
		_, _ = readLine(in) // wait until everything has ended
		return
	case asked.Do == doList:
		answer.Processes = h.list()
	case asked.Revision > revision:
		answer.Leaving = true
		h.retire(listener)
	case asked.Revision < revision:
		answer.Older = true
	default:
		answer, said = h.visit(conn, in, asked)
	}
	if said {
		_, _ = conn.Write(append(encode(answer), '\n'))
	}
}

// count counts connections. Without any, and without children, the holder ends after
// emptyTime, or at once if it is leaving.
func (h *Holder) count(more int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.guests += more
	h.empty.Stop()
	if h.guests == 0 && len(h.children) == 0 {
		wait := emptyTime
		if h.leaving {
			wait = 0
		}
		h.empty.Reset(wait)
	}
}

// retire frees the socket for a newer holder. Children keep serving their guests.
func (h *Holder) retire(listener *socket.Listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leaving {
		return
	}
	h.leaving = true
	if err := listener.Leave(); err != nil {
		h.log.Warn("the holder's place is not free", "error", err)
	}
	for _, c := range h.children {
		c.mu.Lock()
		c.idle = 0
		c.mu.Unlock()
		go func() {
			c.mu.Lock()
			empty := len(c.guests) == 0
			c.mu.Unlock()
			if empty {
				c.expire()
			}
		}()
	}
}

// visit passes lines between a guest and its child until one of them is gone. said is
// true if there was no child; then answer is the response.
func (h *Holder) visit(conn net.Conn, in *bufio.Reader, asked hello) (answer welcome, said bool) {
	closed := make(chan struct{})
	g := &guest{client: asked.Client}
	var c *child
	for {
		var err error
		if c, err = h.child(asked); err != nil {
			return welcome{Error: err.Error()}, true
		}
		if c == nil {
			return welcome{Leaving: true}, true
		}
		if c.enter(g, conn, func() { close(closed) }) {
			break
		}
		<-c.removed // it is ending; the next child may need its resources
	}
	end := false
	for {
		line, err := readLine(in)
		if err != nil {
			break
		}
		if m, _ := parse(line); m.Method == methodEnd {
			end = true
			break
		}
		each(line, func(line []byte) { c.fromGuest(g, line) })
	}
	c.leave(g, end)
	g.out.close()
	<-closed
	return welcome{}, false
}

// list returns all children, the oldest first.
func (h *Holder) list() []Process {
	h.mu.Lock()
	defer h.mu.Unlock()
	list, pids := []Process{}, []int{}
	for _, c := range h.children {
		c.mu.Lock()
		p := Process{Server: c.spec.Name, PID: c.p.PID(), Since: c.since, Folders: c.spec.Scope, Clients: []string{}}
		for _, g := range c.guests {
			p.Clients = append(p.Clients, g.client)
		}
		c.mu.Unlock()
		list, pids = append(list, p), append(pids, p.PID)
	}
	held := process.Memory(pids)
	for i := range list {
		list[i].Memory = held[list[i].PID]
	}
	slices.SortFunc(list, func(a, b Process) int { return a.Since.Compare(b.Since) })
	return list
}

// child returns the child for a hello, and starts it if it does not run. It returns nil
// if the holder is leaving.
func (h *Holder) child(asked hello) (*child, error) {
	mac := hmac.New(sha256.New, h.key)
	_, _ = mac.Write(asked.Spec.same()) // a hash never fails
	key := string(mac.Sum(nil))
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leaving {
		return nil, nil
	}
	if c := h.children[key]; c != nil {
		c.mu.Lock()
		ends := c.id == asked.Not && (asked.Fresh || c.hung)
		c.stopping = c.stopping || ends
		c.mu.Unlock()
		if ends {
			go c.stop(process.PromptGrace())
		}
		return c, nil
	}
	h.started++
	c := &child{
		id: h.started, key: key, spec: asked.Spec, since: time.Now(), heard: time.Now(), idle: time.Duration(asked.IdleMs) * time.Millisecond,
		debts: map[string]*debt{}, asked: map[string]*guest{}, subscribed: map[string][]*guest{},
		removed: make(chan struct{}),
	}
	spec := asked.Spec
	cmd := &exec.Cmd{Path: spec.Path, Args: spec.Args, Env: slices.Concat(spec.Env, spec.Ambient), Dir: spec.Dir}
	process.SetCommandLine(cmd, spec.CommandLine)
	p, err := process.Start(cmd, c)
	if err != nil {
		return nil, err
	}
	c.p, c.out = p, newOutbox(input{p}, func() {})
	h.children[key] = c
	h.running.Go(func() { h.run(c) })
	return c, nil
}

// run reads the output of a child until its exit, and notifies its guests.
func (h *Holder) run(c *child) {
	go func() {
		<-c.p.Gone
		// A grandchild outside the group may keep the pipe open for ever.
		time.AfterFunc(process.DrainTime, func() { _ = c.p.Stdout.Close() })
	}()
	c.read()
	<-c.p.Gone
	h.mu.Lock()
	over := h.over
	h.mu.Unlock()
	c.mu.Lock()
	c.stopping = true
	line := notice(methodExited, map[string]string{"data": c.p.ExitCause().Error()})
	for _, g := range c.guests {
		if !over { // otherwise the holder has ended it: see ErrEnded
			g.out.send(line)
		}
		g.out.close()
	}
	c.out.close()
	c.mu.Unlock()
	h.mu.Lock()
	delete(h.children, c.key)
	h.mu.Unlock()
	close(c.removed)
	h.count(0)
}

// input is a process's stdin. Closing it twice is safe.
type input struct{ p *process.Process }

func (i input) Write(b []byte) (int, error) { return i.p.Stdin.Write(b) }

func (i input) Close() error {
	i.p.CloseStdin()
	return nil
}
