package display

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/protocol"
)

// Tasks adds the texts of the open tasks and the week.
func Tasks(list *protocol.TaskListResult) protocol.TaskRowsResult {
	rows := make([]protocol.TaskRow, len(list.Tasks))
	for i := range list.Tasks {
		task := &list.Tasks[i]
		rows[i] = protocol.TaskRow{TaskSummary: *task, Texts: taskTexts(task, i+1, i == len(rows)-1)}
	}
	return protocol.TaskRowsResult{Tasks: rows, Week: week(&list.Week)}
}

// taskTexts returns the texts of a task. place is 1-based, and newest reports that it was
// used last.
func taskTexts(t *protocol.TaskSummary, place int, newest bool) protocol.TaskTexts {
	texts := protocol.TaskTexts{
		Row: taskRow(t, place, newest), Summary: TaskSummary(t, 0), Notes: taskNotes(t),
		Costs: costs(t), Used: used(&t.Used),
	}
	for _, warning := range t.Warnings {
		texts.Warnings = append(texts.Warnings, warningRow(sentence(warning)))
	}
	return texts
}

// TaskSummary summarizes a task: "attached 30 of 200 tools, 8k tokens fewer than VS Code
// by itself". rest is the tokens of its request besides MCP's tools, 0 if not known.
func TaskSummary(t *protocol.TaskSummary, rest int) string {
	switch {
	case unrouted(t):
		return "attached " + toolsOfTask(t)
	case t.Shadow:
		return joined(", ", "would attach "+toolsOfTask(t), compared(t, rest))
	}
	return joined(", ", "attached "+toolsOfTask(t), compared(t, rest))
}

// unrouted reports whether a task's tools were not chosen, so that there is nothing to
// compare.
func unrouted(t *protocol.TaskSummary) bool { return t.Routing == protocol.AttachAll && !t.Shadow }

// hasAll reports whether an unrouted task has every tool in scope. With routing off its
// client may hide some, and others may have been added since its latest message.
func hasAll(t *protocol.TaskSummary) bool {
	return unrouted(t) && t.Counts.Attached == t.Counts.Scoped
}

// toolsOfTask counts a task's tools: "30 of 200 tools", "all of 9 tools".
func toolsOfTask(t *protocol.TaskSummary) string {
	attached := Number(t.Counts.Attached)
	if hasAll(t) {
		attached = "all"
	}
	return attached + " of " + Count(t.Counts.Scoped, "tool")
}

// maxNames is how many names a sentence lists before it counts the rest.
const maxNames = 4

// taskNotes returns notes on a task besides what was attached: the tools that routing
// would have missed, and warnings.
func taskNotes(t *protocol.TaskSummary) []string {
	var notes []string
	if n := len(t.MissedTools); n > 0 {
		var names []string
		for _, tool := range t.MissedTools[:min(n, maxNames)] {
			names = append(names, tool.Tool+" of "+tool.Server)
		}
		list := strings.Join(names, ", ")
		if n > maxNames {
			list += fmt.Sprintf(" and %s more", Number(n-maxNames))
		}
		notes = append(notes, fmt.Sprintf("Missed: %s. The model called %s, and routing would not have attached %s.", list, them(n), them(n)))
	}
	for _, warning := range t.Warnings {
		notes = append(notes, sentence(warning))
	}
	return notes
}

// them returns the pronoun for n things.
func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// turnOf describes a task's turn.
func turnOf(t *protocol.TaskSummary) string {
	if t.Frozen {
		return fmt.Sprintf("turn %d, no more added", t.Turn)
	}
	return fmt.Sprintf("turn %d", t.Turn)
}

// modeOf names a task's mode and how many tools it removes; "" if it has none.
func modeOf(t *protocol.TaskSummary) string {
	if t.Mode == "" {
		return ""
	}
	return joined(", ", "mode "+cmp.Or(t.ModeName, t.Mode), takenAway(t.OutOfMode))
}

