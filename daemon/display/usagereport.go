package display

import (
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// UsageReport describes a task's context for a chat.
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
		"**" + sentence(TaskSummary(t, u.Client-t.Tokens.Client)) + "**",
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
		"Counted with OpenAI's tokenizer; other models' counts differ by some per cent. An image counts as 1,000 tokens. What the provider adds is not known."), "\n\n")
}
