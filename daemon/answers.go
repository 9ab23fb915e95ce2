package daemon

import (
	"context"
	"time"

	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/ranker"
)

// answers are what tools that only read have answered, or are about to.
type answers = results.Cache[upstream.Progress, *upstream.Result]

// ask runs the tool of a decision and notes the use. Identical calls of a tool
// that only reads share one; any other makes what its server has answered
// before stale.
func (w *workspace) ask(ctx context.Context, d decision, c toolCall) (*upstream.Result, error) {
	result, err := w.askTool(ctx, d, c)
	if err == nil {
		w.usage.Record(d.id)
	}
	return result, err
}

func (w *workspace) askTool(ctx context.Context, d decision, c toolCall) (*upstream.Result, error) {
	call := func(ctx context.Context, progress func(upstream.Progress)) (*upstream.Result, error) {
		return w.manager.Call(ctx, upstream.CallRequest{
			Server: d.id.Server, Tool: d.id.Tool, Arguments: d.arguments, Meta: c.meta, Caller: c.caller, Progress: progress,
		})
	}
	if d.tool == nil || d.tool.ReadOnly != ranker.Yes {
		w.answers.Write(d.id.Server)
		defer w.answers.Write(d.id.Server)
		return call(ctx, c.progress)
	}
	if len(c.meta) > 0 {
		return call(ctx, c.progress) // what it holds may change the answer
	}
	return w.answers.Read(ctx, results.Call[upstream.Progress, *upstream.Result]{
		Key: results.Key{
			Server: d.id.Server, Tool: d.id.Tool, Arguments: results.Canonical(d.arguments), Scope: d.scope,
		},
		TTL:      time.Duration(w.settings.Load().Results.CacheTTLSeconds) * time.Second,
		Do:       call,
		Keep:     func(r *upstream.Result) bool { return !r.IsError },
		Progress: c.progress,
	})
}
