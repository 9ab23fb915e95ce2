package daemon

import (
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// judged is a task as the user is to see it: the task itself or, while the
// user only watches, what routing would have made of it.
type judged struct {
	view *router.View
	task router.Task
	// shadow: the task is not what its model is told.
	shadow bool
	// missed are the tools that were called without the shadow having them.
	missed []router.ToolID
	// warnings are what the host was told to warn of and, while the user only
	// watches, what it would have been.
	warnings []string
}

// judge returns the task of an entry as the user is to see it.
func (s *Server) judge(e *taskEntry) (judged, error) {
	e.mu.Lock()
	task, shadow, mode, missed, warnings := e.task, e.shadow, e.mode, e.missed, e.warnings
	e.mu.Unlock()
	v, err := s.workspace.view(task.Source, mode)
	if err != nil {
		return judged{}, err
	}
	switch {
	case !v.Settings.Shadow:
		return judged{view: v, task: task, warnings: warnings}, nil
	case shadow == nil:
		return judged{view: v.Unrouted(), task: task, warnings: warnings}, nil // no turn since the user began to watch
	}
	return judged{
		view: v, task: *shadow, shadow: true, missed: missed,
		warnings: append(slices.Clip(warnings), shadow.Warnings...),
	}, nil
}

// explain says why each tool is or is not attached.
func (j *judged) explain() []protocol.ExplainedTool {
	tools := j.view.Explain(&j.task)
	for i := range tools {
		id := router.ToolID{Server: tools[i].Server, Tool: tools[i].Tool}
		tools[i].Missed = slices.Contains(j.missed, id)
	}
	return tools
}

// shadowCall notes a call in the task's shadow, if there is one. The caller
// holds mu.
func (e *taskEntry) shadowCall(id router.ToolID) {
	if e.shadow == nil {
		return
	}
	if e.shadow.Has(id) < 0 && !slices.Contains(e.missed, id) {
		e.missed = append(slices.Clip(e.missed), id)
	}
	next := e.shadow.Call(id)
	e.shadow = &next
}

// shadowCalls notes calls that the host has made in the task's shadow.
func (e *taskEntry) shadowCalls(ids []router.ToolID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range ids {
		e.shadowCall(id)
	}
}
