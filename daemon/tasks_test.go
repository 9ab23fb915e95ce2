package daemon_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// routedHost is a daemon with two hundred tools of a host, source "host".
func routedHost(t *testing.T, settings map[string]any) *daemontest.Host {
	t.Helper()
	h := daemontest.Run(t, daemontest.Options{Storage: t.TempDir()})
	h.Initialize(settings)
	daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools,
		protocol.SetHostToolsParams{Source: "host", Tools: hostTools(200)})
	return h
}

func openRouted(h *daemontest.Host, message string) protocol.Attachment {
	return daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen,
		protocol.TaskOpenParams{Message: message, Source: "host", Model: protocol.ModelLimits{ContextTokens: 200_000, NativeTools: 3}})
}

// TestTasks_usage: every sum is exact.
func TestTasks_usage(t *testing.T) {
	t.Parallel()
	h := routedHost(t, nil)
	a := openRouted(h, "send an e-mail")
	a = turn(h, a.Task, "archive the invoice")
	host := []protocol.UsageSection{{Name: "system prompt", Tokens: 1234}, {Name: "messages", Tokens: 567}}
	u := daemontest.Call[protocol.TaskUsageResult](h, protocol.MethodTaskUsage, protocol.TaskUsageParams{Task: a.Task, Sections: host})
	if got := sum(t, u.Sections); got != u.Total || u.Total != 1234+567+a.Tokens.Attached {
		t.Errorf("the total is %d, its sections sum to %d, and the tools cost %d", u.Total, got, a.Tokens.Attached)
	}
	if !slices.EqualFunc(u.Sections[:2], host, func(a, b protocol.UsageSection) bool { return a.Name == b.Name && a.Tokens == b.Tokens }) {
		t.Errorf("the host's sections became %+v", u.Sections[:2])
	}
	if u.Free == nil || *u.Free != 200_000-u.Total || u.Unrouted != 1234+567+a.Tokens.All {
		t.Errorf("free %v, unrouted %d", u.Free, u.Unrouted)
	}
	added, tokens := 0, 0
	for _, turn := range u.Turns {
		added += turn.Added
		tokens += turn.Tokens
	}
	attached := 0
	for _, tool := range a.Tools {
		attached += tool.Tokens
	}
	if len(u.Turns) != 2 || added != len(a.Tools) || tokens != attached {
		t.Errorf("turns %+v, want %d tools of %d tokens", u.Turns, len(a.Tools), attached)
	}
}

// sum adds sections up, and checks those with children.
func sum(t *testing.T, sections []protocol.UsageSection) int {
	t.Helper()
	total := 0
	for _, s := range sections {
		if got := sum(t, s.Children); len(s.Children) > 0 && got != s.Tokens {
			t.Errorf("section %q has %d tokens, its parts %d", s.Name, s.Tokens, got)
		}
		total += s.Tokens
	}
	return total
}

// TestTasks_explain: every tool has one line, the attached ones first and in
// their order, and the parts of a score sum to it.
func TestTasks_explain(t *testing.T) {
	t.Parallel()
	h := routedHost(t, nil)
	a := openRouted(h, "send an e-mail about the invoice")
	r := daemontest.Call[protocol.TaskExplainResult](h, protocol.MethodTaskExplain, protocol.TaskExplainParams{Task: a.Task})
	if len(r.Tools) != 200 || r.Ranker != a.Ranker {
		t.Fatalf("%d tools are explained, by %q", len(r.Tools), r.Ranker)
	}
	for i, e := range r.Tools {
		if want := i < len(a.Tools); e.Attached != want || want && (e.Name != a.Tools[i].Name || e.Reason != a.Tools[i].Reason || e.Turn != 1) {
			t.Errorf("tool %d is explained as %+v", i, e)
		}
		parts := 0.0
		for _, p := range e.Parts {
			parts += p.Value
		}
		if math.Abs(parts-e.Score) > 1e-9*(1+math.Abs(e.Score)) {
			t.Errorf("%s scores %v, its parts %v", e.Name, e.Score, parts)
		}
		if e.Rank > 0 && e.Score <= 0 {
			t.Errorf("%s has rank %d with score %v", e.Name, e.Rank, e.Score)
		}
	}
	one := daemontest.Call[protocol.TaskExplainResult](h, protocol.MethodTaskExplain,
		protocol.TaskExplainParams{Task: a.Task, Tool: "mcp_mail_send"})
	if len(one.Tools) != 1 || !one.Tools[0].Attached || one.Tools[0].Rank != 1 {
		t.Errorf("mcp_mail_send is explained as %+v", one.Tools)
	}
	if e := h.Refused(protocol.MethodTaskExplain, protocol.TaskExplainParams{Task: a.Task, Tool: "qqq"}); e.Code != protocol.CodeUnknownTool {
		t.Errorf("an unknown tool: %v", e)
	}
}

