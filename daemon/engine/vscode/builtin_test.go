package vscode_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/protocol"
)

// agentTools returns what VS Code's agent offers of its own, besides n of a server.
func agentTools(h *enginetest.Host, n int) []protocol.RequestTool {
	return withAgents(handOver(h, n))
}

// withAgents adds what VS Code's agent offers of its own.
func withAgents(tools []protocol.RequestTool) []protocol.RequestTool {
	for name, about := range map[string]string{
		"run_in_terminal": "Runs a command.", "edit_notebook_file": "Edits a notebook of cells.",
		"vscode_renameSymbol": "Renames a symbol in all files.", "install_extension": "Installs an extension of the editor.",
		"session_store_sql": "Queries the store of sessions.", "view_image": "Shows a picture.",
		"get_vscode_api": "Looks up the editor's programming interface.", "kill_terminal": "Ends a terminal.",
	} {
		tools = append(tools, protocol.RequestTool{Name: name, Description: about, InputSchema: json.RawMessage(`{"type":"object"}`)})
	}
	slices.SortFunc(tools, func(a, b protocol.RequestTool) int { return strings.Compare(a.Name, b.Name) })
	return tools
}

// agentAsks is a request of VS Code's agent whose prompt names a tool.
func agentAsks(tools []protocol.RequestTool, chat, words string, more ...protocol.MessageDigest) protocol.ConversationRouteParams {
	prompt := protocol.MessageDigest{Role: "system", Parts: []protocol.MessagePart{{
		Kind: protocol.PartText, Text: "You are an agent. <notebooks>Use edit_notebook_file for notebooks.</notebooks>",
	}}}
	return protocol.ConversationRouteParams{
		Conversation: chat, Initiator: "github.copilot-chat", Source: listing, Tools: codec.Marshal(tools),
		Messages: slices.Concat([]protocol.MessageDigest{prompt}, asked(words), more),
	}
}

// offeredTo returns the names that a routed request offers, and those that it names.
func offeredTo(tools []protocol.RequestTool, r *protocol.ConversationRouteResult) (names []string, load string) {
	for _, i := range r.Keep {
		names = append(names, tools[i].Name)
	}
	for _, m := range r.Attachment.MetaTools {
		if m.Name == protocol.MetaLoad {
			load = m.Description
		}
	}
	return append(names, enginetest.Names(r.Attachment)...), load
}

// TestRoute_builtIn: by default VS Code's own tools pass untouched; `rare` leaves
// out what neither the prompt names nor everybody needs nor the chats have called
// nor the message asks for; `all` also what the prompt names, and says so. What is
// left out is named, however few tools there are.
func TestRoute_builtIn(t *testing.T) {
	t.Parallel()
	for choice, want := range map[protocol.BuiltInTools]struct{ carried, named, warned string }{
		protocol.BuiltInKeep: {"edit_notebook_file install_extension kill_terminal run_in_terminal session_store_sql vscode_renameSymbol", "", ""},
		protocol.BuiltInRare: {"edit_notebook_file run_in_terminal vscode_renameSymbol", "install_extension session_store_sql", ""},
		protocol.BuiltInAll:  {"run_in_terminal vscode_renameSymbol", "install_extension edit_notebook_file", "edit_notebook_file"},
	} {
		t.Run(string(choice), func(t *testing.T) {
			t.Parallel()
			h := enginetest.Start(t, enginetest.Options{}, map[string]any{"builtInTools": choice, "threshold": 5, "initialK": 4, "searchK": 1})
			tools := agentTools(h, 20)
			r := enginetest.Call(h, h.ConversationRoute, agentAsks(tools, "chat", "rename the symbol parse"))
			names, load := offeredTo(tools, &r)
			for name := range strings.FieldsSeq(want.carried) {
				if !slices.Contains(names, name) {
					t.Errorf("%s is not carried: %q", name, names)
				}
			}
			for name := range strings.FieldsSeq(want.named) {
				if slices.Contains(names, name) || !strings.Contains(load, name) {
					t.Errorf("%s is carried, or not named: %q, %s", name, names, load)
				}
			}
			if got := strings.Join(r.Attachment.Warnings, "\n"); strings.Contains(got, "edit_notebook_file") != (want.warned != "") {
				t.Errorf("warnings %q", got)
			}
			if len(h.Catalog().Consents) > 0 {
				t.Error("the lock asks about VS Code's own tools")
			}
		})
	}
}

// TestRoute_builtInOthers: the tools that another extension gives its own request
// are not VS Code's, and go along whatever is chosen.
func TestRoute_builtInOthers(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, map[string]any{"builtInTools": "all", "threshold": 5, "initialK": 4})
	handOver(h, 20)
	p := agentAsks([]protocol.RequestTool{{Name: "answer_form", Description: "Answers.", InputSchema: json.RawMessage(`{"type":"object"}`)}}, "", "fill in the form")
	p.Initiator = "publisher.extension"
	if r := enginetest.Call(h, h.ConversationRoute, p); !r.Pass || !slices.Equal(r.Keep, []int{0}) {
		t.Errorf("pass %t, kept %v; the extension's only tool is left out", r.Pass, r.Keep)
	}
}

