package display

import (
	"fmt"
	"reflect"
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

// lines writes a page as a person sees it: headings, and rows below them with
// their buttons.
func lines(page *protocol.TaskWhyResult) []string {
	lines := []string{page.Summary}
	if page.Note != "" {
		lines = append(lines, page.Note)
	}
	for _, group := range page.Groups {
		lines = append(lines, "# "+group.Heading)
		for _, row := range group.Rows {
			buttons := row.Why
			for _, action := range row.Actions {
				buttons += ", " + action.Label
			}
			lines = append(lines, joined(" | ", row.Name, row.Tool.Server, row.Tokens, row.Sentence, buttons))
		}
		if group.More != "" {
			lines = append(lines, group.More)
		}
	}
	return lines
}

func compareLines(t *testing.T, page protocol.TaskWhyResult, want ...string) {
	t.Helper()
	if got := lines(&page); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// whyList is a catalogue with the switches of tools of files.
func whyList(pinned bool, tools ...protocol.ToolInfo) *protocol.CatalogListResult {
	for i := range tools {
		tools[i].Server = "files"
	}
	return &protocol.CatalogListResult{Servers: []protocol.ServerInfo{{Name: "files", AlwaysLoad: pinned}}, Tools: tools}
}

// The tools are grouped by what became of them, those that were called first, each
// with what a person can do about it.
func TestWhy_groups(t *testing.T) {
	t.Parallel()
	called := explained("read", func(e *protocol.ExplainedTool) { e.Called, e.Gating = true, "Its server claims the message." })
	plain := explained("write", func(*protocol.ExplainedTool) {})
	named := explained("n", func(e *protocol.ExplainedTool) {
		e.Attached, e.Cause = false, &protocol.Cause{Kind: protocol.CauseNamed}
	})
	gone := explained("$(x)", func(e *protocol.ExplainedTool) { e.Tokens, e.Cause = 1, &protocol.Cause{Kind: protocol.CauseGone} })
	waits := explained("f", func(e *protocol.ExplainedTool) {
		e.Attached, e.Cause = false, &protocol.Cause{Kind: protocol.CauseUnlisted}
	})
	off := explained("g", func(e *protocol.ExplainedTool) {
		e.Attached, e.Cause = false, &protocol.Cause{Kind: protocol.CauseServer, Key: "disabledTools"}
	})
	result := &protocol.TaskExplainResult{Tools: []protocol.ExplainedTool{plain, named, gone, waits, off, blocked, beaten, called}}
	list := whyList(false,
		protocol.ToolInfo{Tool: "read", InScope: true}, protocol.ToolInfo{Tool: "write", InScope: true, AlwaysLoad: true},
		protocol.ToolInfo{Tool: "g", Cause: off.Cause}, protocol.ToolInfo{Tool: "b", Cause: &protocol.Cause{Kind: protocol.CauseServer, Key: "disabled"}})
	compareLines(t, Why(&protocol.TaskWhyParams{Task: "t"}, result, list),
		"Attached: 2 of 4 tools, 420 tokens.",
		"# Attached, and called (1)",
		"read | files | 210 | It fits the message. Its server claims the message. | Why?, Pin, Turn off",
		"# Attached (1)",
		"write | files | 210 | It fits the message. | Why?, Unpin, Turn off",
		"# Named: the model knows the name, and can load it (1)",
		"n | files | 210 | It fits the message. | Why not?",
		"# In the requests, and cannot be called any more (1)",
		"$(x) | files | 1 | It fits the message. | Why?",
		"# Left out (1)",
		"c | files | 210 | It fits the message. | Why not?",
		"# Waits for your approval (1)",
		"f | files | 210 | It fits the message. | Why not?",
		"# Taken away by the mode (1)",
		"b | files | 210 | It fits the message. | Why not?",
		"# Switched off by you (1)",
		"g | files | 210 | It fits the message. | Why not?, Turn on",
	)
	// Its server is pinned as a whole.
	whole := Why(&protocol.TaskWhyParams{Task: "t", Filter: "READ files"}, result, whyList(true, protocol.ToolInfo{Tool: "read", InScope: true, AlwaysLoad: true}))
	compareLines(t, whole, "Attached: 2 of 4 tools, 420 tokens.", "# Attached, and called (1)",
		"read | files | 210 | It fits the message. Its server claims the message. | Why?, Turn off")
	if got := Why(&protocol.TaskWhyParams{Task: "t"}, &protocol.TaskExplainResult{}, list); got.Groups == nil || len(got.Groups) > 0 {
		t.Errorf("got %v of no tools, want an empty list", got.Groups)
	}
}

// What only would be is said so: in shadow mode, and of a message that is tried.
func TestWhy_would(t *testing.T) {
	t.Parallel()
	missed := explained("d", func(e *protocol.ExplainedTool) { e.Attached, e.Missed = false, true })
	plain := explained("write", func(*protocol.ExplainedTool) {})
	result := &protocol.TaskExplainResult{Shadow: true, Tools: []protocol.ExplainedTool{plain, beaten, missed}}
	compareLines(t, Why(&protocol.TaskWhyParams{Task: "t"}, result, whyList(false)),
		"Would be attached: 1 of 3 tools, 210 tokens.", shadowMode,
		"# Missed: called without being attached (1)", "d | files | 210 | It fits the message. | Why not?",
		"# Would be attached (1)", "write | files | 210 | It fits the message. | Why?",
		"# Would be left out (1)", "c | files | 210 | It fits the message. | Why not?",
	)
	result.Shadow = false
	tried := Why(&protocol.TaskWhyParams{Message: "write"}, result, whyList(false))
	if !strings.HasPrefix(tried.Note, "Tried: no chat model") || !strings.HasPrefix(tried.Summary, "Would be attached") || tried.Groups[1].Heading != "Would be attached (1)" {
		t.Errorf("a tried message is told of as %q, %q, %+v", tried.Summary, tried.Note, tried.Groups)
	}
}

// A long list is cut, but for what the model has; a search finds the rest.
func TestWhy_many(t *testing.T) {
	t.Parallel()
	result := &protocol.TaskExplainResult{}
	for i := range 300 {
		result.Tools = append(result.Tools, explained(fmt.Sprintf("tool_%d", i), func(e *protocol.ExplainedTool) {
			if e.Attached = i < 60; !e.Attached {
				e.Cause = &protocol.Cause{Kind: protocol.CauseRank}
			}
		}))
	}
	page := Why(&protocol.TaskWhyParams{Task: "t"}, result, whyList(false))
	if has, out := page.Groups[0], page.Groups[1]; len(has.Rows) != 60 || has.More != "" || len(out.Rows) != whyRows || out.More != "And 215 more, which a search finds." {
		t.Errorf("%d rows %q, and %d rows %q", len(has.Rows), has.More, len(out.Rows), out.More)
	}
	page = Why(&protocol.TaskWhyParams{Task: "t", Filter: "tool_29"}, result, whyList(false))
	if out := page.Groups[1]; out.Heading != "Left out (10)" || len(out.Rows) != 10 {
		t.Errorf("%q with %d rows", out.Heading, len(out.Rows))
	}
}

// The details of a tool are the rule, the rank and the score, and the way to the
// setting.
func TestWhy_details(t *testing.T) {
	t.Parallel()
	result := &protocol.TaskExplainResult{Tools: []protocol.ExplainedTool{blocked, beaten}}
	page := Why(&protocol.TaskWhyParams{Task: "t", Open: []protocol.ToolRef{refOf(&beaten)}}, result, whyList(false))
	want := &protocol.WhyDetails{
		Verdict: "Attached at turn 1.", Score: "3.5", Place: beaten.Cause, PlaceLabel: "Open the setting winnow.initialK",
		Parts: []protocol.WhyPart{{Name: "words in the name", Value: "+2.25", Matched: "read file"}, {Name: "meaning", Value: "-0.5"}},
	}
	if got := page.Groups[0].Rows[0].Details; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := page.Groups[1].Rows[0].Details; got != nil {
		t.Errorf("details that nobody asked for: %+v", got)
	}
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
