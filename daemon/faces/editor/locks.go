package editor

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// lockRoutes are the methods on the lock on tools, and on the record.
func lockRoutes(e *engine.Engine) map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodLockList: rpc.Async(func(context.Context, *protocol.Empty) (protocol.LockListResult, error) {
			return e.Locks.List(), nil
		}),
		protocol.MethodLockDiff: rpc.Async(func(_ context.Context, p *protocol.LockRef) (protocol.LockDiffResult, error) {
			return e.Locks.Diff(p)
		}),
		protocol.MethodLockApprove: rpc.Async(e.ApproveLocked),
		protocol.MethodLockKeep:    rpc.Async(e.KeepLocked),
		protocol.MethodLockUndo:    rpc.Async(e.UndoLocked),
		protocol.MethodJournalList: rpc.Async(e.ListJournal),
	}
}
