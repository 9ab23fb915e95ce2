package relay

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// conn is one end of a connection in memory, which knows a half close.
type conn struct {
	net.Conn
	closeWrite func() error
}

func (c conn) CloseWrite() error { return c.closeWrite() }

// gateway is the far end of a connection, where the test stands.
type gateway struct {
	t *testing.T
	net.Conn
	lines *bufio.Scanner
	// silentClient is closed when the client says no more.
	silentClient chan struct{}
}

func connect(t *testing.T) (Gateway, *gateway) {
	near, far := net.Pipe()
	g := &gateway{t: t, Conn: far, lines: bufio.NewScanner(far), silentClient: make(chan struct{})}
	t.Cleanup(func() { _ = far.Close() })
	return Gateway{Conn: conn{near, func() error { close(g.silentClient); return nil }}, Watched: true}, g
}

// next returns the next line that a gateway gets.
func (g *gateway) next() string {
	g.t.Helper()
	if !g.lines.Scan() {
		g.t.Fatalf("the gateway gets nothing more: %v", g.lines.Err())
	}
	return g.lines.Text()
}

func (g *gateway) say(lines ...string) {
	g.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(g.Conn, line+"\n"); err != nil {
			g.t.Fatal(err)
		}
	}
}

// reply answers the next line with an empty result, under its own id.
func (g *gateway) reply(method string) {
	g.t.Helper()
	line := g.next()
	m, kind := parse([]byte(line))
	if kind != request || m.Method != method {
		g.t.Fatalf("the gateway gets %s, want a request %s", line, method)
	}
	g.say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{}}`)
}

// rig is a relay between a client, where the test stands, and gateways.
type rig struct {
	t        *testing.T
	in       *io.PipeWriter
	out      *bufio.Scanner
	gateways chan Gateway
	reasons  chan error
	ended    chan error
}

func start(t *testing.T) *rig {
	inReader, in := io.Pipe()
	outReader, out := io.Pipe()
	r := &rig{t: t, in: in, out: bufio.NewScanner(outReader), gateways: make(chan Gateway, 4), reasons: make(chan error, 4), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); _ = in.Close(); _ = outReader.Close() })
	relay := Relay{Join: func(_ context.Context, why error) (Gateway, error) {
		r.reasons <- why
		select {
		case g := <-r.gateways:
			return g, nil
		case <-ctx.Done():
			return Gateway{}, ctx.Err()
		}
	}}
	go func() { r.ended <- relay.Run(ctx, inReader, out); _ = out.Close() }()
	return r
}

func (r *rig) say(lines ...string) {
	r.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(r.in, line+"\n"); err != nil {
			r.t.Fatal(err)
		}
	}
}

// want fails unless the next line that the client gets has these parts.
func (r *rig) want(parts ...string) {
	r.t.Helper()
	if !r.out.Scan() {
		r.t.Fatalf("the client gets nothing more, want %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(r.out.Text(), part) {
			r.t.Errorf("the client gets %s, want %s in it", r.out.Text(), part)
		}
	}
}

const (
	hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"test"},"x":12345678901234567890}}`
	ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	call  = `{"jsonrpc":"2.0","id":"c1","method":"tools/call","params":{"name":"write"}}`
	list  = `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`
)

// shake brings a client and a first gateway to where they talk.
func shake(r *rig) *gateway {
	r.t.Helper()
	near, g := connect(r.t)
	r.gateways <- near
	g.reply("ping")
	r.say(hello)
	g.reply("initialize")
	r.want(`"id":0`)
	r.say(ready)
	if got := g.next(); got != ready {
		r.t.Fatalf("the gateway gets %s", got)
	}
	return g
}

func TestRelay_endsWithItsClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		g := shake(r)
		r.say(list)
		if got := g.next(); got != list {
			t.Errorf("the gateway gets %s", got)
		}
		_ = r.in.Close()
		<-g.silentClient
		g.say(`{"jsonrpc":"2.0","id":7,"result":{"tools":[]}}`)
		r.want(`"tools":[]`)
		_ = g.Close()
		if err := <-r.ended; err != nil {
			t.Errorf("got %v", err)
		}
	})
}

