package vscode_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestRecord: the record has each call that VS Code runs, at once as handed over and
// then as the next request tells; one that it does not tell of is unknown. Of
// arguments it has a hash, unless the setting says more.
func TestRecord(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{Storage: t.TempDir()}, map[string]any{"threshold": 5, "initialK": 4})
	tools := agentTools(h, 20)
	route := func(chat string, more ...protocol.MessageDigest) protocol.ConversationRouteResult {
		return enginetest.Call(h, h.ConversationRoute, agentAsks(tools, chat, "read note 3", more...))
	}
	said := map[string]string{
		"a1": "contents", "a2": "ERROR while calling tool: no such file", "a3": "The user chose to skip the tool call", "a4": "The user cancelled the tool call.",
	}
	ids := []string{"a1", "a2", "a3", "a4", "a5"}
	names := []string{"read_file", "run_in_terminal", "mcp_notes_tool_3", "mcp_notes_tool_4", "view_image"}
	message := protocol.MessageDigest{Role: "assistant"}
	answer := protocol.ConversationAnswerParams{Calls: ids}
	var results []protocol.MessageDigest
	for i, id := range ids {
		part := protocol.MessagePart{Kind: protocol.PartCall, CallID: id, Name: names[i], Input: []byte(`{"secret":"words"}`)}
		message.Parts = append(message.Parts, part)
		answer.Parts = append(answer.Parts, protocol.AnswerPart{Call: id, Part: codec.Marshal(part)})
		if text, ok := said[id]; ok {
			results = append(results, protocol.MessageDigest{Role: "user", Parts: []protocol.MessagePart{{
				Kind: protocol.PartResult, CallID: id + "__vscode-1", Content: []protocol.MessagePart{{Kind: protocol.PartText, Text: text}},
			}}})
		}
	}
	outcomes := func() []string {
		list, err := h.Engine.Record.List(context.Background(), &protocol.JournalListParams{})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, e := range list.Entries {
			if !strings.Contains(e.Title, "/") {
				continue // the lock's
			}
			if strings.Contains(string(e.Record), "secret") {
				t.Errorf("the record has the arguments: %s", e.Record)
			}
			all = append(all, e.Title+" "+e.Outcome)
		}
		slices.Sort(all)
		return all
	}
	routed := route("chat")
	answer.Task, answer.Request = routed.Task, routed.Request
	enginetest.Call(h, h.ConversationAnswer, answer)
	if got := outcomes(); len(got) != 5 || strings.Count(strings.Join(got, "\n"), "handed to VS Code") != 5 {
		t.Errorf("got %q at once, want five calls handed over", got)
	}
	route("another")
	route("chat", slices.Concat([]protocol.MessageDigest{message}, results)...)
	want := []string{
		"Notes/mcp_notes_tool_3 skipped", "Notes/mcp_notes_tool_4 cancelled",
		"VS Code/read_file answered", "VS Code/run_in_terminal failed", "VS Code/view_image unknown",
	}
	if got := outcomes(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
