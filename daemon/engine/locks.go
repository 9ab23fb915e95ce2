package engine

import (
	"context"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// ApproveLocked approves what a server says now, and returns once that is in force.
func (e *Engine) ApproveLocked(ctx context.Context, p *protocol.LockDecideParams) (protocol.LockDecideResult, error) {
	return settled(ctx, e, p, e.Locks.Approve)
}

// KeepLocked keeps the locked state of a server, and returns once that is in force.
func (e *Engine) KeepLocked(ctx context.Context, p *protocol.LockDecideParams) (protocol.LockDecideResult, error) {
	return settled(ctx, e, p, e.Locks.Keep)
}

// UndoLocked undoes an answer about the lock, and returns once that is in force.
func (e *Engine) UndoLocked(ctx context.Context, p *protocol.LockUndoParams) (protocol.LockDecideResult, error) {
	return settled(ctx, e, p, e.Locks.Undo)
}

// SetApproved writes whether a tool runs without confirmation, and returns once that is
// in force. The approval is for the tool's current content.
func (e *Engine) SetApproved(ctx context.Context, p *protocol.ToolApproveParams) (protocol.EditResult, error) {
	result, err := e.Edits.SetApproved(ctx, p.Server, p.Tool, p.Approved)
	if err != nil || !p.Approved {
		return result, err
	}
	e.Locks.Allowed(router.ToolID{Server: p.Server, Tool: p.Tool})
	return result, e.Settle(ctx)
}

// settled calls answer, and returns once the answer is in force.
func settled[P any](ctx context.Context, e *Engine, p *P, answer func(*P) (protocol.LockDecideResult, error)) (protocol.LockDecideResult, error) {
	result, err := answer(p)
	if err != nil {
		return result, err
	}
	err = e.Settle(ctx)
	e.Changes.LockChanged()
	return result, err
}
