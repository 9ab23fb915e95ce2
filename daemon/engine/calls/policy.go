package calls

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router"
)

// spares is the one policy for asking the user before a call, whoever makes it:
// it says why nobody is asked, as the journal has it; empty where somebody is.
// Not asked is a tool of which its server says that it only reads, once a person
// vouches for that: has approved of it, or has let it run. Nor is one that
// `alwaysAllow` names, which is what an import takes over from a client that ran
// it unasked, or that the user has allowed in the task, as it was then. What passes one server's result
// on to another is asked about whatever is allowed, unless [Caller.mayPass].
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

// onlyReads reports whether mcp_read may run a tool: its server says that it only
// reads, and a person vouches for that, or has named it in alwaysAllow.
func (c *Caller) onlyReads(d Decision) bool {
	return d.Tool != nil && (d.Tool.OnlyReads() || d.Tool.ReadOnly == ranker.Yes && c.allowed(d))
}

// SparesClaim reports whether a tool may answer a message in the model's place
// without a question: it only reads, and the policy or the setting spares it.
// What is allowed to models, and may write, does not spare it. Nor does a
// server's word of which no lock tells when it changes.
func (c *Caller) SparesClaim(e *tasks.Entry, claim *router.Claim, claims protocol.GatingClaims) bool {
	tool := claim.Tool
	return tool.ReadOnly == ranker.Yes &&
		(claims == protocol.ClaimsAllow && tool.Lock.State != "" || c.spares(e, Decision{ID: tool.ID, Tool: tool}) != "")
}

// confirm asks the user about a call, where somebody has to and was not asked
// yet, and reports whether the user was asked. The error is why the call may not
// be made. A yes is remembered as far as it reaches.
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
		e.Allow(d.ID, d.Tool.Lock.Content, c.options.Now()) // also where it cannot be written
		if e.Principal == principal.Local {
			c.options.Approve(ctx, d.ID)
		}
	}
	// What is written into files, and into the lock, counts for everybody.
	if d.Tool.ReadOnly == ranker.Yes && e.Principal == principal.Local {
		c.options.Confirmed(d.ID)
	}
	return true, nil
}
