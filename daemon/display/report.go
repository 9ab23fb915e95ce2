package display

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
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
	var attached, others, off []*protocol.ExplainedTool
	for i := range r.Tools {
		switch t := &r.Tools[i]; {
		case t.Attached:
			attached = append(attached, t)
		case isOff(t.Cause):
			off = append(off, t)
		default:
			others = append(others, t)
		}
	}
	would, by := "attached", ""
	if r.Shadow {
		would = "would be attached; as you only watch, all are"
	}
	if r.Ranker != "" {
		by = ", ranked by " + Markdown(r.Ranker)
	}
	paragraphs := []string{fmt.Sprintf("**%s of %s %s**%s.", Number(len(attached)), Count(len(r.Tools), "tool"), would, by)}
	for _, g := range grouped(attached, turnAndReason) {
		paragraphs = append(paragraphs, g.key+"\n\n"+toolList(g.tools, maxRows))
	}
	if len(others) > 0 {
		paragraphs = append(paragraphs, notAttached(others, r.Shadow))
	}
	for _, g := range grouped(off, causeOf) {
		paragraphs = append(paragraphs, fmt.Sprintf("**Off** by %s: %s", Markdown(g.key), toolNames(g.tools)))
	}
	return strings.Join(append(paragraphs, "`/why` and a tool's name tells what its score is made of."), "\n\n")
}

// notAttached lists the best of the tools that routing has left out.
func notAttached(tools []*protocol.ExplainedTool, shadow bool) string {
	title, why := "Not attached", []string(nil)
	if shadow {
		title = "Would not be attached"
	}
	for _, g := range grouped(tools, causeOf) {
		if g.key != "" {
			why = append(why, fmt.Sprintf("%s %s", Number(len(g.tools)), g.key))
		}
	}
	causes := ""
	if len(why) > 0 {
		causes = fmt.Sprintf(" (%s)", Markdown(strings.Join(why, "; ")))
	}
	return fmt.Sprintf("**%s**, the best first. The model finds them by `%s`, and you by `/load`.%s\n\n%s",
		title, protocol.MetaLoad, causes, toolList(tools, maxOthers))
}

// turnAndReason says when and why a tool was attached.
func turnAndReason(t *protocol.ExplainedTool) string {
	if t.Reason == "" {
		return fmt.Sprintf("**Turn %d**: attached", t.Turn)
	}
	return fmt.Sprintf("**Turn %d**: %s", t.Turn, reasons.Attached(t.Reason))
}

func causeOf(t *protocol.ExplainedTool) string { return causeText(t.Cause) }

// isOff reports whether a rule of the user's keeps a tool out, and not its rank.
func isOff(c *protocol.Cause) bool {
	return c != nil && (c.Kind == protocol.CauseServer || c.Kind == protocol.CauseMode || c.Kind == protocol.CauseTask)
}

// group holds tools that share a key.
type group struct {
	key   string
	tools []*protocol.ExplainedTool
}

// grouped puts tools together that share a key, in the order of their first.
func grouped(tools []*protocol.ExplainedTool, key func(*protocol.ExplainedTool) string) []group {
	var groups []group
	for _, t := range tools {
		k := key(t)
		i := slices.IndexFunc(groups, func(g group) bool { return g.key == k })
		if i < 0 {
			i, groups = len(groups), append(groups, group{key: k})
		}
		groups[i].tools = append(groups[i].tools, t)
	}
	return groups
}

func toolList(tools []*protocol.ExplainedTool, most int) string {
	var lines []string
	for _, t := range tools[:min(len(tools), most)] {
		rank := ""
		if t.Rank > 0 {
			rank = fmt.Sprintf(", rank %d", t.Rank)
		}
		lines = append(lines, fmt.Sprintf("- %s (%s)%s, %s", Code(t.Name), Markdown(t.Server), rank, Count(t.Tokens, "token")))
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
	whole := u.Total
	if u.ContextTokens > 0 {
		whole = u.ContextTokens
	}
	var rows [][]string
	add := func(name string, tokens int) {
		rows = append(rows, []string{name, Number(tokens), Percent(tokens, whole)})
	}
	for _, section := range u.Sections {
		add(Markdown(section.Name), section.Tokens)
		for _, server := range section.Children { // their tools are in the view
			add("&nbsp;&nbsp;&nbsp;"+Markdown(server.Name), server.Tokens)
		}
	}
	rows = append(rows, []string{"**Total**", "**" + Number(u.Total) + "**", Percent(u.Total, whole)})
	if u.Free != nil {
		add("Free", *u.Free)
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
	line := func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }
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
