package turns

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/conversations"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Inspector reads tasks as the user sees them: open ones, and those of chats of earlier
// sessions.
type Inspector struct{ options InspectorOptions }

// InspectorOptions configures an [Inspector].
type InspectorOptions struct {
	Tasks         *tasks.Store
	Conversations *conversations.Conversations
	Modes         *workspace.Modes
	// Week and Days return what routing saved in all tasks.
	Week func() protocol.WeekSavings
	Days func() []protocol.DaySavings
	// Vectors adds to a view the vector of the ranked text.
	Vectors calls.Vectors
	// Source names the list of tools for displaying a past task, because its own list
	// ended with its session.
	Source func() string
}

// NewInspector returns an inspector.
func NewInspector(o InspectorOptions) *Inspector { return &Inspector{o} }

// List describes the open tasks, last used last. Before there is one, it describes that
// of the chat that the client has open.
func (i *Inspector) List() (protocol.TaskListResult, error) {
	result := protocol.TaskListResult{Week: i.options.Week(), Days: i.options.Days()}
	for _, e := range i.options.Tasks.List() {
		if t, _, _ := e.Snapshot(); t.ID == "" {
			continue // still being opened
		}
		summary, err := i.options.Tasks.Summary(e)
		if err != nil {
			return result, err
		}
		summary.ModeName = i.options.Modes.Name(summary.Mode)
		result.Tasks = append(result.Tasks, summary)
	}
	if current, ok := i.options.Conversations.Current(); ok && len(result.Tasks) == 0 {
		result.Tasks = append(result.Tasks, current)
	}
	return result, nil
}

// Past describes the tasks of chats of earlier sessions, last used last.
func (i *Inspector) Past() (protocol.TaskListResult, error) {
	return protocol.TaskListResult{Tasks: i.options.Conversations.Past(), Week: i.options.Week()}, nil
}

// Look returns a task without marking it as used: an open one, or one of an earlier
// session as it was then.
func (i *Inspector) Look(id string) (*tasks.Entry, error) {
	e, unknown := i.options.Tasks.Look(principal.Local, id)
	if unknown == nil {
		return e, nil
	}
	t, facts, ok := i.options.Conversations.Recall(id)
	if !ok {
		return nil, unknown
	}
	mode, err := i.options.Modes.Policy(t.Mode)
	if err != nil {
		mode = i.options.Modes.None()
	}
	t.Source = i.options.Source()
	return tasks.Past(principal.Local, t, mode, facts), nil
}

// Try returns a task as it would be after a first message, with the list of tools and the
// model of an open or past task, or those of a source. The task is not opened, no server
// is called and nothing is learned. A provider of embeddings gets the message as any
// other.
func (i *Inspector) Try(ctx context.Context, p *protocol.TaskWhyParams) (*tasks.Entry, error) {
	mode, err := i.options.Modes.Policy("")
	if err != nil {
		return nil, err
	}
	t := router.Task{Source: p.Source}
	if p.Task != "" {
		like, err := i.Look(p.Task)
		if err != nil {
			return nil, err
		}
		was, _, _ := like.Snapshot()
		t.Source, t.Model = was.Source, was.Model
	}
	v, err := i.options.Tasks.View(t.Source, mode)
	if err != nil {
		return nil, err
	}
	v = i.options.Vectors(ctx, v, v.TurnText(t, p.Message))
	t = v.Turn(t, p.Message)
	return tasks.Tried(principal.Local, t, mode), nil
}

// Explain says why each tool is or is not attached.
func (i *Inspector) Explain(ctx context.Context, e *tasks.Entry, p *protocol.TaskExplainParams) (protocol.TaskExplainResult, error) {
	j, err := i.options.Tasks.Judge(e)
	if err != nil {
		return protocol.TaskExplainResult{}, err
	}
	j.View = i.options.Vectors(ctx, j.View, j.View.RankedText(&j.Task))
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

// Usage breaks down the task's context.
func (i *Inspector) Usage(e *tasks.Entry, p *protocol.TaskUsageParams) (protocol.TaskUsageResult, error) {
	j, err := i.options.Tasks.Judge(e)
	if err != nil {
		return protocol.TaskUsageResult{}, err
	}
	sections := p.Sections
	if len(sections) == 0 {
		sections = e.Facts().Sections
	}
	usage := j.View.TokenUsage(&j.Task, sections)
	usage.Shadow = j.Shadow
	return usage, nil
}
