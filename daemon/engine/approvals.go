package engine

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine/approvals"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// approvalsOf returns the list of what the user has said yes to.
func approvalsOf(e *Engine, storage string) *approvals.Book {
	locked, consented := toollock.Approvals{Keeper: e.Locks}, workspace.Consented{Workspace: e.Workspace}
	unlock := func(ctx context.Context, a protocol.Approval) error {
		locked.Withdraw(a)
		return e.Settle(ctx)
	}
	revoked := func(a protocol.Approval) {
		e.Journal.Record(journal.Entry{
			Kind: journal.Approval, Server: a.Server, Tool: a.Tool, Outcome: "revoked", Detail: string(a.Kind), By: "user",
		})
	}
	book, err := approvals.Open(approvals.Options{Storage: storage, Now: e.options.Now, Revoked: revoked, Log: e.options.Log}, map[protocol.ApprovalKind]approvals.Keeper{
		protocol.ApprovalAlwaysAllow: {
			List: func() []protocol.Approval { return e.Workspace.Configuration().AlwaysAllowed() },
			Revoke: func(ctx context.Context, a protocol.Approval) error {
				_, err := e.Edits.SetApproved(ctx, a.Server, a.Tool, false)
				return err
			},
		},
		protocol.ApprovalConsent: {
			List: consented.List,
			Revoke: func(ctx context.Context, a protocol.Approval) error {
				if err := consented.Withdraw(a.File, a.Server); err != nil {
					return err
				}
				return e.Settle(ctx)
			},
		},
		protocol.ApprovalChat: {
			List: e.Tasks.Allowed,
			Revoke: func(_ context.Context, a protocol.Approval) error {
				t, err := e.Tasks.Look(a.Task)
				if err == nil {
					t.Disallow(router.ToolID{Server: a.Server, Tool: a.Tool})
				}
				return err
			},
		},
		protocol.ApprovalRan:      {List: locked.Ran, Revoke: unlock},
		protocol.ApprovalReviewed: {List: locked.Reviewed, Revoke: unlock},
		protocol.ApprovalGating: {
			List: func() []protocol.Approval {
				var all []protocol.Approval
				for _, server := range e.Settings.Load().Gating.Servers {
					all = append(all, protocol.Approval{Server: server})
				}
				return all
			},
			Revoke: func(_ context.Context, a protocol.Approval) error {
				return failure.New(protocol.KindInvalidParams, "Take the server out of winnow.gating.servers.",
					"that server %q sees messages stands in the settings", a.Server).OfServer(a.Server)
			},
		},
	})
	e.warn(err)
	return book
}
