package engine

import (
	"context"
	"log/slog"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// recordLock keeps what becomes of the lock on tools in the journal: names only,
// what servers say is foreign text.
func (e *Engine) recordLock(event toollock.Event) {
	level := slog.LevelInfo
	next := ""
	if event.Action == toollock.Changed {
		level, next = slog.LevelWarn, "answer in the Servers view, or run `winnowd lock -forget` with the server's name and start anew"
	}
	e.options.Log.Log(context.Background(), level, "lock on tools", "action", event.Action, "server", event.Server, "count", len(event.Names), "next", next)
	entry := journal.Entry{Kind: journal.Approval, Principal: principal.Local, Server: event.Server, Outcome: event.Action, Detail: strings.Join(event.Names, " ")}
	if event.Action != toollock.Seen && event.Action != toollock.Changed {
		entry.By = "user"
	}
	e.Journal.Record(entry)
}

// ApproveLocked approves of what a server says now, and returns when that is in
// force.
func (e *Engine) ApproveLocked(ctx context.Context, p *protocol.LockDecideParams) (protocol.LockDecideResult, error) {
	return settled(ctx, e, p, e.Locks.Approve)
}

// KeepLocked keeps what is locked of a server, and returns when that is in
// force.
func (e *Engine) KeepLocked(ctx context.Context, p *protocol.LockDecideParams) (protocol.LockDecideResult, error) {
	return settled(ctx, e, p, e.Locks.Keep)
}

// UndoLocked takes an answer about the lock back, and returns when that is in
// force.
func (e *Engine) UndoLocked(ctx context.Context, p *protocol.LockUndoParams) (protocol.LockDecideResult, error) {
	return settled(ctx, e, p, e.Locks.Undo)
}

// SetApproved writes whether a tool runs without asking, and returns when that is
// in force. What is allowed is the tool as it is now.
func (e *Engine) SetApproved(ctx context.Context, p *protocol.ToolApproveParams) (protocol.EditResult, error) {
	result, err := e.Edits.SetApproved(ctx, p.Server, p.Tool, p.Approved)
	if err != nil || !p.Approved {
		return result, err
	}
	e.Locks.Allowed(router.ToolID{Server: p.Server, Tool: p.Tool})
	return result, e.Settle(ctx)
}

// settled answers, and returns when the answer is in force.
func settled[P any](ctx context.Context, e *Engine, p *P, answer func(*P) (protocol.LockDecideResult, error)) (protocol.LockDecideResult, error) {
	result, err := answer(p)
	if err != nil {
		return result, err
	}
	err = e.Settle(ctx)
	e.Changes.LockChanged()
	return result, err
}
