package turns

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// answerByClaim runs the tool that claims a message, if it may. On any failure the model
// answers.
func (s *Turns) answerByClaim(ctx context.Context, e *tasks.Entry, a *protocol.Attachment, claim *router.Claim) {
	if claim == nil {
		return
	}
	id := claim.Tool.ID
	ask := !s.options.Calls.SparesClaim(e, claim, s.options.Settings.Load().Gating.Claims)
	if ask {
		allowed, err := s.confirm(ctx, protocol.ClaimConfirmParams{
			Task: e.ID, Server: id.Server, Tool: id.Tool, Arguments: claim.Arguments,
		})
		if err != nil || !allowed {
			s.options.Log.Debug("claim not confirmed", "server", id.Server, "tool", id.Tool, "error", err)
			return
		}
	}
	result, err := s.options.Calls.RunClaim(ctx, e, claim, ask)
	if err != nil || result.IsError {
		a.Warnings = append(a.Warnings, fmt.Sprintf(
			"server %q claimed the message and its tool %q failed; the model answers", id.Server, id.Tool))
		return
	}
	// The call is part of the task's state now.
	if v, t, err := s.options.Tasks.Current(e); err == nil {
		warnings := a.Warnings
		*a = v.Attachment(&t)
		a.Warnings = warnings
	}
	result.Attachment = nil
	a.Claim = &protocol.Claim{Server: id.Server, Tool: id.Tool, Arguments: claim.Arguments, Result: *result}
}

// confirm asks the user whether a server's tool may answer a message.
func (s *Turns) confirm(ctx context.Context, p protocol.ClaimConfirmParams) (bool, error) {
	if !s.options.Host.Capabilities().ClaimConfirm {
		return false, errors.New("the host cannot ask about claims")
	}
	return s.options.Host.ConfirmClaim(ctx, p)
}
