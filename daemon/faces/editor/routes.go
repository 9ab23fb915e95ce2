package editor

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// routes returns the routes of all methods of protocol.Methods that are sent to the
// daemon, except those of the lifecycle (initialize.go) and $/cancelRequest, which the
// connection handles.
func (s *Session) routes(e *parts, g Gateway) map[string]rpc.Route {
	all := map[string]rpc.Route{}
	for _, some := range []map[string]rpc.Route{
		sessionRoutes(e, g, s.options.LogLevel),
		catalogRoutes(e),
		serverRoutes(e),
		fileRoutes(e),
		lockRoutes(e),
		importRoutes(e),
		taskRoutes(e),
		callRoutes(e, s.conn.Notify),
		conversationRoutes(e),
	} {
		maps.Copy(all, some)
	}
	return all
}

// inTask returns the route of a method on an open task, which find returns. Requests on
// one task take effect in the order of arrival.
func inTask[P, R any](find func(id string) (*tasks.Entry, error), id func(p *P) string, f func(ctx context.Context, e *tasks.Entry, p *P) (R, error)) rpc.Route {
	return placed(func(ctx context.Context, p *P) (tasks.Work[R], error) {
		e, err := find(id(p))
		if err != nil {
			return nil, err
		}
		return tasks.InOrder(ctx, e, func() (R, error) { return f(ctx, e, p) }), nil
	})
}

// placed returns the route of a method that is queued among the requests of a task while
// the message is read, and runs in its turn.
func placed[P, R any](f func(ctx context.Context, p *P) (tasks.Work[R], error)) rpc.Route {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		p, err := rpc.Read[P](params)
		if err != nil {
			return nil, err
		}
		work, err := f(ctx, p)
		if err != nil {
			return nil, err
		}
		return rpc.Deferred(func() (any, error) { return work() }), nil
	}
}

// plain adapts a function that needs no context.
func plain[P, R any](f func(p *P) (R, error)) func(context.Context, *P) (R, error) {
	return func(_ context.Context, p *P) (R, error) { return f(p) }
}

// bare adapts a function that needs neither a context nor params.
func bare[R any](f func() (R, error)) func(context.Context, *protocol.Empty) (R, error) {
	return func(context.Context, *protocol.Empty) (R, error) { return f() }
}

// done adapts a function whose success has no result.
func done[P any](f func(ctx context.Context, p *P) error) func(context.Context, *P) (protocol.Empty, error) {
	return func(ctx context.Context, p *P) (protocol.Empty, error) { return protocol.Empty{}, f(ctx, p) }
}
