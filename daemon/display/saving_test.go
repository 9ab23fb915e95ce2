package display

import (
	"fmt"
	"slices"
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
	loads := costing(6100, false)
	loads.Tokens.Meta = 855
	unknown := costing(6100, false)
	unknown.Client = false
	computed := costing(6100, false)
	computed.ClientComputed = true
	few := costing(2900, false)
	few.Tokens.All = 2900
	const itself = " VS Code by itself, with these servers in its own file and what it hides behind groups, "
	const all = " All of the tools cost 19,000 tokens."
	for _, c := range []struct {
		task                    *protocol.TaskSummary
		rest                    int
		saving, compared, costs string
	}{
		{costing(6100, false), 0, "saves 3.1k", "3.1k tokens fewer than VS Code by itself", "Its requests carry 3,000 tokens of MCP tools." + itself + "sends 6,100 tokens." + all},
		{costing(6100, false), 9400, "saves 20%", "20% of the request less than VS Code by itself, 3.1k tokens", "Its requests carry 3,000 tokens of MCP tools." + itself + "sends 6,100 tokens." + all},
		{costing(6100, true), 9400, "would save 20%", "20% of the request less than VS Code by itself, 3.1k tokens", "Its requests would carry 3,000 tokens of MCP tools." + itself + "sends 6,100 tokens." + all},
		{computed, 0, "saves about 3.1k", "about 3.1k tokens fewer than VS Code by itself", "Its requests carry 3,000 tokens of MCP tools." + itself + "would send about 6,100 tokens." + all},
		{loads, 0, "saves 3.1k", "3.1k tokens fewer than VS Code by itself", "Its requests carry 2,145 tokens of MCP tools and 855 of Winnow's own." + itself + "sends 6,100 tokens." + all},
		{unknown, 0, "saves 3.1k", "3.1k tokens fewer than all of them", "Its requests carry 3,000 tokens of MCP tools." + all},
		{costing(19_000, false), 0, "saves 16k", "16k tokens fewer than VS Code by itself", "Its requests carry 3,000 tokens of MCP tools." + all},
		{costing(3000, false), 9400, "", "", "Its requests carry 3,000 tokens of MCP tools." + itself + "sends 3,000 tokens." + all},
		// What costs more says why, and what to do, and no figure alone.
		{costing(2700, false), 9400, "", "", "Its requests carry 3,000 tokens of MCP tools." + itself + "sends 2,700 tokens." + all +
			" Nothing is saved here: VS Code hides more behind groups than the 0 attached tools leave out. A lower winnow.initialK saves tokens."},
		// The same where VS Code hides nothing.
		{few, 0, "", "", "Its requests carry 3,000 tokens of MCP tools. All of the tools cost 2,900 tokens." +
			" Nothing is saved here: the few tools that are left out cost less than Winnow's own. A lower winnow.initialK saves tokens."},
	} {
		if got := saving(c.task, c.rest); got != c.saving {
			t.Errorf("saving: got %q, want %q", got, c.saving)
		}
		if got := compared(c.task, c.rest); got != c.compared {
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
		{Called: 1, InHand: 1}:                "The model asked to call 1 tool: it was attached before.",
		{Called: 1}:                           "The model asked to call 1 tool: it was not attached before.",
		{Called: 2, InHand: 1}:                "The model asked to call 2 tools: 1 was attached before.",
		{Called: 2, InHand: 2}:                "The model asked to call 2 tools: all were attached before.",
		{Called: 3, InHand: 2, GroupCalls: 1}: "The model asked to call 3 tools: 2 were attached before; 1 call to open a group of VS Code's avoided.",
		{Called: 3, GroupCalls: 2}:            "The model asked to call 3 tools: none was attached before; 2 calls to open groups of VS Code's avoided.",
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
		{Tasks: 1, Requests: 41, Client: 3000, ClientSaved: -900, Saved: 38_000}:     "This week, 41 requests of 1 task: 38k tokens fewer than with every tool.",
		{Tasks: 2, Requests: 41, Client: 40_000, ClientSaved: 10_000, Saved: 38_000}: "This week, 41 requests of 2 tasks: 25% of the tokens of MCP tools saved against what your clients send without Winnow, 10k; 38k against every tool.",
	} {
		if got := week(&w); got != want {
			t.Errorf("week(%+v) = %q, want %q", w, got, want)
		}
	}
}

// The chart has a bar a day, the latest first, and its parts are the servers' sums.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	if got := leftOutOf([]protocol.DaySavings{{Day: "2026-11-20", Requests: 3}}); got != nil {
		t.Errorf("a chart of nothing: %+v", got)
	}
	many := map[string]int{"files": 600, "memory": 200, "a": 50, "b": 40, "c": 30, "d": 20, "e": 10}
	chart := leftOutOf([]protocol.DaySavings{
		{Day: "2026-11-20", Requests: 1, LeftOut: map[string]int{"memory": 50}}, {Day: "2026-11-23", Requests: 4, LeftOut: many},
	})
	var servers []string
	for _, row := range chart.Servers {
		servers = append(servers, fmt.Sprint(row.Name, " ", row.Tokens, " ", row.Share, " ", *row.Color))
	}
	want := []string{"files 600 60% 0", "memory 250 25% 1", "a 50 5% 2", "b 40 4% 3", "c 30 3% 4", "2 other servers 30 3% 5"}
	if !slices.Equal(servers, want) || chart.Sum.Tokens != "1,000" {
		t.Errorf("got %v of %s, want %v", servers, chart.Sum.Tokens, want)
	}
	last, first := chart.Days[0], chart.Days[1]
	if last.Label != "Mon 23 Nov" || last.Size != "950 tokens in 4 requests" || len(last.Segments) != 6 || first.Label != "Fri 20 Nov" {
		t.Errorf("the days are %+v", chart.Days)
	}
	length := 0.0
	for _, segment := range last.Segments {
		length += segment.Length
	}
	if length < 0.999 || length > 1.001 || first.Segments[0].Color != 1 {
		t.Errorf("the longest day has the length %v, and the other the colour %d", length, first.Segments[0].Color)
	}
}
