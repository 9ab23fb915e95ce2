package display

import (
	"math"
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// usageOf makes the usage of a task, as change leaves it.
func usageOf(change func(*protocol.TaskUsageResult)) *protocol.TaskUsageResult {
	free := 13_000
	u := &protocol.TaskUsageResult{
		Total: 7000, Unrouted: 15_000, Client: 9000, ContextTokens: 20_000, Free: &free,
		Sections: []protocol.UsageSection{
			{Name: "System prompt", Tokens: 4000},
			{Name: "Conversation", Tokens: 1000},
			{Name: "MCP tools", Tokens: 1900, Children: []protocol.UsageSection{
				{Name: "github", Tokens: 1500, Children: []protocol.UsageSection{{Name: "create_issue", Tokens: 1500}}},
				{Name: "files", Tokens: 400, Children: []protocol.UsageSection{{Name: "mcp_files_read_file", Tokens: 400}}},
			}},
			{Name: "Winnow", Tokens: 100},
		},
		Turns: []protocol.UsageTurn{{Turn: 1, Added: 1, Tokens: 1500}, {Turn: 2, Added: 1, Tokens: 400}},
	}
	if change != nil {
		change(u)
	}
	return u
}

var filesTools = []protocol.ToolInfo{
	{Server: "files", Name: "mcp_files_read_file"}, {Server: "files", Name: "mcp_files_write_file"},
}

// panelOf makes the panel of a task.
func panelOf(u *protocol.TaskUsageResult, task *protocol.TaskSummary) protocol.TaskUsageRowsResult {
	list := &protocol.TaskListResult{
		Tasks: []protocol.TaskSummary{*task, *summary(func(t *protocol.TaskSummary) { t.Task = "task-2" })},
		Week:  protocol.WeekSavings{Tasks: 1, Requests: 2, ClientSaved: 16, Saved: 20},
	}
	params := &protocol.TaskUsageRowsParams{TaskUsageParams: protocol.TaskUsageParams{Task: "task-1", Sections: u.Sections[:min(2, len(u.Sections)-1)]}, Model: "GPT"}
	return Usage(params, u, list, filesTools)
}

// The head says what was attached and saved, and of which task.
func TestUsage_head(t *testing.T) {
	t.Parallel()
	panel := panelOf(usageOf(nil), summary(func(t *protocol.TaskSummary) {
		t.Mode, t.Used = "review", protocol.UsedTools{Called: 2, InHand: 1}
		t.MissedTools, t.Warnings = missedTools("write_file"), []string{"3 pinned tools do not fit"}
	}))
	for _, c := range []struct{ got, want string }{
		{panel.Summary, "Attached 30 of 200 tools, 8k tokens fewer than all of them."},
		{panel.Details, "GPT · mode review · turn 2"},
		{panel.Used, "The model asked to call 2 tools: 1 was attached before."},
		{panel.Week, "This week, 2 requests of 1 task: 20 tokens fewer than with every tool."},
		{panel.Shadow, ""},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	want := []string{"Missed: write_file of files. The model called it, and routing would not have attached it.", "3 pinned tools do not fit."}
	if !slices.Equal(panel.Notes, want) {
		t.Errorf("got the notes %q, want %q", panel.Notes, want)
	}
}

// A request that costs more than VS Code's says why, and which setting to lower.
func TestUsage_costly(t *testing.T) {
	t.Parallel()
	saves := panelOf(usageOf(nil), summary(nil))
	if saves.Costly != "" || saves.CostlySetting != "" {
		t.Errorf("where it saves: %q, %q", saves.Costly, saves.CostlySetting)
	}
	panel := panelOf(usageOf(nil), summary(func(t *protocol.TaskSummary) {
		t.Client, t.Tokens.Client, t.Tokens.ClientSaved = true, 2000, -200
	}))
	const want = "Nothing is saved here: VS Code hides more behind groups than the 30 attached tools leave out. A lower winnow.initialK saves tokens."
	if panel.Costly != want || panel.CostlySetting != "winnow.initialK" {
		t.Errorf("got %q, %q", panel.Costly, panel.CostlySetting)
	}
	if want := "Attached 30 of 200 tools."; panel.Summary != want {
		t.Errorf("got %q, want %q", panel.Summary, want)
	}
}

// Shadow mode shows what routing would have sent.
func TestUsage_shadow(t *testing.T) {
	t.Parallel()
	panel := panelOf(usageOf(func(u *protocol.TaskUsageResult) { u.Shadow = true }), summary(func(t *protocol.TaskSummary) {
		t.Shadow, t.Missed = true, 2
	}))
	if want := "Would attach 30 of 200 tools, 8k tokens fewer than all of them."; panel.Summary != want {
		t.Errorf("got %q, want %q", panel.Summary, want)
	}
	if want := "GPT · turn 2 · 2 missed"; panel.Details != want {
		t.Errorf("got %q, want %q", panel.Details, want)
	}
	contains(t, panel.Shadow, "Shadow mode: nothing is changed")
	var labels []string
	for _, bar := range panel.Bars {
		labels = append(labels, bar.Label)
	}
	if want := []string{"With every tool", "VS Code by itself", "Winnow would send", "The model's window"}; !slices.Equal(labels, want) {
		t.Errorf("got the bars %q, want %q", labels, want)
	}
}

// The bars hold every token, before and after: each segment begins where the one
// before it ends, and the last one where the bar does.
func TestUsageBars(t *testing.T) {
	t.Parallel()
	bars := usageBars(usageOf(nil), 2)
	if len(bars) != 4 {
		t.Fatalf("got %d bars, want 4", len(bars))
	}
	for i, c := range []struct {
		size, accessibility string
		end                 float64
		color               int // of the MCP tools
	}{
		{"15k tokens", "With every tool: 15k tokens. System prompt 4,000, Conversation 1,000, MCP tools 10,000", 1, 2},
		{"9k tokens", "VS Code by itself: 9k tokens. System prompt 4,000, Conversation 1,000, MCP tools 4,000", 9.0 / 15, 2},
		{"7k tokens", "Sent by Winnow: 7k tokens. System prompt 4,000, Conversation 1,000, MCP tools 1,900, Winnow 100", 7.0 / 15, 2},
		{"35% of 20k", "The model's window: 35% of 20k. System prompt 4,000, Conversation 1,000, MCP tools 1,900, Winnow 100", 7.0 / 20, 2},
	} {
		bar, end := bars[i], 0.0
		if bar.Size != c.size || bar.Accessibility != c.accessibility {
			t.Errorf("got %q, %q; want %q, %q", bar.Size, bar.Accessibility, c.size, c.accessibility)
		}
		for _, segment := range bar.Segments {
			if math.Abs(segment.Start-end) > 1e-9 {
				t.Errorf("%s: %s begins at %v, want %v", bar.Label, segment.Title, segment.Start, end)
			}
			end = segment.Start + segment.Length
		}
		if math.Abs(end-c.end) > 1e-9 {
			t.Errorf("%s ends at %v, want %v", bar.Label, end, c.end)
		}
		if got := bar.Segments[2].Color; got != c.color {
			t.Errorf("%s: the tools have the color %d, want %d", bar.Label, got, c.color)
		}
	}
	if title := bars[0].Segments[2].Title; title != "MCP tools: 10,000 tokens" {
		t.Errorf("the title is %q", title)
	}
	if bars := usageBars(usageOf(func(u *protocol.TaskUsageResult) { u.Client = u.Unrouted }), 2); len(bars) != 3 {
		t.Errorf("got %d bars of a client that hides nothing, want 3", len(bars))
	}
	// What a host calls its own sections says nothing.
	renamed := usageOf(func(u *protocol.TaskUsageResult) { u.Sections[0].Name, u.Sections[2].Name = "MCP tools", "Tools" })
	want := "VS Code by itself: 9k tokens. MCP tools 4,000, Conversation 1,000, Tools 4,000"
	if got := usageBars(renamed, 2)[1].Accessibility; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An unknown window has no free space, and no tools at all is no error.
func TestUsage_nothing(t *testing.T) {
	t.Parallel()
	panel := panelOf(&protocol.TaskUsageResult{Sections: []protocol.UsageSection{{Name: "MCP tools"}}}, summary(nil))
	if want := []protocol.UsageSum{{Name: "Total", Tokens: "0"}}; !slices.Equal(panel.Sums, want) {
		t.Errorf("got the sums %v, want %v", panel.Sums, want)
	}
	if len(panel.Bars) != 2 || len(panel.Bars[0].Segments) != 0 || len(panel.Bars[1].Segments) != 0 {
		t.Errorf("got the bars %+v, want two empty ones", panel.Bars)
	}
}

func TestUsageSums(t *testing.T) {
	t.Parallel()
	beyond := -1200
	for _, c := range []struct {
		usage *protocol.TaskUsageResult
		want  []protocol.UsageSum
	}{
		{usageOf(nil), []protocol.UsageSum{{Name: "Total", Tokens: "7,000"}, {Name: "Free", Tokens: "13,000"}, {Name: "The model's window", Tokens: "20,000"}}},
		{
			usageOf(func(u *protocol.TaskUsageResult) { u.Free, u.ContextTokens = &beyond, 5800 }),
			[]protocol.UsageSum{{Name: "Total", Tokens: "7,000"}, {Name: "Beyond the window", Tokens: "1,200"}, {Name: "The model's window", Tokens: "5,800"}},
		},
	} {
		if got := usageSums(c.usage); !slices.Equal(got, c.want) {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
}

// A tool beside its server is called by its own name.
func TestUsageRows(t *testing.T) {
	t.Parallel()
	rows := panelOf(usageOf(nil), summary(nil)).Rows
	tools := rows[2]
	if tools.Color == nil || *tools.Color != 2 || tools.Tokens != "1,900" || tools.Share != "27%" || tools.Level != 0 {
		t.Errorf("got the row %+v, want 1,900 tokens, 27%%, color 2, level 0", tools)
	}
	tool := tools.Children[1].Children[0]
	if tool.Name != "read_file" || tool.FullName != "mcp_files_read_file" || tool.Level != 2 || tool.Color != nil {
		t.Errorf("got the row %+v, want read_file of level 2", tool)
	}
	if other := tools.Children[0].Children[0]; other.Name != "create_issue" || other.FullName != "" {
		t.Errorf("got the row %+v, want create_issue as it is", other)
	}
}

// Two tools of one name, of different servers, have different ids.
func TestUsageRows_ids(t *testing.T) {
	t.Parallel()
	x := []protocol.UsageSection{{Name: "x", Tokens: 1}}
	slash := []protocol.UsageSection{{Name: "b/x", Tokens: 1}}
	rows := usageRows(&protocol.TaskUsageResult{Total: 2, Sections: []protocol.UsageSection{
		{Name: "MCP tools", Tokens: 2, Children: []protocol.UsageSection{{Name: "a", Tokens: 1, Children: x}, {Name: "b", Tokens: 1, Children: x},
			{Name: "io.github/a", Tokens: 1, Children: x}, {Name: "io.github", Tokens: 1, Children: slash}, {Name: "io.github/b", Tokens: 1, Children: x}}},
	}}, nil)
	seen := map[string]bool{}
	var walk func(rows []protocol.UsageRow)
	walk = func(rows []protocol.UsageRow) {
		for _, row := range rows {
			if seen[row.ID] {
				t.Errorf("two rows have the id %q", row.ID)
			}
			seen[row.ID] = true
			walk(row.Children)
		}
	}
	walk(rows)
	if len(seen) != 11 {
		t.Errorf("got %d rows, want 11", len(seen))
	}
}

// A turn that added nothing is in the history too.
func TestTurnRows(t *testing.T) {
	t.Parallel()
	got := turnRows([]protocol.UsageTurn{{Turn: 1, Added: 3, Tokens: 10}, {Turn: 2}, {Turn: 3, Added: 1, Tokens: 30}})
	want := []protocol.UsageTurnRow{
		{Turn: 1, Added: "+3", Tokens: "10", Sum: "10", Start: 0, Length: 0.25},
		{Turn: 2, Added: "0", Tokens: "0", Sum: "10", Start: 0.25, Length: 0},
		{Turn: 3, Added: "+1", Tokens: "30", Sum: "40", Start: 0.25, Length: 0.75},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