// A gateway ends: what only reads is asked again of the next one, after the
// client's handshake; a call is not, and its client hears that it may have run.
func TestRelay_goesOnWithTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		g := shake(r)
		level := `{"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"info"}}`
		r.say(level)
		g.reply("logging/setLevel")
		r.want(`"id":3`)
		r.say(call, list)
		g.next()
		g.next()
		g.say(`{"jsonrpc":"2.0","id":"winnow-1","method":"elicitation/create","params":{"message":"sure?"}}`)
		r.want(`"winnow-q1"`, "sure?")
		_ = g.Close()
		r.want(`"id":"c1"`, `"isError":true`, "may have run")
		r.want("notifications/cancelled", `"winnow-q1"`)

		near, next := connect(t)
		r.gateways <- near
		next.reply("ping")
		if got := next.next(); !strings.Contains(got, `"x":12345678901234567890`) || !strings.Contains(got, ownPrefix) {
			t.Fatalf("the next gateway is greeted by %s", got)
		} else {
			m, _ := parse([]byte(got))
			next.say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{}}`)
		}
		for _, want := range []string{ready, `"level":"info"`, list} {
			if got := next.next(); !strings.Contains(got, want) {
				t.Errorf("the next gateway gets %s, want %s", got, want)
			}
		}
		for range 3 {
			r.want("list_changed")
		}
		// The question of the gateway that is gone is answered too late; the
		// new one's has the same id and is another.
		next.say(`{"jsonrpc":"2.0","id":"winnow-1","method":"elicitation/create","params":{"message":"other?"}}`)
		r.want(`"winnow-q2"`, "other?")
		r.say(`{"jsonrpc":"2.0","id":"winnow-q1","result":{"action":"accept"}}`, `{"jsonrpc":"2.0","id":"winnow-q2","result":{"action":"decline"}}`)
		if got := next.next(); !strings.Contains(got, `"winnow-1"`) || !strings.Contains(got, "decline") {
			t.Errorf("the next gateway is answered %s", got)
		}
		next.say(`{"jsonrpc":"2.0","id":7,"result":{"tools":[]}}`)
		r.want(`"id":7`)
		if first, second := <-r.reasons, <-r.reasons; first != nil || !errors.Is(second, ErrLost) {
			t.Errorf("joined because of %v, then of %v", first, second)
		}
	})
}

// A gateway that never answers is left before the client has said anything to
// it.
func TestRelay_leavesOneThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		r := start(t)
		if why := <-r.reasons; why != nil {
			t.Errorf("the first gateway is asked for because of %v, want no reason", why)
		}
		near, hanging := connect(t)
		r.gateways <- near
		hanging.next()
		if why := <-r.reasons; !errors.Is(why, ErrSilent) || time.Since(begun) != DefaultPatience {
			t.Errorf("left after %s because of %v", time.Since(begun), why)
		}
		shake(r)
	})
}

// A call may take as long as it likes while its gateway shows that it lives.
func TestRelay_tellsALongCallFromAHang(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		if why := <-r.reasons; why != nil {
			t.Errorf("the first gateway is asked for because of %v, want no reason", why)
		}
		g := shake(r)
		r.say(call)
		g.next()
		begun := time.Now()
		for time.Since(begun) < 10*time.Minute {
			g.reply("ping")
		}
		silent := time.Now()
		g.next() // a ping that stays without an answer
		r.want("may have run")
		if why := <-r.reasons; !errors.Is(why, ErrSilent) || time.Since(silent) != DefaultPatience {
			t.Errorf("left after %s because of %v", time.Since(silent), why)
		}
	})
}

// A client that reads slowly is not taken for a gateway that hangs.
func TestRelay_aSlowClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		if why := <-r.reasons; why != nil {
			t.Errorf("the first gateway is asked for because of %v, want no reason", why)
		}
		g := shake(r)
		r.say(call, list)
		g.next()
		g.next()
		g.say(`{"jsonrpc":"2.0","id":7,"result":{"tools":[]}}`)
		go func() { _, _ = io.WriteString(g.Conn, `{"jsonrpc":"2.0","id":"c1","result":{"content":[]}}`+"\n") }()
		time.Sleep(time.Hour) // of the test's own clock
		r.want(`"id":7`)
		r.want(`"id":"c1"`, `"content":[]`)
		select {
		case why := <-r.reasons:
			t.Errorf("the gateway is left because of %v", why)
		default:
		}
	})
}

// What the relay does not know passes byte for byte.
func TestRelay_passesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		near, g := connect(t)
		r.gateways <- near
		g.reply("ping")
		for _, line := range []string{"not json", `[]`, `{"jsonrpc":"2.0","method":"x","params":[1]}`, `{ "id" : null }`, `{"id":1,"method":"y","params":[1e400]}`} {
			r.say(line)
			if got := g.next(); got != line {
				t.Errorf("%s arrives as %s", line, got)
			}
			g.say(line + " ")
			if !r.out.Scan() {
				t.Fatal("the client gets nothing more")
			}
			if got := r.out.Text(); got != line+" " && !strings.Contains(line, `"y"`) {
				t.Errorf("%s comes back as %s", line, got)
			}
		}
	})
}

// A client of the revisions without a handshake goes on too: its subscription is
// made again. While it waits for nothing else, nobody is asked for a sign of life.
func TestRelay_withoutAHandshake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		near, first := connect(t)
		r.gateways <- near
		first.reply("ping")
		const listen = `{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`
		r.say(listen)
		if got := first.next(); got != listen {
			t.Errorf("the gateway gets %s, want %s", got, listen)
		}
		pinged := make(chan string, 1)
		go func() {
			if first.lines.Scan() {
				pinged <- first.lines.Text()
			}
		}()
		time.Sleep(time.Hour) // of synctest's clock
		synctest.Wait()
		select {
		case line := <-pinged:
			t.Errorf("the gateway gets %s, want nothing", line)
		default:
		}
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		near, second := connect(t)
		r.gateways <- near
		second.reply("ping")
		if got := second.next(); got != listen {
			t.Errorf("the next gateway gets %s, want %s", got, listen)
		}
		second.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		r.want("list_changed")
	})
}
