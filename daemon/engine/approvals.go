package engine

import (
	"context"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/engine/approvals"
	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/settings"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// approvalParts are the parts that store the user's approvals. settle returns once a
// change is in force.
type approvalParts struct {
	workspace *workspace.Workspace
	imports   *workspace.Imports
	edits     *workspace.Edits
	tasks     *tasks.Store
	locks     *toollock.Keeper
	settings  *settings.Store
	passes    *calls.Passes
	settle    func(ctx context.Context) error
}

// keepers returns how approvals of each kind are listed and revoked.
func (p approvalParts) keepers() map[protocol.ApprovalKind]approvals.Keeper {
	locked, consented := toollock.Approvals{Keeper: p.locks}, workspace.Consented{Workspace: p.workspace}
	withdraw := func(ctx context.Context, a protocol.Approval) error {
		if err := consented.Withdraw(a); err != nil {
			return err
		}
		return p.settle(ctx)
	}
	unlock := func(ctx context.Context, a protocol.Approval) error {
		locked.Withdraw(a)
		return p.settle(ctx)
	}
	return map[protocol.ApprovalKind]approvals.Keeper{
		protocol.ApprovalAlwaysAllow: {
			List: func() []protocol.Approval {
				return p.imports.MarkImported(p.workspace.Configuration().AlwaysAllowed())
			},
			Revoke: func(ctx context.Context, a protocol.Approval) error {
				result, err := p.edits.SetApproved(ctx, a.Server, a.Tool, false)
				still := slices.ContainsFunc(p.workspace.Configuration().AlwaysAllowed(), func(now protocol.Approval) bool {
					return now.Server == a.Server && now.Tool == a.Tool
				})
				if err == nil && still {
					return failure.New(protocol.KindInvalidParams, "Take it out of alwaysAllow in that file by hand.",
						"tool %q of server %q still runs without asking, after a change of %s", a.Tool, a.Server, result.File).OfTool(a.Server, a.Tool).InFile(a.File)
				}
				return err
			},
		},
		protocol.ApprovalConsent:  {List: consented.List, Revoke: withdraw},
		protocol.ApprovalRedirect: {List: consented.Redirects, Revoke: withdraw},
		protocol.ApprovalChat: {
			List: p.tasks.Allowed,
			Revoke: func(_ context.Context, a protocol.Approval) error {
				t, err := p.tasks.Look(principal.Local, a.Task)
				if err == nil {
					t.Disallow(router.ToolID{Server: a.Server, Tool: a.Tool})
				}
				return err
			},
		},
		protocol.ApprovalRan:      {List: locked.Ran, Revoke: unlock},
		protocol.ApprovalReviewed: {List: locked.Reviewed, Revoke: unlock},
		protocol.ApprovalPair:     {List: p.passes.List, Revoke: p.passes.Revoke},
		protocol.ApprovalGating: {
			List: func() []protocol.Approval {
				var all []protocol.Approval
				for _, server := range p.settings.Load().Gating.Servers {
					all = append(all, protocol.Approval{Server: server})
				}
				return all
			},
			Revoke: func(_ context.Context, a protocol.Approval) error {
				return failure.New(protocol.KindInvalidParams, "Take the server out of winnow.gating.servers.",
					"that server %q sees messages stands in the settings", a.Server).OfServer(a.Server)
			},
		},
	}
}
