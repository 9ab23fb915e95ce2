package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Route answers one method. It returns a result, or a [Deferred].
type Route func(ctx context.Context, params json.RawMessage) (any, error)

// ParamsError is returned for params that do not have the method's shape.
type ParamsError struct{ Cause error }

func (e *ParamsError) Error() string { return fmt.Sprintf("params: %v", e.Cause) }

// Unwrap returns the cause.
func (e *ParamsError) Unwrap() error { return e.Cause }

// Sync makes a route of a method that is answered at once.
func Sync[P, R any](f func(ctx context.Context, p *P) (R, error)) Route {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		p, err := Read[P](params)
		if err != nil {
			return nil, err
		}
		return f(ctx, p)
	}
}

// Async makes a route of a method that may wait: later messages do not.
func Async[P, R any](f func(ctx context.Context, p *P) (R, error)) Route {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		p, err := Read[P](params)
		if err != nil {
			return nil, err
		}
		return Deferred(func() (any, error) { return f(ctx, p) }), nil
	}
}

// Notification makes a route of a notification.
func Notification[P any](f func(ctx context.Context, p *P) error) Route {
	return Sync(func(ctx context.Context, p *P) (protocol.Empty, error) { return protocol.Empty{}, f(ctx, p) })
}

// Read decodes the params of a method. What is no I-JSON, such as a lone surrogate,
// is mended first, as [ijson.Normalize] says. The error is a [*ParamsError].
func Read[P any](params json.RawMessage) (*P, error) {
	p := new(P)
	err := codec.Unmarshal(params, p)
	if err == nil {
		return p, nil
	}
	mended, syntax := ijson.Normalize(params)
	if syntax != nil {
		return nil, &ParamsError{ijson.Words(syntax)}
	}
	p = new(P)
	if bytes.Equal(mended, params) || codec.Unmarshal(mended, p) != nil {
		return nil, &ParamsError{ijson.Words(err)}
	}
	return p, nil
}