// missedOf counts the tools that routing would have missed.
func missedOf(t *protocol.TaskSummary) string {
	if t.Missed == 0 {
		return ""
	}
	return Number(t.Missed) + " missed"
}

// taskRow makes the row of a task.
func taskRow(t *protocol.TaskSummary, place int, newest bool) protocol.Row {
	row := protocol.Row{
		Label: fmt.Sprintf("Task %d", place), Icon: &protocol.Icon{ID: "comment-discussion"}, Context: "task." + string(t.Routing),
		Tooltip: strings.Join(taskTooltip(t), "\n\n"),
	}
	if t.Shadow {
		row.Icon.ID, row.Context = "eye", "task.shadow"
	}
	if newest {
		row.Icon.Color = "charts.blue"
	}
	if t.Past {
		row.Icon, row.Context = &protocol.Icon{ID: "history"}, "task.past"
	}
	turn := ""
	if t.Turn > 1 || t.Frozen {
		turn = turnOf(t)
	}
	// Problems come first, because a narrow view cuts the end.
	whole := description{words(guessed(t)), words(missedOf(t)), {attachedOf(t), attachedOf(t) + " tools"}, words(turn), words(modeOf(t))}
	row.Description = whole.String()
	icon := ""
	if t.Shadow {
		icon = "shadow mode"
	}
	row.Accessibility = spoken("", icon, whole, append([]string{compared(t, 0)}, taskNotes(t)...)...)
	return row
}

// guessed marks a past task whose chat is only assumed to be open again, by its time.
func guessed(t *protocol.TaskSummary) string {
	if t.Guess {
		return "last chat"
	}
	return ""
}

// attachedOf counts a task's tools in a short text.
func attachedOf(t *protocol.TaskSummary) string {
	if hasAll(t) {
		return "all " + Number(t.Counts.Attached)
	}
	return Number(t.Counts.Attached) + " of " + Number(t.Counts.Scoped)
}

// taskTooltip returns the paragraphs of a task's tooltip.
func taskTooltip(t *protocol.TaskSummary) []string {
	var lines []string
	if t.Past {
		line := "Of a chat of an earlier session, as it was then."
		if t.Guess {
			line = "Of the chat that was used last; whether it is the one that is open shows with its next message."
		}
		lines = append(lines, "$(history) "+line)
	}
	if t.Shadow {
		lines = append(lines, "$(eye) "+shadowMode)
	}
	lines = append(lines, sentence(TaskSummary(t, 0)))
	if said := used(&t.Used); said != "" {
		lines = append(lines, said)
	}
	lines = append(lines, Markdown(joined(" · ", turnOf(t), modeOf(t))))
	if t.Counts.Kept > 0 {
		lines = append(lines, fmt.Sprintf("%s in its requests and cannot be called any more: without %s the model would read the whole chat anew.",
			CountOf(t.Counts.Kept, "more tool stays", "more tools stay"), them(t.Counts.Kept)))
	}
	if t.Counts.Named > 0 {
		lines = append(lines, fmt.Sprintf("The model knows %s more by name, and attaches %s by %s.",
			Number(t.Counts.Named), them(t.Counts.Named), protocol.MetaLoad))
	}
	if t.Frozen {
		lines = append(lines, fmt.Sprintf("Messages add no more tools to this task; the model still can, by %s.", protocol.MetaLoad))
	}
	for _, note := range taskNotes(t) {
		lines = append(lines, "$(warning) "+Markdown(note))
	}
	return lines
}

// shadowMode describes a task in shadow mode.
const shadowMode = "Shadow mode: nothing is changed; this is what routing would have done."

// warningRow returns the row of a warning about a task.
func warningRow(note string) protocol.Row {
	return protocol.Row{
		Label: note, Tooltip: Markdown(note), Icon: &protocol.Icon{ID: "warning", Color: "charts.yellow"},
		Context: "taskNote", Accessibility: "Warning: " + note,
	}
}

// sentence capitalizes a text and adds a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	_, size := utf8.DecodeRuneInString(text)
	text = strings.ToUpper(text[:size]) + text[size:]
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}
