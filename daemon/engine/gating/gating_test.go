package gating_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/protocol"
)

// tracker is a reference server: it claims /projects, /list and /new, and
// keeps its writing tools back for a message that only asks.
type tracker struct {
	// verdict, when set, stands in the place of the rules above.
	verdict func(message string) string

	mu    sync.Mutex
	asked []string
	calls []string
}

// start serves the tracker, and returns its entry.
func (k *tracker) start(t *testing.T) configtest.Entry {
	t.Helper()
	s := server.NewMCPServer("tracker", "1")
	s.AddTool(mcp.NewTool("_tool_gating", mcp.WithString("message")), k.gate)
	for _, name := range []string{"list_projects", "list_tasks", "get_task"} {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription("Reads."), mcp.WithReadOnlyHintAnnotation(true)), k.call)
	}
	for _, name := range []string{"create_task", "update_task", "delete_task", "broken_task"} {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription("Changes the tracker: "+strings.Repeat("details ", 20)),
			mcp.WithString("title"), mcp.WithReadOnlyHintAnnotation(false)), k.call)
	}
	h := httptest.NewServer(server.NewStreamableHTTPServer(s))
	t.Cleanup(h.Close)
	return configtest.Entry{Type: "streamable-http", URL: h.URL + "/mcp"}
}

func (k *tracker) gate(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	message := r.GetString("message", "")
	k.mu.Lock()
	k.asked = append(k.asked, message)
	k.mu.Unlock()
	rules := k.verdict
	if rules == nil {
		rules = trackerRules
	}
	return mcp.NewToolResultText(rules(message)), nil
}

func trackerRules(message string) string {
	title, isNew := strings.CutPrefix(message, "/new ")
	switch {
	case message == "/projects":
		return `{"verdicts":[{"tool":"list_projects","action":"claim"}]}`
	case message == "/list":
		return `{"verdicts":[{"tool":"list_tasks","action":"claim","arguments":{}}]}`
	case isNew:
		return fmt.Sprintf(`{"verdicts":[{"tool":"create_task","action":"claim","arguments":{"title":%q}}]}`, title)
	case strings.HasPrefix(message, "show"):
		return `{"verdicts":[{"tool":"create_task","action":"exclude"},{"tool":"update_task","action":"exclude"},` +
			`{"tool":"delete_task","action":"exclude"},{"tool":"broken_task","action":"exclude"}]}`
	}
	return `{"verdicts":[]}`
}

func (k *tracker) call(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.calls = append(k.calls, r.Params.Name)
	if r.Params.Name == "broken_task" {
		return mcp.NewToolResultError("it is broken"), nil
	}
	return mcp.NewToolResultText(r.Params.Name + " " + r.GetString("title", "")), nil
}

// counts returns how often the tracker was asked, and which tools ran.
func (k *tracker) counts() (asked int, calls []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.asked), slices.Clone(k.calls)
}

// tracked runs an engine on a tracker.
func tracked(t *testing.T, k *tracker, settings map[string]any, allow bool) *enginetest.Host {
	t.Helper()
	dir := configtest.WorkspaceWith(t, configtest.Servers{"tracker": k.start(t)}, nil)
	// The deadline is that of a machine that runs all tests at once.
	gating := map[string]any{"timeoutMs": 10000, "servers": []string{"tracker"}}
	for key, value := range settings {
		gating[key] = value
	}
	h := enginetest.Start(t, enginetest.Options{Workspace: dir, User: &enginetest.User{
		Can:     protocol.ClientCapabilities{ClaimConfirm: true},
		OnClaim: func(protocol.ClaimConfirmParams) bool { return allow },
	}}, map[string]any{"gating": gating})
	h.UntilState("tracker", protocol.ServerReady)
	return h
}

