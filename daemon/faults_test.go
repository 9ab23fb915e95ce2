package daemon_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// TestFaults_stopNoOther: servers that misbehave in every way that they can
// stand beside one that does not, which works all the time.
func TestFaults_stopNoOther(t *testing.T) {
	t.Parallel()
	all := servers{
		"good":    scripted(t, upstreamtest.Script{}),
		"dead":    scripted(t, upstreamtest.Script{ExitOn: "initialize", LastWords: "Error: API_KEY is not set"}),
		"mute":    scripted(t, upstreamtest.Script{Ignore: []string{"initialize", "server/discover"}}),
		"absent":  {Command: "/no/such/program"},
		"old":     scripted(t, upstreamtest.Script{Version: "2024-11-05"}),
		"chatty":  scripted(t, upstreamtest.Script{Before: []string{"Listening…", `{"stray":true}`}, Between: []string{"debug", `{"level":"info"}`}}),
		"flood":   scripted(t, upstreamtest.Script{FloodStderr: 1 << 20}),
		"twice":   scripted(t, upstreamtest.Script{Tools: []string{tool("same", "First."), tool("same", "Second.")}}),
		"endless": scripted(t, upstreamtest.Script{EndlessPages: true}),
		"restive": scripted(t, upstreamtest.Script{ChangeEvery: 10 * time.Millisecond}),
	}
	h := daemontest.Start(t, winnowd(t), daemontest.Options{Workspace: workspaceWith(t, all, nil)})
	h.Initialize(map[string]any{"searchTurns": 0})
	for _, name := range []string{"good", "old", "chatty", "flood", "twice", "restive"} {
		h.UntilState(name, protocol.ServerReady)
	}
	for name, cause := range map[string]string{"dead": "API_KEY is not set", "absent": "/no/such/program"} {
		if s := h.UntilState(name, protocol.ServerFailed); !strings.Contains(s.Error, cause) {
			t.Errorf("%s failed with %q, want %q", name, s.Error, cause)
		}
	}
	if s, _ := h.Server("twice"); s.Tools != 1 || len(s.Warnings) == 0 {
		t.Errorf("a name listed twice: %+v", s)
	}
	h.Until("the cap on endless pages", func() bool {
		s, _ := h.Server("endless")
		return s.Tools > 0 && len(s.Warnings) > 0 || s.State == protocol.ServerFailed && s.Error != ""
	})
	if s, _ := h.Server("old"); s.ProtocolVersion != "2024-11-05" {
		t.Errorf("the old server speaks %q", s.ProtocolVersion)
	}
	a := open(h, "echo")
	for _, name := range []string{"good", "old", "chatty", "flood", "restive"} {
		want := fmt.Sprintf(`{"text":%q}`, name)
		if got := call(h, a.Task, "mcp__"+name+"__echo", want); got != want {
			t.Errorf("%s answered %q", name, got)
		}
	}
	log := daemontest.Call[protocol.ServerLogResult](h, protocol.MethodServerLog, protocol.ServerParams{Name: "chatty"})
	if !strings.Contains(log.Text, "Listening…") {
		t.Errorf("the log of chatty is %q", log.Text)
	}
}

// TestFaults_oddNames: names that collide, that are too long and that no
// provider takes are all presented legally, uniquely and the other way round.
func TestFaults_oddNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a_very_long_name_", 18)[:300]
	all := servers{
		"one":   scripted(t, upstreamtest.Script{Tools: []string{tool("search", "Searches."), tool(long, "Long."), tool("with space/slash", "Odd.")}}),
		"two":   scripted(t, upstreamtest.Script{Tools: []string{tool("search", "Searches too."), tool(long+"_", "Longer.")}}),
		"mcp":   scripted(t, upstreamtest.Script{Tools: []string{tool(router.LoadName, "Not Winnow's."), tool("Search", "Other case.")}}),
		"наука": scripted(t, upstreamtest.Script{Tools: []string{tool("поиск", "Ищет.")}}),
	}
	h := begin(t, map[string]any{"searchTurns": 0}, all, nil)
	a := open(h, "search")
	if len(a.Tools) != 8 {
		t.Fatalf("attached %v", names(a))
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
		r := daemontest.Call[protocol.TaskCallResult](h, protocol.MethodTaskCall,
			protocol.TaskCallParams{Task: a.Task, Name: tool.Name, Arguments: json.RawMessage(`{"id":"x"}`)})
		if r.Server != tool.Server || r.Tool != tool.Tool || text(r) != `{"id":"x"}` {
			t.Errorf("a call of %s ran %s/%s: %s", tool.Name, r.Server, r.Tool, text(r))
		}
	}
}

