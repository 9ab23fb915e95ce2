package display

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// A chat is narrow: reports are lists where they can be, and short.
const (
	// maxRows is how many tools a list or a table has; the views have all.
	maxRows = 40
	// maxOthers is how many of the tools that are not attached are listed.
	maxOthers = 10
)

// WhyReport says for a chat why tools are or are not attached.
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
		paragraphs = append(paragraphs, fmt.Sprintf("**Off**, %s: %s", Markdown(g.why), toolNames(g.tools)))
	}
	return strings.Join(append(paragraphs, "`/why` and a tool's name tells what its score is made of."), "\n\n")
}

// group holds tools that are off for the same reason.
type group struct {
	why   string
	tools []*protocol.ExplainedTool
}

// grouped puts tools together that are off for the same reason, in the order of
// their first.
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

// toolList lists tools, each with a sentence; empty for none.
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

// WhyToolReport says for a chat why one tool is or is not attached, with the
// sum of its score.
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

// UsageReport says for a chat where the context of a task goes.
func UsageReport(u *protocol.TaskUsageResult, t *protocol.TaskSummary) string {
	var rows [][]string
	add := func(name string, tokens int) {
		rows = append(rows, []string{name, Number(tokens), Percent(tokens, u.Total)})
	}
	for _, section := range u.Sections {
		add(Markdown(section.Name), section.Tokens)
		for _, server := range section.Children { // their tools are in the view
			add("&nbsp;&nbsp;&nbsp;"+Markdown(server.Name), server.Tokens)
		}
	}
	for i, sum := range usageSums(u) {
		name, tokens := sum.Name, sum.Tokens
		if i == 0 {
			name, tokens = "**"+name+"**", "**"+tokens+"**"
		}
		rows = append(rows, []string{name, tokens, ""})
	}
	paragraphs := []string{
		"**" + sentence(TaskSummary(t)) + "**",
		table([]string{"Part", "Tokens", "Share"}, "lrr", rows),
	}
	if len(u.Turns) > 1 {
		turns := make([][]string, len(u.Turns))
		for i, turn := range u.Turns {
			turns[i] = []string{strconv.Itoa(turn.Turn), Number(turn.Added), Number(turn.Tokens)}
		}
		paragraphs = append(paragraphs, table([]string{"Turn", "Tools added", "Tokens"}, "rrr", turns))
	}
	if t.Shadow {
		paragraphs = append(paragraphs, shadowMode)
	}
	return strings.Join(append(paragraphs, costs(t),
		"What VS Code and the model add of their own is not counted; your messages are estimated."), "\n\n")
}

// LoadReport says for a chat what was attached by words, or by a name.
func LoadReport(r *protocol.TaskLoadResult, words string) string {
	if len(r.Loaded) == 0 {
		return fmt.Sprintf("No tool fits “%s”.", Markdown(repeated(words)))
	}
	var lines []string
	for _, t := range r.Loaded {
		already := ""
		if t.Already {
			already = ", was attached before"
		}
		lines = append(lines, fmt.Sprintf("- %s (%s)%s", Code(t.Name), Markdown(t.Server), already))
	}
	counts := r.Attachment.Counts
	return fmt.Sprintf("%s\n\n%s of %s attached.", strings.Join(lines, "\n"), Number(counts.Attached), Count(counts.Scoped, "tool"))
}

// ModesReport lists the modes for a chat.
func ModesReport(r *protocol.ModeListResult) string {
	if len(r.Modes) == 0 {
		return "There are no modes. A mode limits which MCP servers a task sees; write one into `modes` of `.vscode/winnow.json`."
	}
	now := "No mode is set: a task sees every server."
	if r.Current != "" {
		now = fmt.Sprintf("The mode is %s.", Code(r.Current))
	}
	rows := make([][]string, len(r.Modes))
	for i := range r.Modes {
		m := &r.Modes[i]
		slug := Code(m.Slug)
		if m.Slug == r.Current {
			slug += " (current)"
		}
		rows[i] = []string{slug, Markdown(m.Name), serversOf(m)}
	}
	return strings.Join([]string{
		now, table([]string{"Mode", "Name", "Servers"}, "lll", rows),
		"Set one by `/mode` and its name; `/mode none` sees everything.",
	}, "\n\n")
}

func serversOf(m *protocol.ModeInfo) string {
	listed := func(servers []string) string {
		names := make([]string, len(servers))
		for i, server := range servers {
			names[i] = Markdown(server)
		}
		return strings.Join(names, ", ")
	}
	switch {
	case m.AllowedMcpServers != nil && len(*m.AllowedMcpServers) == 0:
		return "none"
	case m.AllowedMcpServers != nil:
		return listed(*m.AllowedMcpServers)
	case len(m.BlockedMcpServers) == 0:
		return "all"
	default:
		return "all but " + listed(m.BlockedMcpServers)
	}
}

// table writes a table whose columns are aligned as the letters say: l, r.
func table(head []string, align string, rows [][]string) string {
	line := func(cells []string) string { return "| " + oneLine(strings.Join(cells, " | ")) + " |" }
	aligned := make([]string, len(head))
	for i := range head {
		aligned[i] = map[byte]string{'l': "---", 'r': "--:"}[align[i]]
	}
	lines := []string{line(head), line(aligned)}
	for _, row := range rows[:min(len(rows), maxRows)] {
		lines = append(lines, line(row))
	}
	if more := len(rows) - maxRows; more > 0 {
		lines = append(lines, line([]string{fmt.Sprintf("… and %s more", Number(more))}))
	}
	return strings.Join(lines, "\n")
}
