package display

import (
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// explained makes the explanation of a tool, as change leaves it.
func explained(name string, change func(*protocol.ExplainedTool)) protocol.ExplainedTool {
	tool := protocol.ExplainedTool{
		Server: "files", Tool: name, Name: name, Attached: true, Turn: 1, Reason: protocol.ReasonRanked,
		Rank: 1, Score: 2, Tokens: 210, Sentence: "It fits the message.", Verdict: "Attached at turn 1",
	}
	if change != nil {
		change(&tool)
	}
	return tool
}

// What was called comes first, then what fits best; the rest keeps its order.
func TestByRelevance(t *testing.T) {
	t.Parallel()
	ranked := func(rank int, called bool) func(*protocol.ExplainedTool) {
		return func(e *protocol.ExplainedTool) { e.Rank, e.Called = rank, called }
	}
	var got []string
	for _, tool := range byRelevance([]protocol.ExplainedTool{
		explained("a", ranked(0, false)), explained("b", ranked(2, false)), explained("c", ranked(1, false)),
		explained("d", ranked(9, true)), explained("e", ranked(0, false)),
	}) {
		got = append(got, tool.Name)
	}
	if want := []string{"d", "c", "b", "a", "e"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The tools of a task keep their order, the missed ones first.
func TestTaskTools(t *testing.T) {
	t.Parallel()
	rows := TaskTools([]protocol.ExplainedTool{
		explained("mcp_files_b", nil),
		explained("mcp_files_a", func(e *protocol.ExplainedTool) { e.Turn, e.Reason = 2, protocol.ReasonLoaded }),
		explained("mcp_files_out", func(e *protocol.ExplainedTool) { e.Attached = false }),
		explained("mcp_files_gone", func(e *protocol.ExplainedTool) { e.Attached, e.Missed = false, true }),
		explained("b", func(e *protocol.ExplainedTool) { e.Server = "other" }),
	})
	want := [][2]string{
		{"gone", "missed · 210"},
		{"b", "files · 210"},
		{"a", "loaded · turn 2 · 210"},
		{"b", "other · 210"},
	}
	var got [][2]string
	for _, row := range rows {
		got = append(got, [2]string{row.Row.Label, row.Row.Description})
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if want := (protocol.ToolRef{Server: "files", Tool: "mcp_files_gone"}); rows[0].Tool != want {
		t.Errorf("the first row is of %v, want %v", rows[0].Tool, want)
	}
}

func TestTaskToolRow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change               func(*protocol.ExplainedTool)
		accessibility        string
		icon, color, context string
	}{
		{nil, "read, 210 tokens, ranked for the message, of server files", "tools", "", "taskTool.attached"},
		{
			func(e *protocol.ExplainedTool) { e.Missed = true },
			"read, missed, 210 tokens, called without being attached, of server files", "warning", "charts.yellow", "taskTool.missed",
		},
		{
			func(e *protocol.ExplainedTool) { e.Cause = &protocol.Cause{Kind: protocol.CauseGone} },
			"read, 210 tokens, ranked for the message, of server files, cannot be called: its server no longer offers it",
			"circle-slash", "disabledForeground", "taskTool.attached",
		},
		{
			func(e *protocol.ExplainedTool) { e.Called = true },
			"read, 210 tokens, ranked for the message, of server files", "check", "charts.green", "taskTool.attached",
		},
		{
			func(e *protocol.ExplainedTool) { e.Reason = protocol.ReasonPinned },
			"read, always, 210 tokens, always loaded, of server files", "pinned", "charts.blue", "taskTool.attached",
		},
		{
			func(e *protocol.ExplainedTool) { e.Reason = protocol.ReasonEarlyCall },
			"read, early call, 210 tokens, called before it was attached, of server files", "cloud-download", "charts.purple", "taskTool.attached",
		},
	} {
		tool := explained("read", c.change)
		row := taskToolRow(&tool, "read", false)
		if row.Accessibility != c.accessibility {
			t.Errorf("accessibility is %q, want %q", row.Accessibility, c.accessibility)
		}
		if row.Icon.ID != c.icon || row.Icon.Color != c.color || row.Context != c.context {
			t.Errorf("got %+v of %s, want %s in %s of %s", row.Icon, row.Context, c.icon, c.color, c.context)
		}
	}
}
