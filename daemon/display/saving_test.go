package display

import (
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// costing makes a task that costs 3,000 tokens, and would cost client tokens by
// itself.
func costing(client int, shadow bool) *protocol.TaskSummary {
	return &protocol.TaskSummary{
		Client: true, Shadow: shadow,
		Tokens: protocol.AttachedTokens{All: 19_000, Attached: 3000, Saved: 16_000, Client: client, ClientSaved: client - 3000},
	}
}

func TestSaving(t *testing.T) {
	t.Parallel()
	unknown := costing(6100, false)
	unknown.Client = false
	for _, c := range []struct {
		task                    *protocol.TaskSummary
		saving, compared, costs string
	}{
		{
			costing(6100, false), "saves 3.1k", "3.1k tokens fewer than VS Code by itself",
			"Its requests carry 3,000 tokens of MCP tools. VS Code by itself, with what it hides behind groups, sends 6,100 tokens. All of the tools cost 19,000 tokens.",
		},
		{
			costing(6100, true), "would save 3.1k", "3.1k tokens fewer than VS Code by itself",
			"Its requests would carry 3,000 tokens of MCP tools. VS Code by itself, with what it hides behind groups, sends 6,100 tokens. All of the tools cost 19,000 tokens.",
		},
		{
			unknown, "saves 3.1k", "3.1k tokens fewer than all of them",
			"Its requests carry 3,000 tokens of MCP tools. All of the tools cost 19,000 tokens.",
		},
		{
			costing(19_000, false), "saves 16k", "16k tokens fewer than VS Code by itself",
			"Its requests carry 3,000 tokens of MCP tools. All of the tools cost 19,000 tokens.",
		},
		{
			costing(2700, false), "costs 300 more", "300 tokens more than VS Code by itself",
			"Its requests carry 3,000 tokens of MCP tools. VS Code by itself, with what it hides behind groups, sends 2,700 tokens. All of the tools cost 19,000 tokens.",
		},
		{
			costing(2700, true), "would cost 300 more", "300 tokens more than VS Code by itself",
			"Its requests would carry 3,000 tokens of MCP tools. VS Code by itself, with what it hides behind groups, sends 2,700 tokens. All of the tools cost 19,000 tokens.",
		},
		{
			costing(3000, false), "", "",
			"Its requests carry 3,000 tokens of MCP tools. VS Code by itself, with what it hides behind groups, sends 3,000 tokens. All of the tools cost 19,000 tokens.",
		},
	} {
		if got := saving(c.task); got != c.saving {
			t.Errorf("saving: got %q, want %q", got, c.saving)
		}
		if got := compared(c.task); got != c.compared {
			t.Errorf("compared: got %q, want %q", got, c.compared)
		}
		if got := costs(c.task); got != c.costs {
			t.Errorf("costs: got %q, want %q", got, c.costs)
		}
	}
}

func TestUsed(t *testing.T) {
	t.Parallel()
	for u, want := range map[protocol.UsedTools]string{
		{}:                                    "",
		{Called: 1, InHand: 1}:                "The model called 1 tool: it was in hand from the start.",
		{Called: 1}:                           "The model called 1 tool: it was not in hand from the start.",
		{Called: 2, InHand: 1}:                "The model called 2 tools: 1 was in hand from the start.",
		{Called: 2, InHand: 2}:                "The model called 2 tools: all were in hand from the start.",
		{Called: 3, InHand: 2, GroupCalls: 1}: "The model called 3 tools: 2 were in hand from the start; 1 call to open a group of VS Code's avoided.",
		{Called: 3, GroupCalls: 2}:            "The model called 3 tools: none was in hand from the start; 2 calls to open groups of VS Code's avoided.",
	} {
		if got := used(&u); got != want {
			t.Errorf("used(%+v) = %q, want %q", u, got, want)
		}
	}
}

func TestWeek(t *testing.T) {
	t.Parallel()
	for w, want := range map[protocol.WeekSavings]string{
		{Monday: "2026-11-16"}: "",
		{Tasks: 1, Requests: 41, ClientSaved: -900, Saved: 38_000}: "This week: 41 requests of 1 task, 900 tokens more than the clients by themselves, 38k tokens fewer than with every tool.",
	} {
		if got := week(&w); got != want {
			t.Errorf("week(%+v) = %q, want %q", w, got, want)
		}
	}
}
