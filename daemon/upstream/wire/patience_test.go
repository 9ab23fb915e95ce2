package wire

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
)

// pipeListener is a network in memory.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l pipeListener) Close() error { return nil }

func (l pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

func (l pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// overPipes runs a test on a connection to the asking server, in a bubble.
func overPipes(t *testing.T, test func(t *testing.T, c *mcpConn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		server := &http.Server{Handler: askingHandler(), ReadHeaderTimeout: time.Minute}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = server.Serve(l)
		}()
		d := &Dialer{Log: slog.New(slog.DiscardHandler)}
		a := Attempt{Config: Config{Name: "asking", Transport: HTTP, URL: "http://asking.invalid/mcp"}.WithDefaults(), Log: &clean.Ring{}, Redact: &clean.Redactor{}}
		c, err := d.openHTTP(a, EraLegacy, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.link.base.DialContext = l.dial
		if _, err := d.begin(t.Context(), a, c); err != nil {
			t.Fatal(err)
		}
		test(t, c)
		c.Close(process.PromptGrace(), nil)
		close(l.closed)
		_ = server.Close()
		<-ended
	})
}

// TestPatience: a person may take longer to answer than mcp-go waits.
func TestPatience(t *testing.T) {
	t.Parallel()
	overPipes(t, func(t *testing.T, c *mcpConn) {
		who := &Caller{Session: "s", Ask: func(ctx context.Context, _, _ string, _ json.RawMessage) (json.RawMessage, error) {
			select {
			case <-time.After(10 * time.Minute):
				return json.RawMessage(`{"action":"accept","content":{"name":"ada"}}`), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}
		r, err := c.Call(t.Context(), ToolCall{Tool: "greet", Caller: who, Timeout: time.Minute})
		if err != nil || r.IsError || !strings.Contains(string(r.Raw), "ada") {
			t.Errorf("a late answer came to %+v, %v", r, err)
		}
	})
}

// TestPatience_ends: with the call ends the question, however late.
func TestPatience_ends(t *testing.T) {
	t.Parallel()
	overPipes(t, func(t *testing.T, c *mcpConn) {
		ctx, cancel := context.WithCancel(t.Context())
		asked := make(chan error, 1)
		who := &Caller{Session: "s", Ask: func(ctx context.Context, _, _ string, _ json.RawMessage) (json.RawMessage, error) {
			time.AfterFunc(5*time.Minute, cancel)
			<-ctx.Done()
			asked <- ctx.Err()
			return nil, ctx.Err()
		}}
		if r, err := c.Call(ctx, ToolCall{Tool: "greet", Caller: who, Timeout: time.Minute}); err == nil {
			t.Errorf("a cancelled call is answered %s", r.Raw)
		}
		if err := <-asked; err == nil {
			t.Error("the question goes on without its call")
		}
	})
}

func TestIsAnswer(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                    true,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`:             true,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"r":[]}}`: false,
		`{"jsonrpc":"2.0","method":"x"}`:                          false,
		`[]`:                                                      false, ``: false, `{"id":`: false, `{}`: false,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://x/", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if got := isAnswer(r); got != want {
			t.Errorf("%q: %t", body, got)
		}
	}
}
