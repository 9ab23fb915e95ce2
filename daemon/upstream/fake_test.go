package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/process"
	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// fakeConn is a connection under a test's control, for tests of a server's
// life in fake time.
type fakeConn struct {
	generation uint64
	hasPing    bool
	pingErr    func() error
	tools      func() (wire.Listing, error)
	// closing is how long close takes.
	closing time.Duration

	change chan struct{}
	gone   chan struct{}
	once   sync.Once
	err    error
	closed chan struct{}

	// asked, which may be nil, is called before a subscription begins or ends.
	asked func(method, uri string)

	// mu guards uris, what is subscribed to.
	mu   sync.Mutex
	uris []string
}

func newFakeConn(generation uint64) *fakeConn {
	return &fakeConn{
		generation: generation,
		change:     make(chan struct{}, 1), gone: make(chan struct{}), closed: make(chan struct{}),
		tools: func() (wire.Listing, error) { return fakeListing("a", "b"), nil },
	}
}

func fakeListing(names ...string) wire.Listing {
	var l wire.Listing
	for _, name := range names {
		l.Tools = append(l.Tools, Tool{Name: name, Raw: json.RawMessage(`{"name":"` + name + `"}`)})
	}
	return l
}

func (c *fakeConn) Call(ctx context.Context, t wire.ToolCall) (*Result, error) {
	if t.Tool == "hang" {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-c.gone:
			return nil, c.err
		}
	}
	if over(c.gone) {
		return nil, c.err
	}
	if t.Tool == "forget" && c.generation == 1 {
		c.Fail(wire.ErrSessionEnded)
		return nil, wire.ErrSessionEnded
	}
	return &Result{Raw: json.RawMessage(`{}`)}, nil
}

func (c *fakeConn) Request(context.Context, time.Duration, Request) (json.RawMessage, error) {
	return json.RawMessage(`{}`), nil
}

func (c *fakeConn) Subscribe(_ context.Context, _ time.Duration, uri string) error {
	c.hold("subscribe", uri)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uris = append(c.uris, uri)
	return nil
}

func (c *fakeConn) Unsubscribe(_ context.Context, _ time.Duration, uri string) error {
	c.hold("unsubscribe", uri)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uris = slices.DeleteFunc(c.uris, func(one string) bool { return one == uri })
	return nil
}

func (c *fakeConn) hold(method, uri string) {
	if c.asked != nil {
		c.asked(method, uri)
	}
}

func (c *fakeConn) subscribed() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.uris)
}

func (c *fakeConn) ListTools(context.Context) (wire.Listing, error) { return c.tools() }

func (c *fakeConn) Ping(context.Context) error {
	if c.pingErr == nil {
		return nil
	}
	return c.pingErr()
}

func (c *fakeConn) NeedsPing() bool { return c.hasPing }

func (c *fakeConn) Changed() <-chan struct{} { return c.change }

func (c *fakeConn) Lost() <-chan struct{} { return c.gone }

func (c *fakeConn) Cause() error { <-c.gone; return c.err }

func (c *fakeConn) Fail(err error) {
	c.once.Do(func() {
		c.err = err
		close(c.gone)
	})
}

func (c *fakeConn) Close(process.Grace, <-chan struct{}) {
	c.Fail(wire.ErrClosing)
	time.Sleep(c.closing)
	close(c.closed)
}

// fakeDialer hands out connections and keeps a record of the attempts.
type fakeDialer struct {
	// mu guards attempts and conns.
	mu       sync.Mutex
	attempts []wire.Attempt
	conns    []*fakeConn
	// answer decides the result of an attempt; nil connects.
	answer func(ctx context.Context, a wire.Attempt) error
	// tune changes a connection before it is handed out.
	tune func(*fakeConn)
}

var errRefused = errors.New("connection refused")

func (d *fakeDialer) dial(ctx context.Context, a wire.Attempt) (*wire.Handshake, error) {
	d.mu.Lock()
	d.attempts = append(d.attempts, a)
	d.mu.Unlock()
	if d.answer != nil {
		if err := d.answer(ctx, a); err != nil {
			return nil, err
		}
	}
	c := newFakeConn(a.Generation)
	if d.tune != nil {
		d.tune(c)
	}
	l, err := c.tools()
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.conns = append(d.conns, c)
	d.mu.Unlock()
	return &wire.Handshake{Conn: c, Era: wire.EraLegacy, Listing: l, Version: "2025-11-25"}, nil
}

// count returns the number of attempts so far, last the newest connection.
func (d *fakeDialer) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.attempts)
}

func (d *fakeDialer) last() *fakeConn {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.conns) == 0 {
		return nil
	}
	return d.conns[len(d.conns)-1]
}

// inBubble runs a test in fake time with a manager whose connections are fake.
func inBubble(t *testing.T, d *fakeDialer, opts Options, test func(t *testing.T, m *Manager)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		opts.dial = d.dial
		m := NewManager(opts)
		defer func() {
			if err := m.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		test(t, m)
	})
}

// status returns the status of the server "s" once everything has settled.
func status(t *testing.T, m *Manager) Status {
	t.Helper()
	synctest.Wait()
	s, ok := m.Snapshot().Server("s")
	if !ok {
		t.Fatal("the server is not in the snapshot")
	}
	return s.Status
}

func expectState(t *testing.T, m *Manager, want State) Status {
	t.Helper()
	got := status(t, m)
	if got.State != want {
		t.Fatalf("state %q, want %q (%s)", got.State, want, got.Error)
	}
	return got
}

// fakeServer is the configuration of the server "s".
func fakeServer() Config { return Config{Name: "s", Command: "fake"} }
