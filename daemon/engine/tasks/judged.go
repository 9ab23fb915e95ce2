package tasks

import (
	"slices"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// Judged is a task as the user sees it: the task itself or, in shadow mode, the task as
// routing would have made it.
type Judged struct {
	View *router.View
	Task router.Task
	// Shadow reports that the task differs from what its model was sent.
	Shadow bool
	// Missed holds the tools that were called but that the shadow did not have.
	Missed []router.ToolID
	// Warnings holds the host's warnings and, in shadow mode, those that there would be.
	Warnings []string
}

// Judge returns the task of an entry as the user sees it.
func (s *Store) Judge(e *Entry) (Judged, error) {
	e.mu.Lock()
	task, shadow, mode, missed, warnings := e.task, e.shadow, e.mode, e.missed, e.warnings
	e.mu.Unlock()
	v, err := s.views(task.Source, mode)
	if err != nil {
		return Judged{}, err
	}
	switch {
	case !v.Settings.Shadow:
		return Judged{View: v, Task: task, Warnings: warnings}, nil
	case shadow == nil:
		return Judged{View: v.Unrouted(), Task: task, Warnings: warnings}, nil // no turn since shadow mode began
	}
	return Judged{
		View: v, Task: *shadow, Shadow: true, Missed: missed,
		Warnings: append(slices.Clip(warnings), shadow.Warnings...),
	}, nil
}

// Summary describes the task of an entry, without the name of its mode.
func (s *Store) Summary(e *Entry) (protocol.TaskSummary, error) {
	j, err := s.Judge(e)
	if err != nil {
		return protocol.TaskSummary{}, err
	}
	a := j.View.Attachment(&j.Task)
	missed := make([]protocol.ToolRef, len(j.Missed))
	for i, id := range j.Missed {
		if tool, ok := j.View.Catalog.Lookup(id); ok {
			id = j.View.Catalog.Tools[tool].Own
		}
		missed[i] = protocol.ToolRef(id)
	}
	return protocol.TaskSummary{
		Task: j.Task.ID, Source: j.Task.Source, Mode: j.Task.Mode, OutOfMode: j.View.Mode.TakesAway(j.View.Catalog, j.View.Scope), Turn: j.Task.Turn,
		Frozen: a.Frozen, Counts: a.Counts, Tokens: a.Tokens, Routing: j.Task.Routing, Used: j.View.Used(&j.Task),
		Shadow: j.Shadow, Missed: len(j.Missed), MissedTools: missed, Warnings: j.Warnings,
		Client: j.Task.Client != nil, ClientComputed: j.Task.Client != nil && j.Task.Client.Computed,
		TaskFacts: e.Facts(),
	}, nil
}

// Past returns an entry for a closed task of an earlier session.
func Past(owner principal.Principal, t router.Task, mode *router.Mode, facts protocol.TaskFacts) *Entry {
	return &Entry{Principal: owner, ID: t.ID, task: t, mode: mode, facts: facts}
}

// Tried returns an entry for a task that was never opened, as routing would have made it,
// in shadow mode or not.
func Tried(owner principal.Principal, t router.Task, mode *router.Mode) *Entry {
	return &Entry{Principal: owner, task: t, shadow: &t, mode: mode}
}

// Explain says why each tool is or is not attached.
func (j *Judged) Explain() []protocol.ExplainedTool {
	tools := j.View.Explain(&j.Task)
	for i := range tools {
		id := router.ToolID{Server: tools[i].Server, Tool: tools[i].Tool}
		tools[i].Missed = slices.Contains(j.Missed, id)
		reasons.Explain(&tools[i], j.Task.Turn, j.Task.Gated, j.Shadow)
	}
	return tools
}

// Current returns what the task sees now: the newest catalogue under the mode policy of
// its latest turn. A running request keeps its policy.
func (s *Store) Current(e *Entry) (*router.View, router.Task, error) {
	t, _, mode := e.Snapshot()
	v, err := s.views(t.Source, mode)
	if err != nil {
		return nil, t, err
	}
	if v.Settings.Shadow {
		v = v.Unrouted()
	}
	return e.inFolders(v), t, nil
}

// View returns the view of a source under a mode.
func (s *Store) View(source string, mode *router.Mode) (*router.View, error) {
	return s.views(source, mode)
}
