package turns_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// TestTasks_usage: every sum is exact.
func TestTasks_usage(t *testing.T) {
	t.Parallel()
	h := enginetest.Routed(t, nil)
	a := h.OpenRouted("send an e-mail")
	a = h.Turn(a.Task, "archive the invoice")
	host := []protocol.UsageSection{{Name: "system prompt", Tokens: 1234}, {Name: "messages", Tokens: 567}}
	u := enginetest.Call(h, h.TaskUsage, protocol.TaskUsageParams{Task: a.Task, Sections: host})
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
	h := enginetest.Routed(t, nil)
	a := h.OpenRouted("send an e-mail about the invoice")
	r := enginetest.Call(h, h.TaskExplain, protocol.TaskExplainParams{Task: a.Task})
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
	one := enginetest.Call(h, h.TaskExplain,
		protocol.TaskExplainParams{Task: a.Task, Tool: "mcp_mail_send"})
	if len(one.Tools) != 1 || !one.Tools[0].Attached || one.Tools[0].Rank != 1 {
		t.Errorf("mcp_mail_send is explained as %+v", one.Tools)
	}
	if e := enginetest.Refused(h, h.TaskExplain, protocol.TaskExplainParams{Task: a.Task, Tool: "qqq"}); e.Data.Kind != protocol.KindUnknownTool {
		t.Errorf("an unknown tool: %v", e)
	}
}

