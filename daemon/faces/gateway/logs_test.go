package gateway_test

import (
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// setLevel asks for the servers' logs.
func setLevel(t testing.TB, p *gatewaytest.Person, level mcp.LoggingLevel) {
	t.Helper()
	var r mcp.SetLevelRequest
	r.Params.Level = level
	//lint:ignore SA1019 the revisions that have sessions have it
	if err := p.SetLevel(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

// Servers that log are asked for the level that says most of those that clients
// want, once; one that comes later is asked too.
func TestLogs_level(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		logs, down := serverOf("logs", "a"), serverOf("down", "b")
		logs.Can, down.Can, down.Down = []string{"logging"}, []string{"logging"}, true
		f := newEngine(t, logs, serverOf("silent", "c"), down)
		face := faceOf(t, f)
		p, other := join(t, face, "test", true), join(t, face, "other", true)
		setLevel(t, p, mcp.LoggingLevelWarning)
		setLevel(t, other, mcp.LoggingLevelError) // says less
		setLevel(t, other, mcp.LoggingLevelDebug)
		f.change(func(s *state) { s.servers[2].Down = false })
		synctest.Wait()
		want := []string{`logs {"level":"warning"}`, `logs {"level":"debug"}`, `down {"level":"debug"}`}
		if got := f.asked("logging/setLevel"); !slices.Equal(got, want) {
			t.Errorf("the servers were asked %q, want %q", got, want)
		}
	})
}

// What a server logs is told to those who have called it, or whose call is under
// way, from the level on that they want, with the server's name.
func TestLogs_messages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newEngine(t, serverOf("logs", "echo"), serverOf("out", "count"))
		f.settings.Gateway.Mode = protocol.GatewayAll
		face := faceOf(t, f)
		caller, idle := join(t, face, "caller", true), join(t, face, "idle", true)
		callClient(t, caller.Client, "echo", nil)
		logs := func(server, level string, sessions ...any) {
			f.announce(upstream.Announcement{
				Server: server, Method: "notifications/message", Params: json.RawMessage(`{"level":"` + level + `","logger":"own","data":"x"}`), Sessions: sessions,
			})
		}
		logs("logs", "error")
		if got := notified(caller); len(got) > 0 {
			t.Errorf("a client that wants no logs: told %q", got)
		}
		setLevel(t, caller, mcp.LoggingLevelWarning)
		setLevel(t, idle, mcp.LoggingLevelWarning)
		logs("logs", "info")
		if got := notified(caller); len(got) > 0 {
			t.Errorf("below the level: told %q", got)
		}
		logs("logs", "error")
		synctest.Wait()
		if n := <-caller.Told; n.Method != "notifications/message" || n.Params.AdditionalFields["logger"] != "logs/own" {
			t.Errorf("told %+v, want the message with its server", n)
		}
		if got := notified(idle); len(got) > 0 {
			t.Errorf("a client that has called nothing: told %q", got)
		}
		// While calls are under way it is for those who make them.
		callClient(t, idle.Client, "echo", nil)
		logs("logs", "error", f.calls[len(f.calls)-1].Caller.Session)
		if got := notified(idle); len(got) != 1 {
			t.Errorf("a client whose call is under way: told %q, want the message", got)
		}
		if got := notified(caller); len(got) > 0 {
			t.Errorf("a client whose call is not: told %q", got)
		}
		f.change(func(s *state) { s.mode = router.Mode{Slug: "narrow", Blocked: []string{"logs"}} })
		logs("logs", "error")
		if got := notified(caller); len(got) > 0 {
			t.Errorf("a server out of scope: told %q", got)
		}
	})
}

// Who has called a server is told that a user has done what its page was for.
func TestLogs_elicitationDone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newEngine(t, serverOf("s", "echo"))
		f.settings.Gateway.Mode = protocol.GatewayAll
		face := faceOf(t, f)
		caller, idle := join(t, face, "caller", true), join(t, face, "idle", true)
		callClient(t, caller.Client, "echo", nil)
		const done = "notifications/elicitation/complete"
		f.announce(upstream.Announcement{Server: "s", Method: done, Params: json.RawMessage(`{"elicitationId":"e"}`)})
		synctest.Wait()
		if n := <-caller.Told; n.Method != done || n.Params.AdditionalFields["elicitationId"] != "e" {
			t.Errorf("told %+v, want that it is done", n)
		}
		if got := notified(idle); len(got) > 0 {
			t.Errorf("a client that has called nothing: told %q", got)
		}
	})
}
