package engine

import (
	"context"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/approvals"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// openApprovals makes the list of what the user has said yes to.
func (e *Engine) openApprovals(storage string, now func() time.Time) {
	var err error
	e.approvals, err = approvals.Open(storage, now, map[protocol.ApprovalKind]approvals.Keeper{
		protocol.ApprovalAlwaysAllow: {
			List: func() []protocol.Approval { return e.Workspace.Configuration().AlwaysAllowed() },
			Revoke: func(ctx context.Context, a protocol.Approval) error {
				_, err := e.Edits.SetApproved(ctx, a.Server, a.Tool, false)
				return err
			},
		},
		protocol.ApprovalConsent: {
			List: func() []protocol.Approval { return e.Workspace.Consented() },
			Revoke: func(ctx context.Context, a protocol.Approval) error {
				if err := e.Workspace.Withdraw(a.File, a.Server); err != nil {
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
		protocol.ApprovalRan:      {List: e.Locks.Ran, Revoke: e.unlock},
		protocol.ApprovalReviewed: {List: e.Locks.Reviewed, Revoke: e.unlock},
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
}

// unlock takes back what the lock on tools holds of an approval.
func (e *Engine) unlock(ctx context.Context, a protocol.Approval) error {
	e.Locks.Withdraw(a)
	return e.Settle(ctx)
}

// Approvals lists what the user has said yes to.
func (e *Engine) Approvals() []protocol.Approval {
	all, err := e.approvals.List()
	if err != nil {
		e.options.Log.Warn("since when something is approved is not remembered", "error", err)
	}
	return all
}

// RevokeApproval takes a yes back, and returns which one when that is in force.
func (e *Engine) RevokeApproval(ctx context.Context, p *protocol.ApprovalRevokeParams) (protocol.Approval, error) {
	a, err := e.approvals.Revoke(ctx, p.ID)
	if err == nil {
		e.Journal.Record(journal.Entry{
			Kind: journal.Approval, Server: a.Server, Tool: a.Tool, Outcome: "revoked", Detail: string(a.Kind), By: "user",
		})
	}
	return a, err
}