// TestTasks_search finds in the task's scope and says what is attached.
func TestTasks_search(t *testing.T) {
	t.Parallel()
	h := routedHost(t, map[string]any{"initialK": 1})
	a := openRouted(h, "send an e-mail")
	r := daemontest.Call[protocol.TaskSearchResult](h, protocol.MethodTaskSearch,
		protocol.TaskSearchParams{Task: a.Task, Query: "send mail, update the recipe", Limit: 20})
	attached := 0
	for _, tool := range r.Tools {
		if tool.Attached {
			attached++
		}
		if tool.Signature == "" || tool.Score <= 0 {
			t.Errorf("found %+v", tool)
		}
	}
	if attached != 1 || r.Compared != 200 || len(r.Tools) < 2 {
		t.Errorf("%d tools found, %d attached, %d compared", len(r.Tools), attached, r.Compared)
	}
}

// TestTasks_telemetry: nothing is sent unless the setting is on, it is named as
// others name it, and it never holds a word of the user's.
func TestTasks_telemetry(t *testing.T) {
	t.Parallel()
	h := routedHost(t, map[string]any{"initialK": 3})
	const secret = "xylophone"
	use := func() {
		a := openRouted(h, "send an e-mail about the "+secret)
		turn(h, a.Task, "archive the invoice of "+secret)
		daemontest.Call[protocol.TaskLoadResult](h, protocol.MethodTaskLoad, protocol.TaskLoadParams{Task: a.Task, Query: "delete the " + secret})
	}
	use()
	h.Notify(protocol.MethodDidChangeSettings, protocol.DidChangeSettingsParams{Settings: json.RawMessage(`{"telemetry":true}`)})
	if n := told[protocol.TelemetryEventParams](h, protocol.MethodTelemetryEvent); len(n) != 0 {
		t.Errorf("events while the setting is off: %+v", n)
	}
	use()
	h.Notify(protocol.MethodDidChangeSettings, protocol.DidChangeSettingsParams{Settings: json.RawMessage(`{"telemetry":null}`)})
	use()
	events := told[protocol.TelemetryEventParams](h, protocol.MethodTelemetryEvent)
	if len(events) != 3 {
		t.Fatalf("%d events: %+v", len(events), events)
	}
	want := map[protocol.TelemetryEvent]string{
		protocol.EventTaskStart:   "attachedCount scopedCount",
		protocol.EventWindowStep:  "addedCount totalAttached turn",
		protocol.EventLoadInvoked: "alreadyAttachedCount queryLength returnedCount taskTurn",
	}
	for _, e := range events {
		var keys []string
		for key := range e.Numbers {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if got := strings.Join(keys, " "); got != want[e.Name] {
			t.Errorf("%s holds %q, want %q", e.Name, got, want[e.Name])
		}
	}
	for _, n := range h.Notes() {
		if strings.Contains(string(n.Params), secret) {
			t.Errorf("%s holds the user's words: %s", n.Method, n.Params)
		}
	}
}

// messages makes the digests of a conversation: "u1 a1 t1" are a user's, an
// assistant's and a tool's message.
func messages(list string) []protocol.MessageDigest {
	roles := map[byte]string{'s': "system", 'u': "user", 'a': "assistant", 't': "tool"}
	var all []protocol.MessageDigest
	for _, word := range strings.Fields(list) {
		all = append(all, protocol.MessageDigest{Role: roles[word[0]], Digest: word})
	}
	return all
}

func route(h *daemontest.Host, p protocol.ConversationRouteParams) protocol.ConversationRouteResult {
	p.Source = "host"
	return daemontest.Call[protocol.ConversationRouteResult](h, protocol.MethodConversationRoute, p)
}

// TestConversations_withoutID: a request belongs to the conversation that it
// continues.
func TestConversations_withoutID(t *testing.T) {
	t.Parallel()
	h := routedHost(t, map[string]any{"initialK": 5, "searchK": 3})
	mail := route(h, protocol.ConversationRouteParams{Messages: messages("s u1"), Message: "send an e-mail"})
	bill := route(h, protocol.ConversationRouteParams{Messages: messages("s u2"), Message: "archive the invoice"})
	if mail.Task == bill.Task || !mail.NewTurn || slices.Equal(names(mail.Attachment), names(bill.Attachment)) {
		t.Fatalf("two chats are %s and %s", mail.Task, bill.Task)
	}
	tool := route(h, protocol.ConversationRouteParams{Messages: messages("s u1 a1 t1"), Message: "send an e-mail", Called: []string{"mcp_mail_send"}})
	if tool.Task != mail.Task || tool.NewTurn || tool.Attachment.Turn != 1 || !slices.Equal(names(tool.Attachment), names(mail.Attachment)) {
		t.Errorf("a tool result made %+v", tool)
	}
	next := route(h, protocol.ConversationRouteParams{Messages: messages("s u1 a1 t1 a2 u3"), Message: "update the recipe"})
	if next.Task != mail.Task || !next.NewTurn || next.Attachment.Turn != 2 || len(next.Attachment.Tools) <= 5 {
		t.Errorf("the next message made task %s, turn %d with %d tools", next.Task, next.Attachment.Turn, len(next.Attachment.Tools))
	}
	again := route(h, protocol.ConversationRouteParams{Messages: messages("s u2 a1 u4"), Message: "archive the branch"})
	if again.Task != bill.Task || again.Attachment.Turn != 2 {
		t.Errorf("the other chat went on as %s, turn %d", again.Task, again.Attachment.Turn)
	}
	edited := route(h, protocol.ConversationRouteParams{Messages: messages("s u9"), Message: "send an e-mail"})
	if edited.Task == mail.Task || edited.Task == bill.Task || edited.Compacted {
		t.Errorf("a history that nobody knows became %+v", edited)
	}
}

// TestConversations_withID: an id says which task it is; a history that no
// longer continues the known one was compacted, and is ranked afresh.
func TestConversations_withID(t *testing.T) {
	t.Parallel()
	h := routedHost(t, map[string]any{"initialK": 5, "searchK": 3})
	one := func(list, message string) protocol.ConversationRouteResult {
		return route(h, protocol.ConversationRouteParams{Conversation: "chat-1", Messages: messages(list), Message: message})
	}
	first := one("s u1", "send an e-mail")
	if other := route(h, protocol.ConversationRouteParams{Conversation: "chat-2", Messages: messages("s u1"), Message: "send an e-mail"}); other.Task == first.Task {
		t.Error("two ids are one task")
	}
	grown := one("s u1 a1 u2", "archive the invoice")
	compacted := one("s u99 u3", "update the recipe")
	if compacted.Task != first.Task || !compacted.Compacted || compacted.Attachment.Turn != 3 {
		t.Errorf("compaction: %+v, turn %d", compacted, compacted.Attachment.Turn)
	}
	if n := len(compacted.Attachment.Tools); n != 5 || n >= len(grown.Attachment.Tools) || compacted.Attachment.Generation <= grown.Attachment.Generation {
		t.Errorf("%d tools after the compaction, %d before", n, len(grown.Attachment.Tools))
	}
}

// TestTasks_wantState: the state comes with an attachment only when the request
// asks for it, and is what a later task/open resumes.
func TestTasks_wantState(t *testing.T) {
	t.Parallel()
	h := routedHost(t, nil)
	bare := daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen, protocol.TaskOpenParams{Message: "send an e-mail", Source: "host"})
	if bare.State != nil {
		t.Errorf("task/open sent a state that nobody asked for: %+v", bare.State)
	}
	ask := func(method string, params any) *protocol.TaskState {
		return daemontest.Call[protocol.Attachment](h, method, params).State
	}
	load := daemontest.Call[protocol.TaskLoadResult](h, protocol.MethodTaskLoad,
		protocol.TaskLoadParams{Task: bare.Task, Query: "archive the invoice", WantState: true})
	called := daemontest.Call[protocol.TaskCallResult](h, protocol.MethodTaskCall, protocol.TaskCallParams{
		Task: bare.Task, Name: router.LoadName, Arguments: json.RawMessage(`{"query":"update the recipe"}`), WantState: true,
	})
	turned := ask(protocol.MethodTaskTurn, protocol.TaskTurnParams{Task: bare.Task, Message: "go on", WantState: true})
	for name, state := range map[string]*protocol.TaskState{
		"task/turn": turned,
		"task/load": load.Attachment.State, "task/call": called.Attachment.State,
		"task/compact": ask(protocol.MethodTaskCompact, protocol.TaskCompactParams{Task: bare.Task, WantState: true}),
		"task/resume":  ask(protocol.MethodTaskResume, protocol.TaskResumeParams{State: *turned, WantState: true}),
	} {
		if state == nil || state.Task != bare.Task {
			t.Errorf("%s: got the state %+v, want that of %s", name, state, bare.Task)
		}
	}
}