// TestTasks_search finds in the task's scope and says what is attached.
func TestTasks_search(t *testing.T) {
	t.Parallel()
	h := enginetest.Routed(t, map[string]any{"initialK": 1})
	a := h.OpenRouted("send an e-mail")
	r := enginetest.Call(h, h.TaskSearch,
		protocol.TaskSearchParams{Task: a.Task, Query: "send mail, update the recipe", Limit: 20})
	attached := 0
	for _, tool := range r.Tools {
		if tool.Attached {
			attached++
		}
		if tool.Signature == "" || tool.Score <= 0 || "mcp_"+tool.Own.Server+"_"+tool.Own.Tool != tool.Name {
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
	h := enginetest.Routed(t, map[string]any{"initialK": 3})
	const secret = "xylophone"
	use := func() {
		a := h.OpenRouted("send an e-mail about the " + secret)
		h.Turn(a.Task, "archive the invoice of "+secret)
		enginetest.Call(h, h.TaskLoad, protocol.TaskLoadParams{Task: a.Task, Query: "delete the " + secret})
	}
	use()
	h.ChangeSettings(`{"telemetry":true}`)
	if n := h.Events(); len(n) != 0 {
		t.Errorf("events while the setting is off: %+v", n)
	}
	use()
	// Nothing is told where nothing is chosen.
	h.ChangeSettings(`{"telemetry":true,"enabled":false}`)
	off := h.Open("send an e-mail")
	enginetest.Call(h, h.TaskLoad, protocol.TaskLoadParams{Task: off.Task, Query: "delete it"})
	if n := len(h.Events()); n != 3 {
		t.Errorf("%d events with routing off, want 3", n)
	}
	h.ChangeSettings(`{"telemetry":null}`)
	use()
	events := h.Events()
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
	for _, told := range []any{h.Messages(), h.Changes(), events} {
		if text := fmt.Sprintf("%+v", told); strings.Contains(text, secret) {
			t.Errorf("told the user's words: %s", text)
		}
	}
}

// TestTasks_wantState: the state comes with an attachment only when the request
// asks for it, and is what a later task/open resumes.
func TestTasks_wantState(t *testing.T) {
	t.Parallel()
	h := enginetest.Routed(t, nil)
	bare := enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{Message: "send an e-mail", Source: "host"})
	if bare.State != nil {
		t.Errorf("task/open sent a state that nobody asked for: %+v", bare.State)
	}
	load := enginetest.Call(h, h.TaskLoad,
		protocol.TaskLoadParams{Task: bare.Task, Query: "archive the invoice", WantState: true})
	called := enginetest.Call(h, h.TaskCall, protocol.TaskCallParams{
		Task: bare.Task, Name: router.LoadName, Arguments: json.RawMessage(`{"query":"update the recipe"}`), WantState: true,
	})
	turned := enginetest.Call(h, h.TaskTurn, protocol.TaskTurnParams{Task: bare.Task, Message: "go on", WantState: true}).State
	for name, state := range map[string]*protocol.TaskState{
		"task/turn": turned,
		"task/load": load.Attachment.State, "task/call": called.Attachment.State,
		"task/compact": enginetest.Call(h, h.TaskCompact, protocol.TaskCompactParams{Task: bare.Task, WantState: true}).State,
		"task/resume":  enginetest.Call(h, h.TaskResume, protocol.TaskResumeParams{State: *turned, WantState: true}).State,
	} {
		if state == nil || state.Task != bare.Task {
			t.Errorf("%s: got the state %+v, want that of %s", name, state, bare.Task)
		}
	}
}

// TestTasks_shadow: while the user only watches, everything is attached and
// what routing would have done is told.
func TestTasks_shadow(t *testing.T) {
	t.Parallel()
	h := enginetest.Routed(t, map[string]any{"shadow": true})
	a := h.OpenRouted("send an e-mail")
	if !a.Shadow || len(a.Tools) != 200 || len(a.WouldAttach) != 30 || len(a.MetaTools) != 0 {
		t.Errorf("%d tools, %d would be, %d meta tools", len(a.Tools), len(a.WouldAttach), len(a.MetaTools))
	}
	next := h.Turn(a.Task, "update the recipe")
	if len(next.WouldAttach) <= 30 || len(next.Tools) != 200 {
		t.Errorf("then %d tools, %d would be", len(next.Tools), len(next.WouldAttach))
	}
	explained := enginetest.Call(h, h.TaskExplain, protocol.TaskExplainParams{Task: a.Task})
	for i, tool := range explained.Tools {
		if tool.Attached != (i < len(next.WouldAttach)) || tool.Missed {
			t.Errorf("place %d of %d is %+v", i, len(next.WouldAttach), tool)
		}
	}
	usage := enginetest.Call(h, h.TaskUsage, protocol.TaskUsageParams{Task: a.Task})
	if !explained.Shadow || !usage.Shadow || usage.Unrouted != next.Tokens.All || usage.Total >= usage.Unrouted {
		t.Errorf("shadow %v, %v; %d of %d tokens", explained.Shadow, usage.Shadow, usage.Total, usage.Unrouted)
	}
	list := h.Tasks().Tasks
	if len(list) != 1 || !list[0].Shadow || list[0].Missed != 0 || list[0].Counts.Attached != len(next.WouldAttach) || list[0].Tokens.Attached != usage.Total {
		t.Errorf("the open tasks are %+v", list)
	}
}

// TestTasks_shadowMissed: a tool that is called while routing would not have
// attached it is told as missed, once, until the user stops watching.
func TestTasks_shadowMissed(t *testing.T) {
	t.Parallel()
	h := enginetest.Routed(t, map[string]any{"shadow": true})
	route := func(message string, called ...string) protocol.Attachment {
		messages := []protocol.MessageDigest{{Role: "user", Digest: "1"}}
		if len(called) > 0 {
			messages = append(messages, protocol.MessageDigest{Role: "tool", Digest: "2"})
		}
		return enginetest.Call(h, h.ConversationRoute, protocol.ConversationRouteParams{
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
	list := h.Tasks().Tasks
	if len(list) != 1 || list[0].Missed != 1 || len(list[0].MissedTools) != 1 {
		t.Fatalf("the open tasks are %+v", list)
	}
	// Told by the server's own name.
	if told := list[0].MissedTools[0]; told.Server != a.Tools[out].Server || "mcp_"+told.Server+"_"+told.Tool != missed {
		t.Errorf("the open tasks are %+v", list)
	}
	for name, want := range map[string]bool{missed: true, hit: false} {
		explained := enginetest.Call(h, h.TaskExplain, protocol.TaskExplainParams{Task: a.Task, Tool: name})
		if len(explained.Tools) != 1 || explained.Tools[0].Missed != want {
			t.Errorf("%s: %+v", name, explained.Tools)
		}
	}
	h.ChangeSettings(`{"shadow":false}`)
	h.Turn(a.Task, "update the recipe")
	list = h.Tasks().Tasks
	if list[0].Shadow || list[0].Missed != 0 || len(list[0].MissedTools) != 0 {
		t.Errorf("after shadow mode the open tasks are %+v", list)
	}
}

// TestTasks_warnings: what the host is to warn of stands in the list of tasks
// as long as it is true, and in shadow mode what routing would warn of too.
func TestTasks_warnings(t *testing.T) {
	t.Parallel()
	h := enginetest.Routed(t, map[string]any{"maxTools": 8})
	var choices protocol.TaskChoices
	for _, tool := range enginetest.HostTools(10) {
		choices.Pinned = append(choices.Pinned, protocol.ToolRef{Server: tool.Server, Tool: tool.Name})
	}
	a := enginetest.Call(h, h.TaskOpen,
		protocol.TaskOpenParams{Message: "send an e-mail", Source: "host", Choices: choices})
	warnings := func() []string {
		return h.Tasks().Tasks[0].Warnings
	}
	if got := warnings(); len(got) != 1 || !slices.Equal(got, a.Warnings) || !strings.Contains(got[0], "3 pinned tools do not fit") {
		t.Errorf("the task warns %q, its attachment %q", got, a.Warnings)
	}
	h.ChangeSettings(`{"maxTools":8,"shadow":true}`)
	h.Turn(a.Task, "update the recipe")
	if got := warnings(); len(got) != 2 || !strings.Contains(got[0], "200 tools in one request") || !strings.Contains(got[1], "pinned tools") {
		t.Errorf("in shadow mode the task warns %q", got)
	}
	h.ChangeSettings(`{"maxTools":500}`)
	h.Turn(a.Task, "and now the invoice")
	if got := warnings(); len(got) != 0 {
		t.Errorf("nothing is wrong any more, and the task warns %q", got)
	}
}

// TestTasks_order: requests on one task take effect in the order in which they
// came, although none waits for the one before.
func TestTasks_order(t *testing.T) {
	t.Parallel()
	h := enginetest.Routed(t, nil)
	a := h.OpenRouted("send an e-mail")
	const turns = 50
	entry, err := h.Engine.Tasks.Get(principal.Local, a.Task)
	if err != nil {
		t.Fatal(err)
	}
	var asked [turns]tasks.Work[protocol.Attachment]
	for i := range asked {
		asked[i] = tasks.InOrder(t.Context(), entry, func() (protocol.Attachment, error) {
			return h.Engine.Turns.Turn(t.Context(), entry, &protocol.TaskTurnParams{Task: a.Task, Message: fmt.Sprintf("message %d", i)})
		})
	}
	var working sync.WaitGroup
	for i, work := range slices.Backward(asked[:]) { // the last is the first that wants to work
		working.Go(func() {
			if next, err := work(); err != nil || next.Turn != i+2 {
				t.Errorf("request %d made turn %d, %v", i, next.Turn, err)
			}
		})
	}
	working.Wait()
	list := h.Tasks()
	if len(list.Tasks) != 1 || list.Tasks[0].Turn != turns+1 || !list.Tasks[0].Frozen {
		t.Errorf("the open tasks are %+v", list.Tasks)
	}
	enginetest.Call(h, h.TaskClose, protocol.TaskParams{Task: a.Task})
	if e := enginetest.Refused(h, h.TaskClose, protocol.TaskParams{Task: a.Task}); e.Data.Kind != protocol.KindUnknownTask {
		t.Errorf("closed twice: %v", e)
	}
}

// TestTasks_earlyCall: what becomes of a call of a tool that is not attached.
func TestTasks_earlyCall(t *testing.T) {
	t.Parallel()
	h := enginetest.Begin(t, map[string]any{"threshold": 1, "initialK": 1, "searchK": 1},
		configtest.Servers{"s": configtest.Scripted(t, upstreamtest.Script{})}, nil)
	callEcho := func(policy string) (protocol.TaskCallResult, error) {
		h.ChangeSettings(`{"earlyCall":"` + policy + `"}`)
		a := h.Open("reports progress")
		if slices.Contains(enginetest.Names(a), "echo") {
			t.Fatalf("echo is attached: %v", enginetest.Names(a))
		}
		return enginetest.Try(h, h.TaskCall,
			protocol.TaskCallParams{Task: a.Task, Name: "echo", Arguments: json.RawMessage(`{"text":"x"}`)})
	}
	if r, err := callEcho("attach"); err != nil || enginetest.Text(r) != `{"text":"x"}` || r.Attachment == nil || !slices.Contains(enginetest.Names(*r.Attachment), "echo") {
		t.Errorf("attach: %q, %v", enginetest.Text(r), err)
	}
	if r, err := callEcho("retry"); err != nil || !r.IsError || !strings.Contains(enginetest.Text(r), "call it again") || r.Attachment == nil {
		t.Errorf("retry: %q, %v", enginetest.Text(r), err)
	}
	if _, err := callEcho("refuse"); enginetest.KindOf(err) != protocol.KindNotAttached {
		t.Errorf("refuse: %v", err)
	}
	a := h.Open("reports progress")
	loaded := enginetest.Call(h, h.TaskCall,
		protocol.TaskCallParams{Task: a.Task, Name: "mcp_load", Arguments: json.RawMessage(`{"names":["echo"]}`)})
	if loaded.Attachment == nil || !slices.Contains(enginetest.Names(*loaded.Attachment), "echo") || !strings.Contains(enginetest.Text(loaded), "echo") {
		t.Errorf("mcp_load by a call: %q", enginetest.Text(loaded))
	}
}

// TestTasks_looking: who looks at a task does not make it the latest.
func TestTasks_looking(t *testing.T) {
	t.Parallel()
	h := enginetest.Routed(t, nil)
	first, second := h.OpenRouted("send an e-mail").Task, h.OpenRouted("update the recipe").Task
	want := func(when string, tasks ...string) {
		t.Helper()
		var got []string
		for _, task := range h.Tasks().Tasks {
			got = append(got, task.Task)
		}
		if !slices.Equal(got, tasks) {
			t.Errorf("%s: %v, want %v", when, got, tasks)
		}
	}
	enginetest.Call(h, h.TaskExplain, protocol.TaskExplainParams{Task: first})
	enginetest.Call(h, h.TaskUsage, protocol.TaskUsageParams{Task: first})
	want("after a look", first, second)
	h.Turn(first, "and another")
	want("after a turn", second, first)
}

// A task that begins before its servers are up is told so, and its model can
// load what comes.
func TestTasks_openBeforeServersAreUp(t *testing.T) {
	t.Parallel()
	unanswering := configtest.Scripted(t, upstreamtest.Script{Ignore: []string{"initialize", "server/discover"}})
	h := enginetest.Start(t, enginetest.Options{Workspace: configtest.WorkspaceWith(t, configtest.Servers{"unanswering": unanswering}, nil)}, nil)
	h.UntilState("unanswering", protocol.ServerStarting)
	a := h.Open("count the sheep")
	if len(a.Tools) != 0 || len(a.MetaTools) != 1 || a.MetaTools[0].Name != "mcp_load" {
		t.Errorf("got %d tools and meta tools %+v, want mcp_load alone", len(a.Tools), a.MetaTools)
	}
	if len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "still starting") || !strings.Contains(a.Warnings[0], "unanswering") {
		t.Errorf("warnings %q, want one about unanswering", a.Warnings)
	}
}

// TestInspector_Try: a message that is tried gets the tools that a task would that
// begins with it, and leaves no trace.
func TestInspector_Try(t *testing.T) {
	t.Parallel()
	h := enginetest.Routed(t, nil)
	before := h.OpenRouted("archive the invoice")
	week := h.Tasks().Week
	const message = "send an e-mail"
	e, err := h.Engine.Inspector.Try(t.Context(), &protocol.TaskWhyParams{Task: before.Task, Message: message})
	if err != nil {
		t.Fatal(err)
	}
	tried, err := h.Engine.Inspector.Explain(t.Context(), e, &protocol.TaskExplainParams{})
	if err != nil {
		t.Fatal(err)
	}
	if list := h.Tasks(); len(list.Tasks) != 1 || list.Tasks[0].Turn != 1 || list.Week != week {
		t.Errorf("after it was tried there are the tasks %+v and the sums %+v", list.Tasks, list.Week)
	}
	var got, want []string
	for _, tool := range tried.Tools {
		if tool.Attached {
			got = append(got, tool.Name)
		}
	}
	real := h.OpenRouted(message)
	for _, tool := range real.Tools {
		want = append(want, tool.Name)
	}
	if !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("tried: %v, really: %v", got, want)
	}
	left := 0
	for _, day := range h.Tasks().Days {
		for _, tokens := range day.LeftOut {
			left += tokens
		}
	}
	sum := 0
	for _, a := range []protocol.Attachment{before, real} {
		sum += a.Tokens.All
		for _, tool := range a.Tools {
			sum -= tool.Tokens
		}
	}
	if left != sum {
		t.Errorf("%d tokens are left out in two requests, want %d", left, sum)
	}
}
