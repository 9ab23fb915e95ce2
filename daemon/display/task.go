package display

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/protocol"
)

// Tasks words the open tasks and the week.
func Tasks(list *protocol.TaskListResult) protocol.TaskRowsResult {
	rows := make([]protocol.TaskRow, len(list.Tasks))
	for i := range list.Tasks {
		task := &list.Tasks[i]
		rows[i] = protocol.TaskRow{TaskSummary: *task, Texts: taskTexts(task, i+1, i == len(rows)-1)}
	}
	return protocol.TaskRowsResult{Tasks: rows, Week: week(&list.Week)}
}

// taskTexts words a task; its place counts from 1, and newest is the one that
// was worked on last.
func taskTexts(t *protocol.TaskSummary, place int, newest bool) protocol.TaskTexts {
	texts := protocol.TaskTexts{
		Row: taskRow(t, place, newest), Summary: TaskSummary(t), Notes: taskNotes(t, nil),
		Saving: saving(t), Costs: costs(t), Used: used(&t.Used),
	}
	for _, warning := range t.Warnings {
		texts.Warnings = append(texts.Warnings, warningRow(sentence(warning)))
	}
	return texts
}

// TaskSummary sums up a task: "attached 30 of 200 tools, 8k tokens fewer than
// VS Code by itself".
func TaskSummary(t *protocol.TaskSummary) string {
	if t.Routing == protocol.AttachAll && !t.Shadow {
		return "attached all of " + Count(t.Counts.Scoped, "tool")
	}
	attached := fmt.Sprintf("attached %s of %s", Number(t.Counts.Attached), Count(t.Counts.Scoped, "tool"))
	if t.Shadow {
		attached = fmt.Sprintf("would attach %s of %s", Number(t.Counts.Attached), Count(t.Counts.Scoped, "tool"))
	}
	return joined(", ", attached, compared(t))
}

// maxNames is how many names a sentence lists before it counts the rest.
const maxNames = 4

// taskNotes says what the person has to know of a task besides what was
// attached: the tools that routing would have missed, and what is warned of.
// Prefixes are what VS Code has put before the names of each server's tools.
func taskNotes(t *protocol.TaskSummary, prefixes map[string]string) []string {
	var notes []string
	if n := len(t.MissedTools); n > 0 {
		var names []string
		for _, tool := range t.MissedTools[:min(n, maxNames)] {
			names = append(names, strings.TrimPrefix(tool.Tool, prefixes[tool.Server]))
		}
		list, it := strings.Join(names, ", "), "them"
		if n > maxNames {
			list += " and " + CountOf(n-maxNames, "more", "more")
		}
		if n == 1 {
			it = "it"
		}
		notes = append(notes, fmt.Sprintf("Missed: %s. The model called %s, and routing would not have attached %s.", list, it, it))
	}
	for _, warning := range t.Warnings {
		notes = append(notes, sentence(warning))
	}
	return notes
}

// turnOf says where a task is.
func turnOf(t *protocol.TaskSummary) string {
	if t.Frozen {
		return fmt.Sprintf("turn %d, frozen", t.Turn)
	}
	return fmt.Sprintf("turn %d", t.Turn)
}

// modeOf names a task's mode; empty where it has none.
func modeOf(t *protocol.TaskSummary) string {
	if t.Mode == "" {
		return ""
	}
	return "mode " + t.Mode
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
	turn := ""
	if t.Turn > 1 || t.Frozen {
		turn = turnOf(t)
	}
	// What went wrong comes first: a narrow view cuts the end.
	row.Description = joined(" · ", missedOf(t), attachedOf(t), turn, modeOf(t))
	row.Accessibility = joined(", ", TaskSummary(t), turnOf(t), modeOf(t), joined(", ", taskNotes(t, nil)...))
	return row
}

// attachedOf counts a task's tools in a few letters.
func attachedOf(t *protocol.TaskSummary) string {
	if t.Routing == protocol.AttachAll && !t.Shadow {
		return "all " + Number(t.Counts.Attached)
	}
	return Number(t.Counts.Attached) + " of " + Number(t.Counts.Scoped)
}

// taskTooltip returns the paragraphs of a task's tooltip.
func taskTooltip(t *protocol.TaskSummary) []string {
	var lines []string
	if t.Shadow {
		lines = append(lines, "$(eye) "+shadowMode)
	}
	lines = append(lines, sentence(TaskSummary(t)))
	if said := used(&t.Used); said != "" {
		lines = append(lines, said)
	}
	lines = append(lines, Markdown(joined(" · ", turnOf(t), modeOf(t))))
	if t.Counts.Named > 0 {
		lines = append(lines, fmt.Sprintf("The model knows %s by name, and attaches them by %s.",
			CountOf(t.Counts.Named, "more", "more"), protocol.MetaLoad))
	}
	if t.Frozen {
		lines = append(lines, fmt.Sprintf("The tools are frozen: only the model adds more, by %s.", protocol.MetaLoad))
	}
	for _, note := range taskNotes(t, nil) {
		lines = append(lines, "$(warning) "+Markdown(note))
	}
	return lines
}

// shadowMode says what is shown of a task while the user only watches.
const shadowMode = "Shadow mode: nothing is changed; this is what routing would have done."

// warningRow makes the row of something that a person has to know of a task.
func warningRow(note string) protocol.Row {
	return protocol.Row{
		Label: note, Tooltip: Markdown(note), Icon: &protocol.Icon{ID: "warning", Color: "charts.yellow"},
		Context: "taskNote", Accessibility: "Warning: " + note,
	}
}

// sentence begins a text with a capital and ends it with a full stop.
func sentence(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	text = strings.ToUpper(text[:size]) + text[size:]
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}
