package display

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Reports for a chat are short, and lists where possible, because a chat is narrow.
const (
	// maxRows is the most tools of a list or a table; the views have all.
	maxRows = 40
	// maxOthers is how many of the unattached tools are listed.
	maxOthers = 10
)

// WhyReport explains for a chat why tools are or are not attached.
func WhyReport(r *protocol.TaskExplainResult) string {
	scoped, has := countInScope(r.Tools)
	tools := byOutcome(r.Tools)
	would := "attached"
	if r.Shadow {
		would = "would be attached; as you only watch, all are"
	}
	paragraphs := []string{fmt.Sprintf("**%s of %s %s**.", Number(has), Count(scoped, "tool"), would)}
	if said := toolList(tools[missed], maxRows); said != "" {
		paragraphs = append(paragraphs, "**Missed**, called without being attached:", said)
	}
	if said := toolList(tools[attached], maxRows); said != "" {
		paragraphs = append(paragraphs, said)
	}
	if said := toolList(tools[kept], maxOthers); said != "" {
		paragraphs = append(paragraphs, "**In the requests, and cannot be called any more**:", said)
	}
	if said := toolList(tools[leftOut], maxOthers); said != "" {
		title := "**Not attached**, the best first. The model can find them, and you can by `/load`."
		if r.Shadow {
			title = "**Would not be attached**, the best first."
		}
		paragraphs = append(paragraphs, title, said)
	}
	for _, g := range grouped(tools[held], tools[off]) {
		paragraphs = append(paragraphs, fmt.Sprintf("**Off** (%s), %s: %s", Number(len(g.tools)), Markdown(g.why), toolNames(g.tools)))
	}
	return strings.Join(append(paragraphs, "`/why` and a tool's name tells what its score is made of."), "\n\n")
}

// group holds tools that are off for the same reason.
type group struct {
	why   string
	tools []*protocol.ExplainedTool
}

// grouped groups tools that are off for the same reason, in the order of their first.
func grouped(lists ...[]*protocol.ExplainedTool) []group {
	var groups []group
	for _, t := range slices.Concat(lists...) {
		why := plainCause(t.Cause)
		i := slices.IndexFunc(groups, func(g group) bool { return g.why == why })
		if i < 0 {
			i, groups = len(groups), append(groups, group{why: why})
		}
		groups[i].tools = append(groups[i].tools, t)
	}
	return groups
}

// toolList lists tools, each with a sentence, or returns "".
func toolList(tools []*protocol.ExplainedTool, most int) string {
	var lines []string
	for _, t := range tools[:min(len(tools), most)] {
		tool := fmt.Sprintf("- %s (%s), %s", Code(t.Name), Markdown(t.Server), Count(t.Tokens, "token"))
		lines = append(lines, joined(": ", tool, Markdown(oneLine(t.Sentence))))
	}
	if more := len(tools) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("- … and %s more", Number(more)))
	}
	return strings.Join(lines, "\n")
}

func toolNames(tools []*protocol.ExplainedTool) string {
	var names []string
	for _, t := range tools[:min(len(tools), maxOthers)] {
		names = append(names, Code(t.Name))
	}
	if more := len(tools) - maxOthers; more > 0 {
		names = append(names, fmt.Sprintf("and %s more", Number(more)))
	}
	return strings.Join(names, ", ")
}

// WhyToolReport explains for a chat why one tool is or is not attached, with its score.
func WhyToolReport(t *protocol.ExplainedTool) string {
	paragraphs := []string{
		fmt.Sprintf("**%s** of %s: %s", Code(t.Name), Markdown(t.Server), Markdown(t.Sentence)),
		Markdown(t.Verdict + "."),
	}
	if len(t.Parts) > 0 {
		rows := make([][]string, len(t.Parts))
		for i, part := range t.Parts {
			rows[i] = []string{Markdown(part.Name), twoDecimals(part.Value), Markdown(part.Detail)}
		}
		paragraphs = append(paragraphs,
			table([]string{"Part of the score", "Value", "Matched"}, "lrl", rows),
			fmt.Sprintf("Score: %s. The tool costs %s in each request.", twoDecimals(t.Score), Count(t.Tokens, "token")))
	}
	return strings.Join(paragraphs, "\n\n")
}

func twoDecimals(value float64) string { return strconv.FormatFloat(value, 'f', 2, 64) }
