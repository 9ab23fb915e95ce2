package calls

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine/catalog"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Vectors adds to a view the vector of a text to be ranked.
type Vectors func(ctx context.Context, v *router.View, text string) *router.View

// Loader attaches tools that models or hosts request between turns, and searches the
// tools of a task.
type Loader struct{ options Options }

// Load attaches tools to a task. Callers must be in the task's order.
func (l *Loader) Load(ctx context.Context, e *tasks.Entry, p *protocol.TaskLoadParams) (protocol.TaskLoadResult, error) {
	v, t, err := l.options.Tasks.Current(e)
	if err != nil {
		return protocol.TaskLoadResult{}, err
	}
	if p.Query == "" && len(p.Names) == 0 {
		return protocol.TaskLoadResult{}, failure.Invalid("a query or names are needed")
	}
	result := l.load(ctx, e, v, t, router.Request{Query: p.Query, Names: p.Names, Limit: p.Limit})
	e.AddState(&result.Attachment, p.WantState)
	return result, nil
}

// load attaches what the model requested.
func (l *Loader) load(ctx context.Context, e *tasks.Entry, v *router.View, t router.Task, r router.Request) protocol.TaskLoadResult {
	v = l.options.Vectors(ctx, v, router.QueryText(r.Query))
	t, loaded := v.Load(t, r)
	e.Change(t)
	if v.Settings.Learn.Loads {
		l.options.Learned.Load(&t, loaded.Sought)
	}
	l.options.Telemetry.LoadInvoked(&t, r, loaded.Tools)
	return protocol.TaskLoadResult{Loaded: loaded.Tools, Text: loaded.Text, Attachment: v.Attachment(&t)}
}

// Search ranks the tools that a task could attach. Callers must be in the task's order.
func (l *Loader) Search(ctx context.Context, e *tasks.Entry, p *protocol.TaskSearchParams) (protocol.TaskSearchResult, error) {
	v, t, err := l.options.Tasks.Current(e)
	if err != nil {
		return protocol.TaskSearchResult{}, err
	}
	v = l.options.Vectors(ctx, v, p.Query)
	result := protocol.TaskSearchResult{Ranker: v.RankerName(), Compared: v.Attachment(&t).Counts.Scoped}
	for _, m := range v.Search(&t, p.Query, p.Limit, false) {
		tool := &v.Catalog.Tools[m.Doc]
		result.Tools = append(result.Tools, protocol.TaskSearchTool{
			FoundTool: catalog.FoundTool(tool, m, false),
			Own:       protocol.ToolRef(tool.Own),
			Attached:  t.Has(tool.ID) >= 0,
			Signature: tool.Signature(),
		})
	}
	return result, nil
}