// TestConversations_resume: a conversation is found again by a daemon that was
// given the state of its task.
func TestConversations_resume(t *testing.T) {
	t.Parallel()
	first := route(routedHost(t, nil), protocol.ConversationRouteParams{Messages: messages("s u1"), Message: "send an e-mail", WantState: true})
	h := routedHost(t, nil)
	resumed := daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen, protocol.TaskOpenParams{State: first.Attachment.State})
	next := route(h, protocol.ConversationRouteParams{Messages: messages("s u1 a1 u2"), Message: "archive the invoice"})
	if resumed.Task != first.Task || next.Task != first.Task || next.Attachment.Turn != 2 {
		t.Errorf("task %s was resumed as %s and went on as %s, turn %d", first.Task, resumed.Task, next.Task, next.Attachment.Turn)
	}
	if n := len(first.Attachment.Tools); !slices.Equal(names(next.Attachment)[:n], names(first.Attachment)) {
		t.Errorf("it had %v, and has %v", names(first.Attachment), names(next.Attachment))
	}
	bad := *first.Attachment.State
	bad.Version = 99
	if e := h.Refused(protocol.MethodTaskResume, protocol.TaskResumeParams{State: bad}); e.Code != protocol.CodeInvalidParams {
		t.Errorf("a state of another version: %v", e)
	}
}

