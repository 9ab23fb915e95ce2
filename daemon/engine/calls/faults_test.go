package calls_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// TestFaults_oddNames: names that collide, that are too long and that no
// provider takes are all presented legally, uniquely and the other way round.
func TestFaults_oddNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a_very_long_name_", 18)[:300]
	all := configtest.Servers{
		"one":   configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("search", "Searches."), configtest.Tool(long, "Long."), configtest.Tool("with space/slash", "Odd.")}}),
		"two":   configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("search", "Searches too."), configtest.Tool(long+"_", "Longer.")}}),
		"mcp":   configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool(router.LoadName, "Not Winnow's."), configtest.Tool("Search", "Other case.")}}),
		"наука": configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("поиск", "Ищет.")}}),
	}
	h := enginetest.Begin(t, map[string]any{"searchTurns": 0}, all, nil)
	a := h.Open("search")
	if len(a.Tools) != 8 {
		t.Fatalf("attached %v", enginetest.Names(a))
	}
	seen := map[string]bool{}
	for _, tool := range a.Tools {
		legal := len(tool.Name) <= 64 && strings.IndexFunc(tool.Name, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r)
		}) < 0
		if !legal || seen[tool.Name] || tool.Name == router.LoadName {
			t.Errorf("%s/%s is presented as %q", tool.Server, tool.Tool, tool.Name)
		}
		seen[tool.Name] = true
		r := enginetest.Call(h, h.TaskCall,
			protocol.TaskCallParams{Task: a.Task, Name: tool.Name, Arguments: json.RawMessage(`{"id":"x"}`)})
		if r.Server != tool.Server || r.Tool != tool.Tool || enginetest.Text(r) != `{"id":"x"}` {
			t.Errorf("a call of %s ran %s/%s: %s", tool.Name, r.Server, r.Tool, enginetest.Text(r))
		}
	}
}

// TestFaults_cancelReachesTheServer: a caller that gives up arrives as MCP's own
// notification, for the request that was cancelled and no other.
func TestFaults_cancelReachesTheServer(t *testing.T) {
	t.Parallel()
	received := upstreamtest.Listen(t)
	all := configtest.Servers{"s": configtest.Scripted(t, upstreamtest.Script{
		Tools: []string{configtest.Tool("sleep", "Sleeps."), configtest.Tool("wake", "Wakes it.")}, ReceivedFile: received.Address(),
	})}
	h := enginetest.Begin(t, nil, all, nil)
	a := h.Open("sleep")
	begin := func(ctx context.Context) <-chan error {
		ended := make(chan error, 1)
		p := protocol.TaskCallParams{Task: a.Task, Name: "sleep", Arguments: json.RawMessage(`{"ms":3600000}`)}
		go func() {
			_, err := enginetest.TryIn(ctx, h.TaskCall, p)
			ended <- err
		}()
		return ended
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cancelled, other := begin(ctx), begin(t.Context())
	received.Until("both calls to arrive", func(text string) bool { return strings.Count(text, `"tools/call"`) == 2 })
	cancel()
	if err := <-cancelled; enginetest.KindOf(err) != protocol.KindCancelled {
		t.Errorf("the cancelled call: got %v, want %s", err, protocol.KindCancelled)
	}
	received.Until("the notification", func(text string) bool { return strings.Contains(text, `"notifications/cancelled"`) })
	enginetest.Call(h, h.TaskCall, protocol.TaskCallParams{Task: a.Task, Name: "wake"})
	if err := <-other; err != nil {
		t.Errorf("the other call: got %v, want no error", err)
	}
	if n := strings.Count(received.Text(), `"notifications/cancelled"`); n != 1 {
		t.Errorf("%d calls were cancelled, want 1", n)
	}
}

// TestFaults_noResult: an answer that is no result is the server's fault, not
// the daemon's; one whose content is odd is read as text.
func TestFaults_noResult(t *testing.T) {
	t.Parallel()
	h := enginetest.Begin(t, nil, configtest.Servers{"s": configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("wrong", "Wrong.")}})}, nil)
	a := h.Open("wrong")
	for _, result := range []string{`[]`, `"text"`, `{"content":"text"}`, `{"content":{}}`} {
		e := enginetest.Refused(h, h.TaskCall, protocol.TaskCallParams{Task: a.Task, Name: "wrong", Arguments: json.RawMessage(`{"result":` + result + `}`)})
		if e.Data.Kind != protocol.KindCallFailed || e.Data.Server != "s" || !strings.Contains(e.Data.Next, "server's log") || !strings.Contains(e.Message, "its answer is not ") {
			t.Errorf("%s: %v", result, e)
		}
	}
	r := enginetest.Call(h, h.TaskCall, protocol.TaskCallParams{
		Task: a.Task, Name: "wrong", Arguments: json.RawMessage(`{"result":{"content":[null,{"type":"text","text":"ok"}]}}`),
	})
	if len(r.Content) != 2 || string(r.Content[0]) != `{"type":"text","text":"null"}` || string(r.Content[1]) != `{"type":"text","text":"ok"}` {
		t.Errorf("odd content came as %s", r.Content)
	}
}

// TestFaults_timeout: a call ends after the time that its server's entry
// gives, and says where to change it.
func TestFaults_timeout(t *testing.T) {
	t.Parallel()
	slow := configtest.Scripted(t, upstreamtest.Script{})
	seconds := 1.0
	slow.Timeout = &seconds
	// On a busy machine another call may take longer than that.
	other := configtest.Scripted(t, upstreamtest.Script{})
	h := enginetest.Begin(t, nil, configtest.Servers{"slow": slow, "other": other}, nil)
	a := h.Open("sleep")
	e := enginetest.Refused(h, h.TaskCall, protocol.TaskCallParams{Task: a.Task, Name: "mcp__slow__sleep", Arguments: json.RawMessage(`{"ms":3600000}`)})
	if e.Data.Kind != protocol.KindTimeout || e.Data.Server != "slow" || !strings.Contains(e.Data.Next, "timeout") {
		t.Errorf("it answered %v", e)
	}
	refused := enginetest.Refused(h, h.TaskCall, protocol.TaskCallParams{Task: a.Task, Name: "mcp__other__refuse"})
	if refused.Data.Kind != protocol.KindCallFailed || !strings.Contains(refused.Message, "bad arguments") {
		t.Errorf("a JSON-RPC error of the server: %v", refused)
	}
	notObject := enginetest.Refused(h, h.TaskCall, protocol.TaskCallParams{Task: a.Task, Name: "mcp__other__echo", Arguments: json.RawMessage(`[1]`)})
	if notObject.Data.Kind != protocol.KindInvalidArgument {
		t.Errorf("arguments that are no object: %v", notObject)
	}
}
