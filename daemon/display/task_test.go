package display

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// summary makes the summary of a task, as change leaves it.
func summary(change func(*protocol.TaskSummary)) *protocol.TaskSummary {
	t := &protocol.TaskSummary{
		Task: "task-1", Turn: 2, Counts: protocol.AttachedCounts{Scoped: 200, Attached: 30, Native: 3},
		Routing: protocol.AttachDynamic,
		Tokens:  protocol.AttachedTokens{All: 10_200, Attached: 2200, Saved: 8000, Client: 10_200, ClientSaved: 8000},
	}
	if change != nil {
		change(t)
	}
	return t
}

func missedTools(names ...string) []protocol.ToolRef {
	var refs []protocol.ToolRef
	for _, name := range names {
		refs = append(refs, protocol.ToolRef{Server: "files", Tool: name})
	}
	return refs
}

// contains fails for each part that a text does not have.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q has no %q", text, part)
		}
	}
}

func TestTaskSummary(t *testing.T) {
	t.Parallel()
	equal := protocol.AttachedTokens{All: 5, Attached: 5, Client: 5}
	for want, change := range map[string]func(*protocol.TaskSummary){
		"attached 30 of 200 tools, 8k tokens fewer than all of them":     nil,
		"would attach 30 of 200 tools, 8k tokens fewer than all of them": func(s *protocol.TaskSummary) { s.Shadow = true },
		"attached 30 of 200 tools": func(s *protocol.TaskSummary) {
			s.Client, s.Tokens.ClientSaved = true, -320
		},
		"attached all of 200 tools": func(s *protocol.TaskSummary) {
			s.Tokens, s.Routing, s.Counts.Attached = equal, protocol.AttachAll, 200
		},
		"attached all of 1 tool": func(s *protocol.TaskSummary) {
			s.Routing, s.Counts.Scoped, s.Counts.Attached = protocol.AttachAll, 1, 1
		},
		// Routing is off, and the client hides the others.
		"attached 12 of 200 tools": func(s *protocol.TaskSummary) { s.Routing, s.Counts.Attached = protocol.AttachAll, 12 },
		"would attach 30 of 200 tools": func(s *protocol.TaskSummary) {
			s.Tokens, s.Routing, s.Shadow = equal, protocol.AttachAll, true
		},
	} {
		if got := TaskSummary(summary(change), 0); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A task is called by its place; its host knows its first words.
func TestTasks(t *testing.T) {
	t.Parallel()
	list := protocol.TaskListResult{
		Tasks: []protocol.TaskSummary{*summary(nil), *summary(func(s *protocol.TaskSummary) { s.Mode, s.ModeName = "review", "Code Review" })},
		Week:  protocol.WeekSavings{Requests: 1, Tasks: 1},
	}
	rows := Tasks(&list)
	first, second := rows.Tasks[0].Texts.Row, rows.Tasks[1].Texts.Row
	if first.Label != "Task 1" || second.Label != "Task 2" {
		t.Errorf("labels are %q and %q, want Task 1 and Task 2", first.Label, second.Label)
	}
	if first.Icon.Color != "" || second.Icon.Color != "charts.blue" {
		t.Errorf("colours are %q and %q, want only the newest blue", first.Icon.Color, second.Icon.Color)
	}
	if want := "30 of 200 · turn 2 · mode Code Review"; second.Description != want {
		t.Errorf("description is %q, want %q", second.Description, want)
	}
	if want := "30 of 200 tools, turn 2, mode Code Review, 8k tokens fewer than all of them"; second.Accessibility != want {
		t.Errorf("accessibility is %q, want %q", second.Accessibility, want)
	}
	contains(t, rows.Week, "This week, 1 request")

	takes := taskRow(summary(func(s *protocol.TaskSummary) { s.Mode, s.ModeName, s.OutOfMode = "review", "Code Review", 6 }), 1, false)
	for what, text := range map[string]string{"description": takes.Description, "spoken": takes.Accessibility, "tooltip": takes.Tooltip} {
		if want := "mode Code Review, which takes 6 tools away"; !strings.Contains(text, want) {
			t.Errorf("%s is %q, want %q in it", what, text, want)
		}
	}
}

func TestTaskRow(t *testing.T) {
	t.Parallel()
	frozen := taskRow(summary(func(s *protocol.TaskSummary) { s.Turn, s.Frozen = 1, true }), 1, false)
	if want := "30 of 200 · turn 1, no more added"; frozen.Description != want {
		t.Errorf("description is %q, want %q", frozen.Description, want)
	}
	contains(t, frozen.Tooltip, "Attached 30 of 200 tools, 8k tokens fewer than all of them.", "Messages add no more tools to this task; the model still can, by mcp_load.")
	called := taskRow(summary(func(s *protocol.TaskSummary) {
		s.Turn, s.Used, s.Counts.Named = 1, protocol.UsedTools{Called: 1, InHand: 1}, 60
	}), 1, false)
	if want := "30 of 200"; called.Description != want {
		t.Errorf("description is %q, want %q", called.Description, want)
	}
	contains(t, called.Tooltip, "The model asked to call 1 tool", "The model knows 60 more by name, and attaches them by mcp_load.")
	kept := taskRow(summary(func(s *protocol.TaskSummary) { s.Counts.Kept, s.Counts.Named = 1, 1 }), 1, false)
	contains(t, kept.Tooltip, "1 more tool stays in its requests and cannot be called any more: without it the model would read the whole chat anew.",
		"The model knows 1 more by name, and attaches it by mcp_load.")
	if strings.Contains(frozen.Tooltip, "by name") {
		t.Errorf("%q tells of names where there are none", frozen.Tooltip)
	}
	if mode := taskRow(summary(func(s *protocol.TaskSummary) { s.Mode = "[x](command:y)" }), 1, false); strings.Contains(mode.Tooltip, "](") {
		t.Errorf("the words of a file are Markdown: %q", mode.Tooltip)
	}
}

// Shadow mode says what is would-be, and what was missed.
func TestTaskRow_shadow(t *testing.T) {
	t.Parallel()
	row := taskRow(summary(func(s *protocol.TaskSummary) {
		s.Shadow, s.Missed, s.MissedTools = true, 2, missedTools("a", "b")
	}), 1, true)
	contains(t, row.Tooltip, "$(eye) Shadow mode", `$(warning) Missed: a of files, b of files\. The model called them`)
	contains(t, row.Accessibility, "Missed: a of files, b of files. The model called them")
	if want := "2 missed · 30 of 200 · turn 2"; row.Description != want {
		t.Errorf("description is %q, want %q", row.Description, want)
	}
	if row.Context != "task.shadow" || row.Icon.ID != "eye" {
		t.Errorf("got context %q and icon %q, want task.shadow and eye", row.Context, row.Icon.ID)
	}
	if live := taskRow(summary(nil), 1, true); live.Context != "task.dynamic" || live.Icon.ID != "comment-discussion" {
		t.Errorf("got context %q and icon %q, want task.dynamic and comment-discussion", live.Context, live.Icon.ID)
	}
}

func TestTaskNotes(t *testing.T) {
	t.Parallel()
	if got := taskNotes(summary(nil)); len(got) > 0 {
		t.Errorf("got %q, want nothing", got)
	}
	noted := summary(func(s *protocol.TaskSummary) {
		s.MissedTools = missedTools("a", "b", "c", "d", "e", "f")
		s.Warnings = []string{"3 pinned tools do not fit", "server x claimed the message. The model answers."}
	})
	want := []string{
		"Missed: a of files, b of files, c of files, d of files and 2 more. The model called them, and routing would not have attached them.",
		"3 pinned tools do not fit.",
		"Server x claimed the message. The model answers.",
	}
	if got := taskNotes(noted); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	one := summary(func(s *protocol.TaskSummary) { s.MissedTools = missedTools("a") })
	want = []string{"Missed: a of files. The model called it, and routing would not have attached it."}
	if got := taskNotes(one); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// A warning is a row of its own; a tool that was missed has one already.
func TestTaskTexts_warnings(t *testing.T) {
	t.Parallel()
	texts := taskTexts(summary(func(s *protocol.TaskSummary) {
		s.MissedTools, s.Warnings = missedTools("a"), []string{"3 pinned <tools> do not fit"}
	}), 1, true)
	if len(texts.Notes) != 2 || len(texts.Warnings) != 1 {
		t.Fatalf("got the notes %q and %d rows, want 2 and 1", texts.Notes, len(texts.Warnings))
	}
	row := texts.Warnings[0]
	if want := "3 pinned <tools> do not fit."; row.Label != want {
		t.Errorf("label is %q, want %q", row.Label, want)
	}
	if want := `3 pinned \<tools\> do not fit\.`; row.Tooltip != want {
		t.Errorf("tooltip is %q, want %q", row.Tooltip, want)
	}
}