// TestConversations_named: a task that is open is found by the conversation that
// its client gives it later, and what the user loads between two requests is
// kept with it, with what its model did and its client never saw.
func TestConversations_named(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	start := func() *daemontest.Host {
		h := daemontest.Run(t, daemontest.Options{Storage: storage})
		h.Initialize(map[string]any{"initialK": 5})
		daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools,
			protocol.SetHostToolsParams{Source: "host", Tools: hostTools(200)})
		return h
	}
	h := start()
	open := daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen,
		protocol.TaskOpenParams{Message: "send an e-mail", Source: "host", WantState: true})
	named := *open.State
	named.Conversation = "mine"
	daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen, protocol.TaskOpenParams{State: &named})
	first := route(h, protocol.ConversationRouteParams{Conversation: "mine", Messages: messages("s u1"), Message: "send an e-mail"})
	if first.Task != open.Task || !first.NewTurn || first.Compacted {
		t.Errorf("got %+v, want a turn of task %s", first, open.Task)
	}
	answer := protocol.ConversationAnswerParams{
		Task: first.Task, Request: first.Request, Calls: []string{},
		Parts:   []protocol.AnswerPart{{Call: "h1", Part: json.RawMessage(`{"mine":1}`)}},
		Answers: []protocol.CallAnswer{{Call: "h1", Text: "loaded"}},
	}
	answered(h, answer)
	answer.Parts, answer.Answers = nil, nil
	answered(h, answer)
	loaded := daemontest.Call[protocol.TaskLoadResult](h, protocol.MethodTaskLoad,
		protocol.TaskLoadParams{Task: open.Task, Names: []string{"mcp_recipe_update"}, WantState: true})
	h.Close()

	h = start()
	// A look at the task, before its next request, must not cost what is kept of it.
	daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen, protocol.TaskOpenParams{State: loaded.Attachment.State})
	second := route(h, protocol.ConversationRouteParams{Conversation: "mine", Messages: messages("s u1 a1 u2"), Message: "go on"})
	if second.Task != open.Task || !slices.Contains(names(second.Attachment), "mcp_recipe_update") {
		t.Errorf("got task %s with %v, want %s with what was loaded", second.Task, names(second.Attachment), open.Task)
	}
	if len(second.Internal) != 1 {
		t.Errorf("got %+v, want what its client never saw", second.Internal)
	}
}

