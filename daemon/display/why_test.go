package display

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// The tooltip adds up, and the server's words are no Markdown.
func TestWhyTooltip(t *testing.T) {
	t.Parallel()
	tool := explained("a|b", func(e *protocol.ExplainedTool) {
		e.Score, e.Gating, e.Missed = 3.5, "Its server keeps it out of this message.", true
		e.Parts = []protocol.ScorePart{{Name: "x", Value: 3.5, Detail: "[l](command:z)"}}
	})
	text := whyTooltip(&tool)
	contains(t, text, `**a\|b** of files`, `Attached at turn 1\.`, `Its server keeps it out of this message\.`,
		"$(warning) Called while", "| 3.5 | x |", "| **3.5** | in all | |", "210 tokens")
	if strings.Contains(text, "](command:") {
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
