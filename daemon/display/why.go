package display

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// whyTooltip explains a tool, with the sum of its score.
func whyTooltip(tool *protocol.ExplainedTool) string {
	paragraphs := []string{
		fmt.Sprintf("**%s** of %s", Markdown(tool.Name), Markdown(tool.Server)),
		Markdown(tool.Verdict + "."),
	}
	for _, said := range []string{tool.Gating, tool.Why} {
		if said != "" {
			paragraphs = append(paragraphs, Markdown(said))
		}
	}
	if tool.Missed {
		paragraphs = append(paragraphs, "$(warning) Called while routing would not have attached it.")
	}
	if len(tool.Parts) > 0 {
		lines := []string{"| score | part | matched |", "|--:|:--|:--|"}
		for _, part := range tool.Parts {
			lines = append(lines, fmt.Sprintf("| %s | %s | %s |", score(part.Value), Markdown(part.Name), Markdown(part.Detail)))
		}
		lines = append(lines, fmt.Sprintf("| **%s** | in all | |", score(tool.Score)))
		paragraphs = append(paragraphs, strings.Join(lines, "\n"))
	}
	paragraphs = append(paragraphs, Count(tool.Tokens, "token"))
	return strings.Join(paragraphs, "\n\n")
}

// score writes a part of a score. Three digits are enough to compare, and what
// is there is never 0.
func score(value float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 3, 64), 64)
	if err != nil {
		rounded = value // infinite: it stays as it is
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