// TestTasks_shadow: while the user only watches, everything is attached and
// what routing would have done is told.
func TestTasks_shadow(t *testing.T) {
	t.Parallel()
	h := routedHost(t, map[string]any{"shadow": true})
	a := openRouted(h, "send an e-mail")
	if !a.Shadow || len(a.Tools) != 200 || len(a.WouldAttach) != 30 || len(a.MetaTools) != 0 {
		t.Errorf("%d tools, %d would be, %d meta tools", len(a.Tools), len(a.WouldAttach), len(a.MetaTools))
	}
	next := turn(h, a.Task, "update the recipe")
	if len(next.WouldAttach) <= 30 || len(next.Tools) != 200 {
		t.Errorf("then %d tools, %d would be", len(next.Tools), len(next.WouldAttach))
	}
	explained := daemontest.Call[protocol.TaskExplainResult](h, protocol.MethodTaskExplain, protocol.TaskExplainParams{Task: a.Task})
	for i, tool := range explained.Tools {
		if tool.Attached != (i < len(next.WouldAttach)) || tool.Missed {
			t.Errorf("place %d of %d is %+v", i, len(next.WouldAttach), tool)
		}
	}
	usage := daemontest.Call[protocol.TaskUsageResult](h, protocol.MethodTaskUsage, protocol.TaskUsageParams{Task: a.Task})
	if !explained.Shadow || !usage.Shadow || usage.Unrouted != next.Tokens.All || usage.Total >= usage.Unrouted {
		t.Errorf("shadow %v, %v; %d of %d tokens", explained.Shadow, usage.Shadow, usage.Total, usage.Unrouted)
	}
	list := daemontest.Call[protocol.TaskListResult](h, protocol.MethodTaskList, protocol.Empty{}).Tasks
	if len(list) != 1 || !list[0].Shadow || list[0].Missed != 0 || list[0].Counts.Attached != len(next.WouldAttach) || list[0].Tokens.Attached != usage.Total {
		t.Errorf("the open tasks are %+v", list)
	}
}

// TestTasks_shadowMissed: a tool that is called while routing would not have
// attached it is told as missed, once, until the user stops watching.
func TestTasks_shadowMissed(t *testing.T) {
	t.Parallel()
	h := routedHost(t, map[string]any{"shadow": true})
	route := func(message string, called ...string) protocol.Attachment {
		messages := []protocol.MessageDigest{{Role: "user", Digest: "1"}}
		if len(called) > 0 {
			messages = append(messages, protocol.MessageDigest{Role: "tool", Digest: "2"})
		}
		return daemontest.Call[protocol.ConversationRouteResult](h, protocol.MethodConversationRoute, protocol.ConversationRouteParams{
			Conversation: "c", Messages: messages, Message: message, Called: called, Source: "host",
		}).Attachment
	}
	a := route("send an e-mail")
	would := map[string]bool{}
	for _, tool := range a.WouldAttach {
		would[tool.Name] = true
	}
	out := slices.IndexFunc(a.Tools, func(tool protocol.AttachedTool) bool { return !would[tool.Name] })
	missed, hit := a.Tools[out].Name, a.WouldAttach[0].Name
	route("send an e-mail", hit, missed)
	route("send an e-mail", hit, missed)
	list := daemontest.Call[protocol.TaskListResult](h, protocol.MethodTaskList, protocol.Empty{}).Tasks
	if len(list) != 1 || list[0].Missed != 1 || len(list[0].MissedTools) != 1 || list[0].MissedTools[0].Tool != a.Tools[out].Tool {
		t.Errorf("the open tasks are %+v", list)
	}
	for name, want := range map[string]bool{missed: true, hit: false} {
		explained := daemontest.Call[protocol.TaskExplainResult](h, protocol.MethodTaskExplain, protocol.TaskExplainParams{Task: a.Task, Tool: name})
		if len(explained.Tools) != 1 || explained.Tools[0].Missed != want {
			t.Errorf("%s: %+v", name, explained.Tools)
		}
	}
	h.Notify(protocol.MethodDidChangeSettings, protocol.DidChangeSettingsParams{Settings: []byte(`{"shadow":false}`)})
	turn(h, a.Task, "update the recipe")
	list = daemontest.Call[protocol.TaskListResult](h, protocol.MethodTaskList, protocol.Empty{}).Tasks
	if list[0].Shadow || list[0].Missed != 0 || len(list[0].MissedTools) != 0 {
		t.Errorf("after shadow mode the open tasks are %+v", list)
	}
}