// TestFaults_tombstones: what was attached stays within the turn as it was when
// its server dies, is stopped or leaves the file; a call answers with the
// cause. With so few tools nothing is chosen, and with the next message those of
// a server that is stopped or gone leave; one that died may come back.
func TestFaults_tombstones(t *testing.T) {
	t.Parallel()
	all := servers{
		"dies":  scripted(t, upstreamtest.Script{Tools: []string{tool("exit", "Exits.")}, ExitOn: "never", LastWords: "out of cheese"}),
		"stops": scripted(t, upstreamtest.Script{Tools: []string{tool("stopped_tool", "Stays.")}}),
		"goes":  scripted(t, upstreamtest.Script{Tools: []string{tool("gone_tool", "Goes.")}}),
	}
	h := begin(t, nil, all, nil)
	a := open(h, "anything")
	checkNames := func(when string, a protocol.Attachment, want string) {
		t.Helper()
		if got := strings.Join(names(a), " "); got != want {
			t.Errorf("%s the task has %q, want %q", when, got, want)
		}
	}
	checkNames("at first", a, "exit gone_tool stopped_tool")

	refused := func(name string) *daemontest.Error {
		return h.Refused(protocol.MethodTaskCall, protocol.TaskCallParams{Task: a.Task, Name: name})
	}
	if e := refused("exit"); e.Code != protocol.CodeUnavailable || !strings.Contains(e.Message, "out of cheese") || e.Data.Server != "dies" {
		t.Errorf("a call in which the server died: %v", e)
	}
	daemontest.Call[protocol.Empty](h, protocol.MethodServerStop, protocol.ServerParams{Name: "stops"})
	h.UntilState("stops", protocol.ServerStopped)
	if e := refused("stopped_tool"); e.Code != protocol.CodeUnavailable || !strings.Contains(e.Message, "stopped") || e.Data.Next == "" {
		t.Errorf("a call of a stopped server: %v", e)
	}
	delete(all, "goes")
	save(t, h.Options.Workspace, all, nil)
	h.Until("the server to go", func() bool { _, ok := h.Server("goes"); return !ok })
	if e := refused("gone_tool"); e.Code != protocol.CodeUnavailable || !strings.Contains(e.Message, "gone") || e.Data.Next == "" {
		t.Errorf("a call of a server that left: %v", e)
	}
	checkNames("then", turn(h, a.Task, "go on"), "exit")
	checkNames("a new one", open(h, "anything"), "exit")

	daemontest.Call[protocol.Empty](h, protocol.MethodServerRestart, protocol.ServerParams{Name: "stops"})
	h.UntilState("stops", protocol.ServerReady)
	if got := call(h, a.Task, "stopped_tool", `{"id":"1"}`); got != `{"id":"1"}` {
		t.Errorf("after a restart it answered %q", got)
	}
	if e := h.Refused(protocol.MethodServerStop, protocol.ServerParams{Name: "none"}); e.Code != protocol.CodeUnknownServer {
		t.Errorf("an unknown server: %v", e)
	}
}

// TestFaults_listChanged: tools that a server adds later are in the catalogue,
// and in a task from its next turn on.
func TestFaults_listChanged(t *testing.T) {
	t.Parallel()
	all := servers{"restive": scripted(t, upstreamtest.Script{Tools: []string{tool("first", "First.")}, ChangeEvery: 30 * time.Millisecond})}
	h := begin(t, nil, all, nil)
	a := open(h, "anything")
	before := h.Catalog() // it may hold a later tool already
	version := before.Version
	known := func(i protocol.ToolInfo) bool {
		return slices.ContainsFunc(before.Tools, func(b protocol.ToolInfo) bool { return b.Tool == i.Tool })
	}
	h.Until("another tool", func() bool {
		now := h.Catalog()
		added := slices.ContainsFunc(now.Tools, func(i protocol.ToolInfo) bool { return !known(i) })
		if added && now.Version <= version {
			t.Error("the catalogue changed and its version did not")
		}
		return added
	})
	if !slices.ContainsFunc(told[protocol.CatalogDidChangeParams](h, protocol.MethodCatalogDidChange),
		func(p protocol.CatalogDidChangeParams) bool {
			return p.Version > version && slices.Contains(p.Servers, "restive")
		}) {
		t.Error("the host was not told")
	}
	next := turn(h, a.Task, "go on")
	if len(next.Tools) <= len(a.Tools) || next.Tools[0].Name != a.Tools[0].Name {
		t.Errorf("the next turn attaches %v after %v", names(next), names(a))
	}
}