func TestGating_savesTokensOnATurnThatOnlyReads(t *testing.T) {
	t.Parallel()
	k := &tracker{}
	h := tracked(t, k, nil, true)
	a := h.Open("show me what is open")
	if got := enginetest.Names(a); !slices.Equal(got, []string{"get_task", "list_projects", "list_tasks"}) {
		t.Errorf("attached %q", got)
	}
	if a.Tokens.Saved < 150 || a.Claim != nil {
		t.Errorf("%+v, claim %+v", a.Tokens, a.Claim)
	}
	t.Logf("a turn that only reads: %d of %d tokens saved", a.Tokens.Saved, a.Tokens.All)
	r := enginetest.Call(h, h.TaskExplain, protocol.TaskExplainParams{Task: a.Task})
	if len(r.Gating) != 4 || r.Gating[0].Action != protocol.GatingExclude {
		t.Errorf("%+v", r.Gating)
	}
	explained := false
	for _, tool := range r.Tools {
		explained = explained || tool.Tool == "delete_task" && tool.Cause != nil && tool.Cause.Kind == protocol.CauseExcluded
	}
	if !explained {
		t.Error("nothing says why delete_task is not attached")
	}
	if b := h.Turn(a.Task, "now delete the first"); !slices.Contains(enginetest.Names(b), "delete_task") {
		t.Errorf("attached %q", enginetest.Names(b))
	}
	h.Open("show me what is open")
	if asked, _ := k.counts(); asked != 3 { // what it says of the same words may be another thing by now
		t.Errorf("asked %d times about three messages", asked)
	}
}

func TestGating_claims(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		claims, message string
		approved, allow bool
		want            string // of the claim; empty when the model answers
	}{
		"a read, allowed":             {"allow", "/list", false, false, "list_tasks "},
		"a read, approved":            {"ask", "/list", true, false, "list_tasks "},
		"a write, confirmed":          {"allow", "/new buy milk", false, true, "create_task buy milk"},
		"a write, declined":           {"allow", "/new buy milk", false, false, ""},
		"an approved write, declined": {"allow", "/new buy milk", true, false, ""},
		"a read, confirmed":           {"ask", "/projects", false, true, "list_projects "},
		"a read, declined":            {"ask", "/projects", false, false, ""},
		"never":                       {"never", "/projects", true, true, ""},
		"another message":             {"allow", "what is new", true, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &tracker{}
			h := tracked(t, k, map[string]any{"claims": tc.claims}, tc.allow)
			if tc.approved {
				h.ApproveAll("tracker")
			}
			enginetest.Call(h, h.ToolApprove, protocol.ToolApproveParams{Server: "tracker", Tool: "create_task", Approved: true})
			a := h.Open(tc.message)
			_, calls := k.counts()
			if tc.want == "" {
				if a.Claim != nil || len(calls) != 0 {
					t.Errorf("claim %+v, calls %q", a.Claim, calls)
				}
				return
			}
			if a.Claim == nil || enginetest.Text(a.Claim.Result) != tc.want || len(calls) != 1 {
				t.Fatalf("claim %+v, calls %q", a.Claim, calls)
			}
			if len(a.State.Called) != 1 || h.Turn(a.Task, "go on").Turn != 2 {
				t.Errorf("the task does not know of the call: %+v", a.State.Called)
			}
		})
	}
}

// TestGating_remembersAClaim: what has answered a message once, and only reads,
// is not asked about again, by whatever it was let run: the setting, or the user.
func TestGating_remembersAClaim(t *testing.T) {
	t.Parallel()
	for _, claims := range []string{"allow", "ask"} {
		k := &tracker{}
		h := tracked(t, k, map[string]any{"claims": claims}, claims == "ask")
		a := h.Open("/list")
		if a.Claim == nil {
			t.Fatalf("%s: no claim", claims)
		}
		h.Until("the run to be remembered", func() bool {
			a := h.Open("what can you do")
			d := enginetest.Call(h, h.TaskDescribeCall, protocol.TaskDescribeCallParams{Task: a.Task, Name: "list_tasks"})
			return !d.Confirm
		})
	}
}