// TestTasks_warnings: what the host is to warn of stands in the list of tasks
// as long as it is true, and in shadow mode what routing would warn of too.
func TestTasks_warnings(t *testing.T) {
	t.Parallel()
	h := routedHost(t, map[string]any{"maxTools": 8})
	var choices protocol.TaskChoices
	for _, tool := range hostTools(10) {
		choices.Pinned = append(choices.Pinned, protocol.ToolRef{Server: tool.Server, Tool: tool.Name})
	}
	a := daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen,
		protocol.TaskOpenParams{Message: "send an e-mail", Source: "host", Choices: choices})
	warnings := func() []string {
		return daemontest.Call[protocol.TaskListResult](h, protocol.MethodTaskList, protocol.Empty{}).Tasks[0].Warnings
	}
	if got := warnings(); len(got) != 1 || !slices.Equal(got, a.Warnings) || !strings.Contains(got[0], "3 pinned tools do not fit") {
		t.Errorf("the task warns %q, its attachment %q", got, a.Warnings)
	}
	h.Notify(protocol.MethodDidChangeSettings, protocol.DidChangeSettingsParams{Settings: []byte(`{"maxTools":8,"shadow":true}`)})
	turn(h, a.Task, "update the recipe")
	if got := warnings(); len(got) != 2 || !strings.Contains(got[0], "200 tools in one request") || !strings.Contains(got[1], "pinned tools") {
		t.Errorf("in shadow mode the task warns %q", got)
	}
	h.Notify(protocol.MethodDidChangeSettings, protocol.DidChangeSettingsParams{Settings: []byte(`{"maxTools":500}`)})
	turn(h, a.Task, "and now the invoice")
	if got := warnings(); len(got) != 0 {
		t.Errorf("nothing is wrong any more, and the task warns %q", got)
	}
}

// TestConversation_agent: the host's agent stands for the mode of its name.
func TestConversation_agent(t *testing.T) {
	t.Parallel()
	none := []string{}
	h := begin(t, nil, nil, modes{
		"review": {Name: "Code Review", AllowedMcpServers: &none},
		"open":   {Name: "Open"},
	})
	daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools,
		protocol.SetHostToolsParams{Source: "host", Tools: hostTools(100)})
	for agent, want := range map[string]string{
		"REVIEW": "review", "code review": "review", "Open": "open", "somebody": "", "": "",
	} {
		r := route(h, protocol.ConversationRouteParams{Conversation: "chat with " + agent, Source: "host", Agent: agent, Messages: messages("s u1"), WantState: true})
		if got := r.Attachment.State.Mode; got != want || (len(r.Attachment.Tools) == 0) != (want == "review") {
			t.Errorf("agent %q has mode %q and %d tools, want mode %q", agent, got, len(r.Attachment.Tools), want)
		}
	}
	r := route(h, protocol.ConversationRouteParams{Conversation: "chat", Source: "host", Mode: "open", Agent: "review", Messages: messages("s u1"), WantState: true})
	if got := r.Attachment.State.Mode; got != "open" {
		t.Errorf("the mode that is asked for is %q, and the agent's wins", got)
	}
}

// TestTasks_order: requests on one task take effect in the order in which they
// came, although none waits for the one before.
func TestTasks_order(t *testing.T) {
	t.Parallel()
	h := routedHost(t, nil)
	a := openRouted(h, "send an e-mail")
	const turns = 50
	var asked []*daemontest.Pending
	for i := range turns {
		asked = append(asked, h.Begin(protocol.MethodTaskTurn, protocol.TaskTurnParams{Task: a.Task, Message: fmt.Sprintf("message %d", i)}))
	}
	for i, p := range asked {
		raw, err := p.Await()
		var next protocol.Attachment
		if err == nil {
			err = json.Unmarshal(raw, &next)
		}
		if err != nil || next.Turn != i+2 {
			t.Errorf("request %d made turn %d, %v", i, next.Turn, err)
		}
	}
	list := daemontest.Call[protocol.TaskListResult](h, protocol.MethodTaskList, protocol.Empty{})
	if len(list.Tasks) != 1 || list.Tasks[0].Turn != turns+1 || !list.Tasks[0].Frozen {
		t.Errorf("the open tasks are %+v", list.Tasks)
	}
	daemontest.Call[protocol.Empty](h, protocol.MethodTaskClose, protocol.TaskParams{Task: a.Task})
	if e := h.Refused(protocol.MethodTaskClose, protocol.TaskParams{Task: a.Task}); e.Code != protocol.CodeUnknownTask {
		t.Errorf("closed twice: %v", e)
	}
}

