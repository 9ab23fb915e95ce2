package display

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// The tooltip has sentences and no score, and the server's words are no Markdown.
func TestWhyTooltip(t *testing.T) {
	t.Parallel()
	tool := explained("a|b", func(e *protocol.ExplainedTool) {
		e.Score, e.Gating, e.Missed, e.Sentence = 3.5, "Its server keeps it out of this message.", true, "Its name has “[l](command:z)”."
		e.Parts = []protocol.ScorePart{{Name: "x", Value: 3.5, Detail: "[l](command:z)"}}
	})
	text := whyTooltip(&tool)
	contains(t, text, `**a\|b** of files`, "Its name has “", `Its server keeps it out of this message\.`,
		"$(warning) Called while", "210 tokens in each request")
	if strings.Contains(text, "](command:") || strings.Contains(text, "3.5") {
		t.Errorf("the server's words are a link: %q", text)
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	for value, want := range map[float64]string{0: "0", 3.5: "3.5", 2.25: "2.25", 12.3456: "12.3", 0.001234: "0.00123", -0.5: "-0.5", 1234.5: "1230"} {
		if got := score(value); got != want {
			t.Errorf("score(%v) = %q, want %q", value, got, want)
		}
	}
}

var (
	blocked = explained("b", func(e *protocol.ExplainedTool) {
		e.Attached, e.Rank, e.Score = false, 0, 0
		e.Cause = &protocol.Cause{Kind: protocol.CauseMode, Owner: "review", Key: "blockedMcpServers"}
	})
	beaten = explained("c", func(e *protocol.ExplainedTool) {
		e.Attached, e.Rank, e.Score = false, 40, 3.5
		e.Parts = []protocol.ScorePart{{Name: "words in the name", Value: 2.25, Detail: "read file"}, {Name: "meaning", Value: -0.5}}
		e.Cause = &protocol.Cause{Kind: protocol.CauseRank, Key: "winnow.initialK"}
	})
)

// lines writes a pick as a person sees it: headings, and rows below them.
func lines(groups []protocol.PickGroup) []string {
	var lines []string
	for _, group := range groups {
		lines = append(lines, "# "+group.Heading)
		for _, row := range group.Rows {
			lines = append(lines, joined(" | ", row.Label, row.Description, row.Detail))
		}
	}
	return lines
}

func compareLines(t *testing.T, got []protocol.PickGroup, want ...string) {
	t.Helper()
	if got := lines(got); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The tools are grouped by what became of them.
func TestWhy_list(t *testing.T) {
	t.Parallel()
	missed := explained("d", func(e *protocol.ExplainedTool) { e.Attached, e.Missed = false, true })
	gated := explained("read", func(e *protocol.ExplainedTool) { e.Gating = "Its server claims the message." })
	result := &protocol.TaskExplainResult{Shadow: true, Tools: []protocol.ExplainedTool{gated, beaten, missed, blocked}}
	gone := explained("$(x)", func(e *protocol.ExplainedTool) { e.Tokens, e.Cause = 1, &protocol.Cause{Kind: protocol.CauseGone} })
	waits := explained("f", func(e *protocol.ExplainedTool) {
		e.Attached, e.Cause = false, &protocol.Cause{Kind: protocol.CauseUnlisted}
	})
	stopped := explained("g", func(e *protocol.ExplainedTool) {
		e.Attached, e.Cause = false, &protocol.Cause{Kind: protocol.CauseStopped}
	})
	result.Tools = append(result.Tools, gone, waits, stopped)
	shown := Why(&protocol.TaskWhyParams{Task: "t"}, result)
	compareLines(t, shown.Groups,
		"# Missed: called without being attached (1)",
		"d | files · 210 tokens | It fits the message.",
		"# Would be attached (1)",
		"read | files · 210 tokens | It fits the message. Its server claims the message.",
		"# In the requests, and cannot be called any more (1)",
		`\$(x) | files · 1 token | It fits the message.`,
		"# Would not be attached (1)",
		"c | files · 210 tokens | It fits the message.",
		"# Waits for your approval (1)",
		"f | files · 210 tokens | It fits the message.",
		"# Switched off by you (2)",
		"g | files · 210 tokens | It fits the message.",
		"b | files · 210 tokens | It fits the message.",
	)
	if want := "Why Each Tool Is or Is Not Attached, Shadow Mode"; shown.Title != want || shown.Back != nil {
		t.Errorf("got the title %q and the way back %v, want %q and none", shown.Title, shown.Back, want)
	}
	next := shown.Groups[3].Rows[0].Next
	if next == nil || next.Task != "t" || next.Tool == nil || *next.Tool != refOf(&beaten) {
		t.Errorf("choosing c asks for %+v", next)
	}
	if got := Why(&protocol.TaskWhyParams{Task: "t"}, &protocol.TaskExplainResult{}); got.Groups == nil || len(got.Groups) > 0 {
		t.Errorf("got %v of no tools, want an empty list", got.Groups)
	}
}

// An explanation has the way to the setting, and behind it the score with its
// parts and the words that matched.
func TestWhy_tool(t *testing.T) {
	t.Parallel()
	result := &protocol.TaskExplainResult{Tools: []protocol.ExplainedTool{blocked, beaten}}
	ref := refOf(&beaten)
	shown := Why(&protocol.TaskWhyParams{Task: "t", Tool: &ref}, result)
	compareLines(t, shown.Groups,
		"# Why", "It fits the message.", "Open the setting winnow.initialK | others fit better",
		"# Cost", "210 tokens | in each request that carries it",
		"# More", "Details… | the rule, the rank, and the score",
	)
	if shown.Title != "Why c of files?" || shown.Back == nil || shown.Back.Tool != nil {
		t.Errorf("got the title %q and the way back %+v, want that of the list", shown.Title, shown.Back)
	}
	if place := shown.Groups[0].Rows[1].Place; place == nil || *place != *beaten.Cause {
		t.Errorf("the place is %+v, want %+v", place, beaten.Cause)
	}
	details := Why(shown.Groups[2].Rows[0].Next, result)
	compareLines(t, details.Groups,
		"# Decision", "Attached at turn 1",
		"# Score for the latest message", "Score 3.5 | rank 40", "+2.25  words in the name | read file", "-0.5  meaning",
	)
	if details.Back == nil || details.Back.Tool == nil || details.Back.Details {
		t.Errorf("the way back is %+v, want that of the tool", details.Back)
	}
}

func TestWhy_noScore(t *testing.T) {
	t.Parallel()
	tool := explained("b", func(e *protocol.ExplainedTool) { e.Gating, e.Missed = "Its server keeps it out.", true })
	ref := refOf(&tool)
	result := &protocol.TaskExplainResult{Tools: []protocol.ExplainedTool{tool}}
	compareLines(t, Why(&protocol.TaskWhyParams{Tool: &ref}, result).Groups,
		"# Why", "It fits the message.", "Missed | The model called it while routing would not have attached it.", "Its server keeps it out.",
		"# Cost", "210 tokens | in each request that carries it",
		"# More", "Details… | the rule, the rank, and the score",
	)
	compareLines(t, Why(&protocol.TaskWhyParams{Tool: &ref, Details: true}, result).Groups,
		"# Decision", "Attached at turn 1",
		"# Score for the latest message", "No score | It was not compared, or nothing in the message matches.",
	)
	gone := Why(&protocol.TaskWhyParams{Tool: &protocol.ToolRef{Server: "files", Tool: "gone"}}, result)
	compareLines(t, gone.Groups, "# Missed: called without being attached (1)",
		"b | files · 210 tokens | It fits the message. Its server keeps it out.")
}

// A cause leads to the place where it is written.
func TestPlaceLabel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cause *protocol.Cause
		want  string
	}{
		{&protocol.Cause{Kind: protocol.CauseServer, Owner: "git hub", Key: "disabled"}, "Open disabled of server git hub"},
		{&protocol.Cause{Kind: protocol.CauseServer, Owner: "a", Key: "onlyAllow"}, "Open onlyAllow of server a"},
		{&protocol.Cause{Kind: protocol.CauseMode, Owner: "review", Key: "blockedMcpServers"}, "Open blockedMcpServers of mode review"},
		{&protocol.Cause{Kind: protocol.CauseRank, Key: "winnow.initialK"}, "Open the setting winnow.initialK"},
		{&protocol.Cause{Kind: protocol.CauseLimit, Key: "winnow.maxTools"}, "Open the setting winnow.maxTools"},
		{&protocol.Cause{Kind: protocol.CauseBudget, Key: "winnow.budgetTokens"}, "Open the setting winnow.budgetTokens"},
		{&protocol.Cause{Kind: protocol.CauseNamed, Key: "winnow.initialK"}, "Open the setting winnow.initialK"},
		{&protocol.Cause{Kind: protocol.CauseFrozen, Key: "winnow.searchTurns"}, "Open the setting winnow.searchTurns"},
		{&protocol.Cause{Kind: protocol.CauseDispatch, Key: "winnow.routing"}, "Open the setting winnow.routing"},
		{&protocol.Cause{Kind: protocol.CauseLate}, ""},
		{&protocol.Cause{Kind: protocol.CauseGone}, ""},
		{nil, ""},
	} {
		if got := placeLabel(c.cause); got != c.want {
			t.Errorf("placeLabel(%+v) = %q, want %q", c.cause, got, c.want)
		}
	}
}