// TestRoute_builtInOffer: to leave out what is rare is offered once, with its figure,
// where that saves a fifth of a request, and not where the setting does nothing.
func TestRoute_builtInOffer(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Does something. ", 100)
	for _, tt := range []struct {
		strategy    protocol.Strategy
		description string
		want        int
	}{{protocol.StrategyWindow, "Does something.", 0}, {protocol.StrategyWindow, long, 1}, {protocol.StrategyDispatch, long, 0}} {
		description, want := tt.description, tt.want
		h := enginetest.Start(t, enginetest.Options{Storage: t.TempDir()}, map[string]any{"threshold": 5, "initialK": 4, "strategy": tt.strategy})
		tools := agentTools(h, 20)
		for i := range tools {
			if tools[i].Name == "session_store_sql" {
				tools[i].Description = description
			}
		}
		enginetest.Call(h, h.ConversationRoute, agentAsks(tools, "chat", "read note 3"))
		enginetest.Call(h, h.ConversationRoute, agentAsks(tools, "another", "read note 3"))
		offers := slices.DeleteFunc(h.Messages(), func(m protocol.ShowMessageParams) bool { return m.Setting != "winnow.builtInTools" })
		if len(offers) != want || want > 0 && !strings.Contains(offers[0].Message, "% of this chat's requests") {
			t.Errorf("described by %d bytes: got %+v, want %d offers", len(description), offers, want)
		}
	}
}

// TestRoute_leanOffer: the profile lean is offered once, with its figure, where it
// saves a fifth of a first request, and not to who has chosen how many tools go along.
func TestRoute_leanOffer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings map[string]any
		tools    int
		want     int
	}{
		"many":     {nil, 200, 1},
		"few":      {nil, 30, 0},
		"chosen":   {map[string]any{"initialK": 30, "named": 60}, 200, 0},
		"lean":     {map[string]any{"profile": "lean"}, 200, 0},
		"watching": {map[string]any{"shadow": true}, 200, 0},
	} {
		h := enginetest.Start(t, enginetest.Options{Storage: t.TempDir()}, tt.settings)
		tools := withAgents(handOverSaying(h, tt.tools, strings.Repeat(" A note is what the user has written down.", 10)))
		for _, chat := range []string{"chat", "another"} {
			enginetest.Call(h, h.ConversationRoute, agentAsks(tools, chat, "read note 3"))
		}
		offers := slices.DeleteFunc(h.Messages(), func(m protocol.ShowMessageParams) bool { return m.Setting != "winnow.profile" })
		if len(offers) != tt.want || tt.want > 0 && !strings.Contains(offers[0].Message, "The profile lean would save about") {
			t.Errorf("%s: got %+v, want %d offers", name, offers, tt.want)
		}
	}
}

// TestRoute_builtInCalled: a tool of VS Code's that was left out runs when the model
// calls it, is attached from then on, and the next chat carries it from the start.
// The chat's own list changes by nothing else.
func TestRoute_builtInCalled(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, map[string]any{"builtInTools": "rare", "threshold": 5, "initialK": 4, "searchK": 3})
	tools := agentTools(h, 20)
	const rare = "session_store_sql"
	first := enginetest.Call(h, h.ConversationRoute, agentAsks(tools, "chat", "read note 3"))
	before, _ := offeredTo(tools, &first)
	called := enginetest.Call(h, h.ConversationCall, protocol.ConversationCallParams{Task: first.Task, Name: rare})
	if called.Host == nil || called.Host.Name != rare {
		t.Fatalf("got %+v, want VS Code to run %s", called, rare)
	}
	part := protocol.MessagePart{Kind: protocol.PartCall, CallID: "c1", Name: rare}
	enginetest.Call(h, h.ConversationAnswer, protocol.ConversationAnswerParams{
		Task: first.Task, Request: first.Request, Calls: []string{"c1"}, Parts: []protocol.AnswerPart{{Call: "c1", Part: codec.Marshal(part)}},
	})
	after := []protocol.MessageDigest{
		{Role: "assistant", Parts: []protocol.MessagePart{part}},
		{Role: "user", Parts: []protocol.MessagePart{{Kind: protocol.PartResult, CallID: "c1"}}},
	}
	second := enginetest.Call(h, h.ConversationRoute, agentAsks(tools, "chat", "read note 3", after...))
	if names, _ := offeredTo(tools, &second); !slices.Equal(names, append(before, rare)) {
		t.Errorf("got %q, want %q and %s", names, before, rare)
	}
	third := enginetest.Call(h, h.ConversationRoute, agentAsks(tools, "another", "read note 3"))
	if at := slices.IndexFunc(third.Keep, func(i int) bool { return tools[i].Name == rare }); at < 0 {
		names, _ := offeredTo(tools, &third)
		t.Errorf("the next chat carries %q, without %s", names, rare)
	}
}