// TestGating_withoutALock: where no lock tells when a server's word changes, it
// does not count.
func TestGating_withoutALock(t *testing.T) {
	t.Parallel()
	k := &tracker{}
	h := tracked(t, k, map[string]any{"claims": "allow"}, false)
	h.ChangeSettings(`{"lock":"off","gating":{"claims":"allow","servers":["tracker"],"timeoutMs":10000}}`)
	h.Until("the lock to be off", func() bool { return h.Open("/list").Claim == nil })
}

func TestGating_aFailedClaimFallsBackToTheModel(t *testing.T) {
	t.Parallel()
	k := &tracker{verdict: func(string) string { return `{"verdicts":[{"tool":"broken_task","action":"claim"}]}` }}
	h := tracked(t, k, nil, true)
	a := h.Open("x")
	if a.Claim != nil || len(a.Tools) != 7 || len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "the model answers") {
		t.Errorf("%d tools, claim %+v, warnings %q", len(a.Tools), a.Claim, a.Warnings)
	}
}

// Late, wrong or broken: everything is included, and the server rests.
func TestGating_neverHoldsUpForLong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		late    bool
		timeout int
	}{
		"late":  {true, 100},
		"wrong": {false, 10000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			released := make(chan struct{})
			k := &tracker{verdict: func(string) string {
				if tc.late {
					<-released
				}
				return "no JSON"
			}}
			h := tracked(t, k, map[string]any{"timeoutMs": tc.timeout}, true)
			t.Cleanup(func() { close(released) }) // before the tracker ends, which waits for its calls
			// It never answers in time: without a limit this would not return.
			if a := h.Open("one"); len(a.Tools) != 7 {
				t.Errorf("got %d tools, want 7", len(a.Tools))
			}
			h.Open("two")
			// On a busy machine the time may be over before the question arrives.
			if asked, _ := k.counts(); asked > 1 || asked == 0 && !tc.late {
				t.Errorf("a server that failed was asked %d times", asked)
			}
		})
	}
}

func TestGating_isNotAskedWhenRoutingIsOff(t *testing.T) {
	t.Parallel()
	k := &tracker{}
	dir := configtest.WorkspaceWith(t, configtest.Servers{"tracker": k.start(t)}, nil)
	h := enginetest.Start(t, enginetest.Options{Workspace: dir}, map[string]any{"searchTurns": 0, "gating": map[string]any{"servers": []string{"tracker"}}})
	h.UntilState("tracker", protocol.ServerReady)
	a := h.Open("show me what is open")
	raw, err := json.Marshal(a)
	if err != nil || strings.Contains(string(raw), "_tool_gating") {
		t.Errorf("%s, %v", raw, err)
	}
	if asked, _ := k.counts(); asked != 0 || len(a.Tools) != 7 {
		t.Errorf("asked %d times, %d tools", asked, len(a.Tools))
	}
}

// TestGating_needsAYes: a server that the user has not let see messages sees
// none, and the user is told once that it would like to; one that was let is
// asked about each message, also when the words are the same.
func TestGating_needsAYes(t *testing.T) {
	t.Parallel()
	k := &tracker{}
	h := tracked(t, k, map[string]any{"servers": []string{"another"}}, true)
	task := h.Open("show the tasks").Task
	h.Turn(task, "show the tasks")
	if asked, _ := k.counts(); asked != 0 {
		t.Errorf("without a yes it saw %d messages", asked)
	}
	told := slices.DeleteFunc(h.Messages(), func(p protocol.ShowMessageParams) bool {
		return p.Setting != "winnow.gating.servers"
	})
	if len(told) != 1 || told[0].Server != "tracker" || told[0].Next == "" {
		t.Errorf("the user was told %+v, want one word about tracker", told)
	}
	h.ChangeSettings(`{"gating":{"servers":["tracker"],"timeoutMs":10000}}`)
	before, _ := k.counts()
	h.Turn(task, "show the tasks")
	h.Turn(task, "show the tasks")
	if after, _ := k.counts(); after != before+2 {
		t.Errorf("about two messages of the same words it was asked %d times", after-before)
	}
}