// TestTasks_earlyCall: what becomes of a call of a tool that is not attached.
func TestTasks_earlyCall(t *testing.T) {
	t.Parallel()
	h := begin(t, map[string]any{"threshold": 1, "initialK": 1, "searchK": 1},
		servers{"s": scripted(t, upstreamtest.Script{})}, nil)
	callEcho := func(policy string) (protocol.TaskCallResult, error) {
		h.Notify(protocol.MethodDidChangeSettings, protocol.DidChangeSettingsParams{Settings: json.RawMessage(`{"earlyCall":"` + policy + `"}`)})
		a := open(h, "reports progress")
		if slices.Contains(names(a), "echo") {
			t.Fatalf("echo is attached: %v", names(a))
		}
		return daemontest.Try[protocol.TaskCallResult](h, protocol.MethodTaskCall,
			protocol.TaskCallParams{Task: a.Task, Name: "echo", Arguments: json.RawMessage(`{"text":"x"}`)})
	}
	if r, err := callEcho("attach"); err != nil || text(r) != `{"text":"x"}` || r.Attachment == nil || !slices.Contains(names(*r.Attachment), "echo") {
		t.Errorf("attach: %q, %v", text(r), err)
	}
	if r, err := callEcho("retry"); err != nil || !r.IsError || !strings.Contains(text(r), "call it again") || r.Attachment == nil {
		t.Errorf("retry: %q, %v", text(r), err)
	}
	if _, err := callEcho("refuse"); codeOf(err) != protocol.CodeNotAttached {
		t.Errorf("refuse: %v", err)
	}
	a := open(h, "reports progress")
	loaded := daemontest.Call[protocol.TaskCallResult](h, protocol.MethodTaskCall,
		protocol.TaskCallParams{Task: a.Task, Name: "mcp_load", Arguments: json.RawMessage(`{"names":["echo"]}`)})
	if loaded.Attachment == nil || !slices.Contains(names(*loaded.Attachment), "echo") || !strings.Contains(text(loaded), "echo") {
		t.Errorf("mcp_load by a call: %q", text(loaded))
	}
}

// TestTasks_looking: who looks at a task does not make it the latest.
func TestTasks_looking(t *testing.T) {
	t.Parallel()
	h := routedHost(t, nil)
	first, second := openRouted(h, "send an e-mail").Task, openRouted(h, "update the recipe").Task
	want := func(when string, tasks ...string) {
		t.Helper()
		var got []string
		for _, task := range daemontest.Call[protocol.TaskListResult](h, protocol.MethodTaskList, protocol.Empty{}).Tasks {
			got = append(got, task.Task)
		}
		if !slices.Equal(got, tasks) {
			t.Errorf("%s: %v, want %v", when, got, tasks)
		}
	}
	daemontest.Call[protocol.TaskExplainResult](h, protocol.MethodTaskExplain, protocol.TaskExplainParams{Task: first})
	daemontest.Call[protocol.TaskUsageResult](h, protocol.MethodTaskUsage, protocol.TaskUsageParams{Task: first})
	want("after a look", first, second)
	turn(h, first, "and another")
	want("after a turn", second, first)
}

// A task that begins before its servers are up is told so, and its model can
// load what comes.
func TestTasks_openBeforeServersAreUp(t *testing.T) {
	t.Parallel()
	deaf := scripted(t, upstreamtest.Script{Ignore: []string{"initialize", "server/discover"}})
	h := daemontest.Run(t, daemontest.Options{Workspace: workspaceWith(t, servers{"deaf": deaf}, nil)})
	h.Initialize(nil)
	h.UntilState("deaf", protocol.ServerStarting)
	a := open(h, "count the sheep")
	if len(a.Tools) != 0 || len(a.MetaTools) != 1 || a.MetaTools[0].Name != "mcp_load" {
		t.Errorf("got %d tools and meta tools %+v, want mcp_load alone", len(a.Tools), a.MetaTools)
	}
	if len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "still starting") || !strings.Contains(a.Warnings[0], "deaf") {
		t.Errorf("warnings %q, want one about deaf", a.Warnings)
	}
}
