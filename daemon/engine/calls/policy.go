package calls

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router"
)

// spares is the only policy for asking the user before a call. It returns the reason, in
// the journal's words, why the user need not be asked, or "" if the user must be. Exempt
// is a tool that its server declares read-only, once a person has approved it or let it
// run. So is a tool in `alwaysAllow`, which an import takes over from a client that ran
// it unasked, and a tool that the user allowed in the task, while it is unchanged.
// Passing one server's result to another always needs confirmation unless
// [Caller.mayPass].
func (c *Caller) spares(e *tasks.Entry, d Decision) string {
	switch {
	case !c.mayPass(e, d):
		return ""
	case c.allowed(d):
		return byAlwaysAllow
	case d.Tool != nil && d.Tool.OnlyReads():
		return byReadOnly
	case d.Tool != nil && e.Allowed(d.ID, d.Tool.Lock.Content):
		return byUser
	}
	return ""
}

// allowed reports whether `alwaysAllow` lets a tool run without asking.
func (c *Caller) allowed(d Decision) bool {
	return c.options.Approved(d.ID) && (d.Tool == nil || !d.Tool.Lock.Asks)
}

// onlyReads reports whether mcp_read may run a tool: its server declares it read-only,
// and a person has approved it or named it in alwaysAllow.
func (c *Caller) onlyReads(d Decision) bool {
	return d.Tool != nil && (d.Tool.OnlyReads() || d.Tool.ReadOnly == ranker.Yes && c.allowed(d))
}

// SparesClaim reports whether a tool may answer a message in place of the model without
// confirmation: it only reads, and the policy or the setting exempts it. Permission for
// models does not exempt a tool that may write. A server's declaration that no lock
// watches does not either.
func (c *Caller) SparesClaim(e *tasks.Entry, claim *router.Claim, claims protocol.GatingClaims) bool {
	tool := claim.Tool
	return tool.ReadOnly == ranker.Yes &&
		(claims == protocol.ClaimsAllow && tool.Lock.State != "" || c.spares(e, Decision{ID: tool.ID, Tool: tool}) != "")
}

// confirm asks the user about a call if that is necessary and has not happened yet. It
// reports whether the user was asked. The error says why the call may not be made. An
// approval is stored with its scope.
func (c *Caller) confirm(ctx context.Context, e *tasks.Entry, d Decision, call Call) (asked bool, err error) {
	asked = call.Consent != ""
	if !asked && call.Confirm != nil && c.spares(e, d) == "" {
		var answer Answer
		answer, err = call.Confirm(ctx, d)
		if asked = answer.Asked; answer.Always {
			call.Consent = protocol.ConsentAlways
		}
	}
	switch {
	case err != nil || asked:
	case !c.mayPass(e, d):
		return false, errUnasked
	case call.program && c.spares(e, d) == "":
		return false, errUnaskedProgram
	}
	if !asked || err != nil || d.Tool == nil {
		return asked, err
	}
	switch call.Consent {
	case protocol.ConsentOnce:
	case protocol.ConsentTask:
		c.letPass(e.Principal, d, e.ID)
	default:
		c.letPass(e.Principal, d, "")
	}
	switch call.Consent {
	case protocol.ConsentTask:
		e.Allow(d.ID, d.Tool.Lock.Content, c.options.Now())
	case protocol.ConsentAlways:
		e.Allow(d.ID, d.Tool.Lock.Content, c.options.Now()) // also if it cannot be written
		if e.Principal == principal.Local {
			c.options.Approve(ctx, d.ID)
		}
	}
	// What is written to files and to the lock applies to every user.
	if d.Tool.ReadOnly == ranker.Yes && e.Principal == principal.Local {
		c.options.Confirmed(d.ID)
	}
	return true, nil
}
