package stateless_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/protocol"
)

// kept is an engine with the tools of a host that keeps what it learns in a
// storage path.
func kept(t *testing.T, storage string) *enginetest.Host {
	t.Helper()
	h := enginetest.Start(t, enginetest.Options{Storage: storage}, map[string]any{"initialK": 5})
	h.HandOver(200)
	return h
}

// called makes a call of a tool in a conversation.
func called(h *enginetest.Host, a *protocol.Attachment, name, arguments string) protocol.TaskCallResult {
	return enginetest.Call(h, h.ConversationCall, protocol.ConversationCallParams{
		Task: a.Task, Name: name, Arguments: json.RawMessage(arguments),
	})
}

// internalRound reports an answer of a model that only calls mcp_load, with what
// it was told, and then one that is a text.
func internalRound(t *testing.T, h *enginetest.Host, r *protocol.ConversationRouteResult, told string) {
	t.Helper()
	p := protocol.ConversationAnswerParams{
		Task: r.Task, Request: r.Request, Calls: []string{},
		Parts:   []protocol.AnswerPart{{Call: "h1", Part: json.RawMessage(`{"mine":1}`)}},
		Answers: []protocol.CallAnswer{{Call: "h1", Text: told}},
	}
	if next := enginetest.Call(h, h.ConversationAnswer, p).Next; next != protocol.NextSend {
		t.Errorf("after a load: got %q, want %q", next, protocol.NextSend)
	}
	p.Parts, p.Answers = nil, nil
	if next := enginetest.Call(h, h.ConversationAnswer, p).Next; next != protocol.NextEnd {
		t.Errorf("after a text: got %q, want %q", next, protocol.NextEnd)
	}
}

// textIn is the text of a result's first block.
func textIn(t *testing.T, r *protocol.TaskCallResult) string {
	t.Helper()
	var block struct{ Text string }
	if len(r.Content) == 0 {
		t.Fatalf("got no content in %+v", r)
	}
	if err := json.Unmarshal(r.Content[0], &block); err != nil {
		t.Fatal(err)
	}
	return block.Text
}

// TestConversation_calls: the host runs its own tools, and all else is an
// answer for the model, what is refused too.
func TestConversation_calls(t *testing.T) {
	t.Parallel()
	h := enginetest.Routed(t, map[string]any{"initialK": 3})
	routed := h.Route(protocol.ConversationRouteParams{Messages: enginetest.Digests("s u1"), Message: "send an e-mail"})
	a := routed.Attachment
	if a.State != nil || routed.Request != 1 || routed.Title != "send an e-mail" {
		t.Errorf("got request %d, title %q and state %v, want 1, the message and none", routed.Request, routed.Title, a.State)
	}
	for _, tc := range []struct{ name, arguments, host, want string }{
		{"mcp_mail_send", `{"to":"me"}`, "mcp_mail_send", `{"to":"me"}`},
		{"MCP-mail_send", `"{\"to\":\"me\"}"`, "mcp_mail_send", `{"to":"me"}`},
		{"mcp_mail_send", `"nonsense"`, "mcp_mail_send", `{}`},
	} {
		r := called(h, &a, tc.name, tc.arguments)
		if r.Host == nil || r.Host.Name != tc.host || string(r.Host.Arguments) != tc.want {
			t.Errorf("%s with %s: got %+v, want the host to run %s with %s", tc.name, tc.arguments, r.Host, tc.host, tc.want)
		}
	}
	for _, tc := range []struct{ name, arguments, want string }{
		{"no_such_tool", `{}`, "Error: there is no tool"},
		{"mcp_load", `{}`, "give a query, or names"},
		{"mcp_load", `{"names":"mcp_mail_send"}`, "mcp_mail_send"},
	} {
		r := called(h, &a, tc.name, tc.arguments)
		if text := textIn(t, &r); r.Host != nil || !strings.Contains(text, tc.want) {
			t.Errorf("%s with %s: got %q, want %q in it", tc.name, tc.arguments, text, tc.want)
		}
	}
	if e := enginetest.Refused(h, h.ConversationCall, protocol.ConversationCallParams{Task: "none", Name: "x"}); e.Data.Kind != protocol.KindUnknownTask {
		t.Errorf("a call of an unknown task: got %v, want kind %s", e, protocol.KindUnknownTask)
	}
}

