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

// emptyTime is how long a holder stays that runs nothing.
const emptyTime = 10 * time.Second

// Holder runs the children of one user.
type Holder struct {
	log *slog.Logger
	key []byte
	end context.CancelFunc

	// mu guards what follows. It is held while a child is started.
	mu       sync.Mutex
	children map[string]*child
	started  uint64
	guests   int
	// leaving: a newer holder has been asked for, and this one takes nobody in.
	leaving bool
	// over: it ends, and its children with it. Guests find another holder.
	over    bool
	empty   *time.Timer
	running sync.WaitGroup
}

// Run holds children until it has been empty for a while, ctx ends, or somebody
// asks for its end. ready is called when guests can come. The error is
// [socket.ErrInUse] when another holder runs.
func Run(ctx context.Context, place socket.Place, log *slog.Logger, ready func()) error {
	listener, err := socket.Listen(place, "")
	if err != nil {
		return err
	}
	process.SweepOrphans()
	ctx, end := context.WithCancel(ctx)
	defer end()
	h := &Holder{log: log, key: make([]byte, sha256.Size), end: end, children: map[string]*child{}}
	h.started = uint64(time.Now().UnixNano()) // no number is that of an earlier holder's child
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
		return nil // it had left
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
		_, _ = readLine(in) // until this side is closed, when all is over
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

// count notes connections: without any, and without children, the holder ends
// after a while.
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

// retire makes room for a newer holder. What runs goes on for its guests.
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

// visit passes lines between a guest and the child that it wants, until one of
// them is gone. It returns what to say where there was none.
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
		<-c.removed // it is on its way out, and the next one may need what it holds
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

// child returns the child that a guest wants, started if it does not run; nil
// when the holder takes nobody in any more.
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

// run reads what a child says until it is gone, and tells its guests.
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
		if !over { // else it has not ended by itself: see ErrEnded
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

// input is a process's stdin, which is closed once.
type input struct{ p *process.Process }

func (i input) Write(b []byte) (int, error) { return i.p.Stdin.Write(b) }

func (i input) Close() error {
	i.p.CloseStdin()
	return nil
}
