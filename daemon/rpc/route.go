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

// Route answers one method with a result or a [Deferred].
type Route func(ctx context.Context, params json.RawMessage) (any, error)

// ParamsError is returned for params of the wrong shape.
type ParamsError struct{ Cause error }

func (e *ParamsError) Error() string { return fmt.Sprintf("params: %v", e.Cause) }

// Unwrap returns the cause.
func (e *ParamsError) Unwrap() error { return e.Cause }

// Sync returns a route for a function that does not block.
func Sync[P, R any](f func(ctx context.Context, p *P) (R, error)) Route {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		p, err := Read[P](params)
		if err != nil {
			return nil, err
		}
		return f(ctx, p)
	}
}

// Async returns a route for a function that may block, without blocking later messages.
func Async[P, R any](f func(ctx context.Context, p *P) (R, error)) Route {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		p, err := Read[P](params)
		if err != nil {
			return nil, err
		}
		return Deferred(func() (any, error) { return f(ctx, p) }), nil
	}
}

// Notification returns a route for a notification.
func Notification[P any](f func(ctx context.Context, p *P) error) Route {
	return Sync(func(ctx context.Context, p *P) (protocol.Empty, error) { return protocol.Empty{}, f(ctx, p) })
}

// Read decodes the params of a method. It first repairs what is not I-JSON, such as a
// lone surrogate, by [ijson.Normalize]. The error is a [*ParamsError].
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
