package enginetest

import (
	"context"
	"errors"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/protocol"
)

// Refusal is an error of the engine with the data that every face reports.
type Refusal struct {
	Message string
	Data    protocol.ErrorData
}

func (r *Refusal) Error() string {
	return r.Message + " (" + string(r.Data.Kind) + "; next: " + r.Data.Next + ")"
}

// Call makes the engine do something; an error ends the test.
func Call[P, R any](h *Host, do func(context.Context, *P) (R, error), p P) R {
	h.t.Helper()
	result, err := Try(h, do, p)
	if err != nil {
		h.Fatalf("%T: %v", p, err)
	}
	return result
}

// Try makes the engine do something, and returns a [Refusal] if it fails.
func Try[P, R any](h *Host, do func(context.Context, *P) (R, error), p P) (R, error) {
	return TryIn(context.WithoutCancel(h.t.Context()), do, p)
}

// TryIn is [Try] under ctx, which may end.
func TryIn[P, R any](ctx context.Context, do func(context.Context, *P) (R, error), p P) (R, error) {
	result, err := do(ctx, &p)
	if err != nil {
		return result, &Refusal{err.Error(), engine.Describe(ctx, err).Data()}
	}
	return result, nil
}

// Refused makes a request that the engine must refuse, and returns the error.
func Refused[P, R any](h *Host, do func(context.Context, *P) (R, error), p P) *Refusal {
	h.t.Helper()
	result, err := Try(h, do, p)
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		h.Fatalf("%T %+v: got %+v, want an error", p, p, result)
	}
	return refusal
}

// KindOf returns the kind of an error of [Try]; "" if err is nil.
func KindOf(err error) protocol.ErrorKind {
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return refusal.Data.Kind
	}
	return ""
}

// worked runs work that was queued.
func worked[R any](work tasks.Work[R], err error) (R, error) {
	if err != nil {
		var none R
		return none, err
	}
	return work()
}

// inTask queues a request in a task, which find returns, and runs it.
func inTask[P, R any](ctx context.Context, find func(string) (*tasks.Entry, error), task string, do func(context.Context, *tasks.Entry, *P) (R, error), p *P) (R, error) {
	entry, err := find(task)
	if err != nil {
		var none R
		return none, err
	}
	return tasks.InOrder(ctx, entry, func() (R, error) { return do(ctx, entry, p) })()
}

// value dereferences the answer of a call.
func value(r *protocol.TaskCallResult, err error) (protocol.TaskCallResult, error) {
	if err != nil {
		return protocol.TaskCallResult{}, err
	}
	return *r, nil
}

// done returns the empty result.
func done(err error) (protocol.Empty, error) { return protocol.Empty{}, err }
