package turns

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Inspector looks at the open tasks as the user is to see them.
type Inspector struct {
	tasks    *tasks.Store
	modeName func(slug string) string
	week     func() protocol.WeekSavings
	vectors  calls.Vectors
}

// NewInspector returns what looks at tasks; modeName tells a mode's name by its
// slug, week what was saved by all, and vectors gives a view the vector of the
// text that was ranked.
func NewInspector(s *tasks.Store, modeName func(slug string) string, week func() protocol.WeekSavings, vectors calls.Vectors) *Inspector {
	return &Inspector{s, modeName, week, vectors}
}

// List describes the open tasks, the one that was worked on last at the end.
func (i *Inspector) List() (protocol.TaskListResult, error) {
	result := protocol.TaskListResult{Week: i.week()}
	for _, e := range i.tasks.List() {
		if t, _, _ := e.Snapshot(); t.ID == "" {
			continue // still being opened
		}
		j, err := i.tasks.Judge(e)
		if err != nil {
			return result, err
		}
		a := j.View.Attachment(&j.Task)
		result.Tasks = append(result.Tasks, protocol.TaskSummary{
			Task: j.Task.ID, Source: j.Task.Source, Mode: j.Task.Mode, ModeName: i.modeName(j.Task.Mode), Turn: j.Task.Turn,
			Frozen: a.Frozen, Counts: a.Counts, Tokens: a.Tokens, Routing: j.Task.Routing, Used: j.View.Used(&j.Task),
			Shadow: j.Shadow, Missed: len(j.Missed), MissedTools: refs(j.Missed), Warnings: j.Warnings,
			Client: j.Task.Client != nil, ClientComputed: j.Task.Client != nil && j.Task.Client.Computed,
		})
	}
	return result, nil
}

func refs(ids []router.ToolID) []protocol.ToolRef {
	refs := make([]protocol.ToolRef, len(ids))
	for i, id := range ids {
		refs[i] = protocol.ToolRef(id)
	}
	return refs
}

// Explain says why each tool is or is not attached.
func (i *Inspector) Explain(ctx context.Context, e *tasks.Entry, p *protocol.TaskExplainParams) (protocol.TaskExplainResult, error) {
	j, err := i.tasks.Judge(e)
	if err != nil {
		return protocol.TaskExplainResult{}, err
	}
	j.View = i.vectors(ctx, j.View, j.View.RankedText(&j.Task))
	result := protocol.TaskExplainResult{Ranker: j.View.RankerName(), Gating: j.Task.Gated, Shadow: j.Shadow}
	if p.Tool == "" {
		result.Tools = j.Explain()
		return result, nil
	}
	id, err := j.View.Find(&j.Task, p.Tool)
	if err != nil {
		return protocol.TaskExplainResult{}, err
	}
	for _, tool := range j.Explain() {
		if tool.Server == id.Server && tool.Tool == id.Tool {
			result.Tools = append(result.Tools, tool)
		}
	}
	return result, nil
}

// Usage says where the context goes.
func (i *Inspector) Usage(e *tasks.Entry, p *protocol.TaskUsageParams) (protocol.TaskUsageResult, error) {
	j, err := i.tasks.Judge(e)
	if err != nil {
		return protocol.TaskUsageResult{}, err
	}
	usage := j.View.TokenUsage(&j.Task, p.Sections)
	usage.Shadow = j.Shadow
	return usage, nil
}
