package calls

import (
	"context"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/learned"
	"github.com/winnow-mcp/winnow/daemon/engine/settings"
	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/ranker"
)

// Answers are what tools that only read have answered, or are about to.
type Answers = results.Cache[upstream.Progress, *upstream.Result]

// Upstream runs tools of MCP servers. [upstream.Manager] does.
type Upstream interface {
	Call(ctx context.Context, r upstream.CallRequest) (*upstream.Result, error)
}

// reader runs tools through the cache of answers, and notes their use.
type reader struct {
	upstream Upstream
	answers  *Answers
	settings *settings.Store
	uses     *learned.Uses
}

// run runs the tool of a decision and notes the use. Identical calls of a tool
// that only reads share one; any other makes what its server has answered
// before stale.
func (r *reader) run(ctx context.Context, d Decision, c Call) (*upstream.Result, error) {
	result, err := r.ask(ctx, d, c)
	if err == nil {
		r.uses.Record(d.ID)
	}
	return result, err
}

func (r *reader) ask(ctx context.Context, d Decision, c Call) (*upstream.Result, error) {
	call := func(ctx context.Context, progress func(upstream.Progress)) (*upstream.Result, error) {
		return r.upstream.Call(ctx, upstream.CallRequest{
			Server: d.ID.Server, Tool: d.ID.Tool, Arguments: d.Arguments, Meta: c.Meta, Caller: c.Caller, Progress: progress,
		})
	}
	if d.Tool == nil || d.Tool.ReadOnly != ranker.Yes {
		r.answers.Write(d.ID.Server)
		defer r.answers.Write(d.ID.Server)
		return call(ctx, c.Progress)
	}
	if len(c.Meta) > 0 {
		return call(ctx, c.Progress) // what it holds may change the answer
	}
	return r.answers.Read(ctx, results.Call[upstream.Progress, *upstream.Result]{
		Key: results.Key{
			Server: d.ID.Server, Tool: d.ID.Tool, Arguments: results.Canonical(d.Arguments), Scope: d.scope,
		},
		TTL:      time.Duration(r.settings.Load().Results.CacheTTLSeconds) * time.Second,
		Do:       call,
		Keep:     func(answer *upstream.Result) bool { return !answer.IsError },
		Progress: c.Progress,
	})
}