// TestConversation_reload: a later daemon goes on with the same tools, and
// knows what the model did that its client never saw.
func TestConversation_reload(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	h := kept(t, storage)
	first := h.Route(protocol.ConversationRouteParams{Conversation: "chat", Messages: enginetest.Digests("s u1"), Message: "send an e-mail"})
	loaded := called(h, &first.Attachment, "mcp_load", `{"names":["mcp_recipe_update"],"query":"update the recipe"}`)
	internalRound(t, h, &first, textIn(t, &loaded))
	h.Close()

	h = kept(t, storage)
	second := h.Route(protocol.ConversationRouteParams{Conversation: "chat", Messages: enginetest.Digests("s u1 a1 u2"), Message: "send an e-mail"})
	want := enginetest.Names(*loaded.Attachment)
	if got := enginetest.Names(second.Attachment); second.Task != first.Task || second.Title != "send an e-mail" || !slices.Equal(got[:len(want)], want) {
		t.Errorf("got the task %s with %v, want %s with %v", second.Task, got, first.Task, want)
	}
	if len(second.Internal) != 1 || second.Internal[0].Message != 2 || string(second.Internal[0].Rounds[0].Parts[0]) != `{"mine":1}` {
		t.Errorf("got %+v, want the round before the third message", second.Internal)
	}
	h.ClearLearned()
	if files, err := filepath.Glob(filepath.Join(storage, "conversations", "*")); err != nil || len(files) != 0 {
		t.Errorf("got %v, %v after everything was cleared; want nothing", files, err)
	}
}

// TestConversation_swappedPrefixes: after a reload VS Code may have swapped the prefixes
// of two servers. What a conversation had is there by its present name, and no tool
// stands for another server's.
func TestConversation_swappedPrefixes(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	open := func(cellar, quarry string, missing bool) *enginetest.Host {
		h := enginetest.Start(t, enginetest.Options{Storage: storage}, map[string]any{"initialK": 5})
		tools := enginetest.HostTools(200)
		for _, name := range []string{"list", "rack_list"} {
			tools = append(tools, protocol.HostTool{Server: "quarry", Name: quarry + name, Tool: name, Description: "Digs for stones of granite."})
			if !missing || name == "list" {
				tools = append(tools, protocol.HostTool{Server: "cellar", Name: cellar + name, Tool: name, Description: "Counts the bottles of wine in the cellar."})
			}
		}
		enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: "host", Tools: tools})
		return h
	}
	names := func(a *protocol.Attachment) (names []string) {
		for _, one := range a.Tools {
			if strings.Contains(one.Description, "wine") {
				names = append(names, one.Name)
			}
		}
		slices.Sort(names)
		return names
	}
	p := protocol.ConversationRouteParams{Source: "host", Conversation: "c", Messages: enginetest.Digests("s u1"), Message: "count the bottles of wine"}
	h := open("mcp_changing2_", "mcp_changing5_", false)
	before := h.Route(p)
	if got := names(&before.Attachment); !slices.Equal(got, []string{"mcp_changing2_list", "mcp_changing2_rack_list"}) {
		t.Fatalf("before: %q", got)
	}
	h.Close()
	p.Messages, p.Message = enginetest.Digests("s u1 a u2"), "and the peas"
	h = open("mcp_changing5_", "mcp_changing2_", true)
	after := h.Route(p)
	if got := names(&after.Attachment); !slices.Equal(got, []string{"mcp_changing5_list"}) || after.Task != before.Task {
		t.Errorf("after: %q of task %s, want the one that is there, of %s", got, after.Task, before.Task)
	}
}

// TestConversation_named: a task that is open is found by the conversation that
// its client gives it later, and what the user loads between two requests is
// kept with it, with what its model did and its client never saw.
func TestConversation_named(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	h := kept(t, storage)
	open := enginetest.Call(h, h.TaskOpen,
		protocol.TaskOpenParams{Message: "send an e-mail", Source: "host", WantState: true})
	named := *open.State
	named.Conversation = "mine"
	enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{State: &named})
	first := h.Route(protocol.ConversationRouteParams{Conversation: "mine", Messages: enginetest.Digests("s u1"), Message: "send an e-mail"})
	if first.Task != open.Task || !first.NewTurn || first.Compacted {
		t.Errorf("got %+v, want a turn of task %s", first, open.Task)
	}
	internalRound(t, h, &first, "loaded")
	loaded := enginetest.Call(h, h.TaskLoad,
		protocol.TaskLoadParams{Task: open.Task, Names: []string{"mcp_recipe_update"}, WantState: true})
	h.Close()

	h = kept(t, storage)
	// A look at the task, before its next request, must not cost what is kept of it.
	enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{State: loaded.Attachment.State})
	second := h.Route(protocol.ConversationRouteParams{Conversation: "mine", Messages: enginetest.Digests("s u1 a1 u2"), Message: "go on"})
	if second.Task != open.Task || !slices.Contains(enginetest.Names(second.Attachment), "mcp_recipe_update") {
		t.Errorf("got task %s with %v, want %s with what was loaded", second.Task, enginetest.Names(second.Attachment), open.Task)
	}
	if len(second.Internal) != 1 {
		t.Errorf("got %+v, want what its client never saw", second.Internal)
	}
}