// TestFaults_cancelReachesTheServer: $/cancelRequest arrives as MCP's own
// notification, for the request that was cancelled and no other.
func TestFaults_cancelReachesTheServer(t *testing.T) {
	t.Parallel()
	received := filepath.Join(t.TempDir(), "received")
	all := servers{"s": scripted(t, upstreamtest.Script{ReceivedFile: received})}
	h := begin(t, nil, all, nil)
	a := open(h, "sleep")
	begin := func(ms int) *daemontest.Pending {
		return h.Begin(protocol.MethodTaskCall, protocol.TaskCallParams{
			Task: a.Task, Name: "sleep", Arguments: fmt.Appendf(nil, `{"ms":%d}`, ms),
		})
	}
	cancelled, other := begin(3_600_000), begin(1500)
	h.Until("both calls to arrive", func() bool { return strings.Count(readFile(t, received), `"tools/call"`) == 2 })
	cancelled.Cancel()
	if _, err := cancelled.Await(); codeOf(err) != protocol.CodeRequestCancelled {
		t.Errorf("the cancelled call answered %v", err)
	}
	h.Until("the notification", func() bool { return strings.Contains(readFile(t, received), `"notifications/cancelled"`) })
	if _, err := other.Await(); err != nil {
		t.Errorf("the other call answered %v", err)
	}
	if n := strings.Count(readFile(t, received), `"notifications/cancelled"`); n != 1 {
		t.Errorf("%d calls were cancelled", n)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

// TestFaults_noResult: an answer that is no result is the server's fault, not
// the daemon's; one whose content is odd is read as text.
func TestFaults_noResult(t *testing.T) {
	t.Parallel()
	h := begin(t, nil, servers{"s": scripted(t, upstreamtest.Script{Tools: []string{tool("wrong", "Wrong.")}})}, nil)
	a := open(h, "wrong")
	for _, result := range []string{`[]`, `"text"`, `{"content":"text"}`, `{"content":{}}`} {
		e := h.Refused(protocol.MethodTaskCall, protocol.TaskCallParams{Task: a.Task, Name: "wrong", Arguments: json.RawMessage(`{"result":` + result + `}`)})
		if e.Code != protocol.CodeCallFailed || e.Data.Server != "s" || !strings.Contains(e.Data.Next, "server's log") || !strings.Contains(e.Message, "its answer is not ") {
			t.Errorf("%s: %v", result, e)
		}
	}
	r := daemontest.Call[protocol.TaskCallResult](h, protocol.MethodTaskCall, protocol.TaskCallParams{
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
	slow := scripted(t, upstreamtest.Script{})
	seconds := 1.0
	slow.Timeout = &seconds
	h := begin(t, nil, servers{"slow": slow}, nil)
	a := open(h, "sleep")
	e := h.Refused(protocol.MethodTaskCall, protocol.TaskCallParams{Task: a.Task, Name: "sleep", Arguments: json.RawMessage(`{"ms":3600000}`)})
	if e.Code != protocol.CodeTimeout || e.Data.Server != "slow" || !strings.Contains(e.Data.Next, "timeout") {
		t.Errorf("it answered %v", e)
	}
	refused := h.Refused(protocol.MethodTaskCall, protocol.TaskCallParams{Task: a.Task, Name: "refuse"})
	if refused.Code != protocol.CodeCallFailed || !strings.Contains(refused.Message, "bad arguments") {
		t.Errorf("a JSON-RPC error of the server: %v", refused)
	}
	notObject := h.Refused(protocol.MethodTaskCall, protocol.TaskCallParams{Task: a.Task, Name: "echo", Arguments: json.RawMessage(`[1]`)})
	if notObject.Code != protocol.CodeInvalidArgument {
		t.Errorf("arguments that are no object: %v", notObject)
	}
}