// TestGating_hostToolIsNoTool: the gating tool of a server that the host runs is
// told to no model, under whatever name the host has for it.
func TestGating_hostToolIsNoTool(t *testing.T) {
	t.Parallel()
	h := enginetest.Begin(t, nil, nil, nil)
	enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: "editor", Tools: []protocol.HostTool{
		{Server: "tracker", Name: "mcp_tracker__tool_gating", InputSchema: json.RawMessage(`{"type":"object"}`)},
		{Server: "tracker", Name: "mcp_tracker_list", InputSchema: json.RawMessage(`{"type":"object"}`)},
	}})
	a := enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{Message: "list", Source: "editor"})
	if got := enginetest.Names(a); !slices.Equal(got, []string{"mcp_tracker_list"}) {
		t.Errorf("the model is told of %q", got)
	}
}

// TestGating_excludesUnderTopK: where each turn attaches afresh, what was
// attached for the message before can be excluded from this one.
func TestGating_excludesUnderTopK(t *testing.T) {
	t.Parallel()
	k := &tracker{verdict: func(message string) string {
		if strings.HasPrefix(message, "only") {
			return `{"verdicts":[{"tool":"create_task","action":"exclude"}]}`
		}
		return `{"verdicts":[]}`
	}}
	dir := configtest.WorkspaceWith(t, configtest.Servers{"tracker": k.start(t)}, nil)
	h := enginetest.Start(t, enginetest.Options{Workspace: dir}, map[string]any{
		"strategy": "topK", "threshold": 0, "gating": map[string]any{"servers": []string{"tracker"}, "timeoutMs": 10000},
	})
	h.UntilState("tracker", protocol.ServerReady)
	a := h.Open("create a task")
	if !slices.Contains(enginetest.Names(a), "create_task") {
		t.Fatalf("attached are %q, want create_task", enginetest.Names(a))
	}
	if next := h.Turn(a.Task, "only look: create a task"); slices.Contains(enginetest.Names(next), "create_task") {
		t.Errorf("attached are %q, want create_task excluded", enginetest.Names(next))
	}
}

// TestGating_anySource: a server that Winnow runs is asked for a task of a
// host's list, too; one that the host runs is not, under its own name either.
func TestGating_anySource(t *testing.T) {
	t.Parallel()
	k := &tracker{}
	h := tracked(t, k, map[string]any{"claims": "allow", "servers": []string{"tracker", "theirs"}}, true)
	enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: "host", WithOwn: true, Tools: []protocol.HostTool{
		{Server: "theirs", Name: "_tool_gating", InputSchema: json.RawMessage(`{"type":"object"}`)},
		{Server: "theirs", Name: "theirs_list", InputSchema: json.RawMessage(`{"type":"object"}`)},
	}})
	a := enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{Message: "show me what is open", Source: "host"})
	if asked, _ := k.counts(); asked != 1 || slices.Contains(enginetest.Names(a), "delete_task") || !slices.Contains(enginetest.Names(a), "theirs_list") {
		t.Errorf("asked %d times, attached %q", asked, enginetest.Names(a))
	}
	r := h.Route(protocol.ConversationRouteParams{Source: "host", Conversation: "chat", Messages: enginetest.Digests("s u1"), Message: "/list"})
	if _, calls := k.counts(); r.Attachment.Claim == nil || enginetest.Text(r.Attachment.Claim.Result) != "list_tasks " || len(calls) != 1 {
		t.Errorf("claim %+v, calls %q", r.Attachment.Claim, calls)
	}
	// What answers in the model's place has nowhere to go in another program's request.
	r = h.Route(protocol.ConversationRouteParams{Source: "host", Messages: enginetest.Digests("s u2"), Message: "/list", ToolsFirst: true})
	if _, calls := k.counts(); r.Attachment.Claim != nil || len(calls) != 1 {
		t.Errorf("through the proxy: claim %+v, calls %q", r.Attachment.Claim, calls)
	}
}
