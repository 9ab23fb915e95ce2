// Package reasons makes the sentences of causes: the one place in Go where a
// [protocol.Cause] is worded. It decides nothing.
package reasons

import (
	"fmt"

	"github.com/winnow-mcp/winnow/protocol"
)

// Text words a cause; empty for the zero cause, which is none. What keeps a tool
// out reads as a rule ("disabledTools of server …"), and what a server waits for
// as the rest of a sentence about it ("waits until …").
func Text(c protocol.Cause) string {
	switch c.Kind {
	case protocol.CauseServer:
		return fmt.Sprintf("%s of server %q", c.Key, c.Owner)
	case protocol.CauseMode:
		return fmt.Sprintf("%s of mode %q", c.Key, c.Owner)
	case protocol.CauseStopped:
		return fmt.Sprintf("server %q is stopped", c.Owner)
	case protocol.CauseTask:
		return "your choice for this task"
	case protocol.CauseExcluded:
		return fmt.Sprintf("server %q excludes it for this message (%s)", c.Owner, c.Key)
	case protocol.CauseDispatch:
		return c.Key + " is dispatch; mcp_call runs it"
	case protocol.CauseLate:
		return "it came after this turn began"
	case protocol.CauseLimit:
		return c.Key + " or the model's own limit is reached"
	case protocol.CauseBudget:
		return "it costs more tokens than " + c.Key + " leaves"
	case protocol.CauseFrozen:
		return fmt.Sprintf("no message adds tools now (%s); mcp_load attaches it", c.Key)
	case protocol.CauseRank:
		return "not among the best " + c.Key
	case protocol.CauseNamed:
		return "not among the best " + c.Key + "; the model knows its name, and mcp_load attaches it"
	case protocol.CauseGone:
		return "its server no longer offers it"
	case protocol.CauseChanged:
		return fmt.Sprintf("a change by server %q that waits for your approval", c.Owner)
	case protocol.CauseUnlisted:
		return fmt.Sprintf("%s of tools of server %q that nobody has approved", c.Key, c.Owner)
	case protocol.CauseDamagedLock:
		return fmt.Sprintf("the damaged lock of server %q", c.Owner)
	case protocol.CauseStart:
		return "starts when the host is ready"
	case protocol.CauseTrust:
		return "waits until the workspace is trusted"
	case protocol.CauseConsent:
		return "waits for your consent to what " + c.Owner + " starts"
	case protocol.CauseRedefined:
		return "waits for your consent: " + c.Owner + " starts something else now than you agreed to"
	case protocol.CauseDeclined:
		return "you declined to run it from " + c.Owner
	case protocol.CauseItself:
		return "is Winnow itself, for other clients"
	case protocol.CauseInvalid:
		return c.Text
	}
	return ""
}

// Wire returns a cause as it is sent: nil for none.
func Wire(c protocol.Cause) *protocol.Cause {
	if c.Kind == "" {
		return nil
	}
	return &c
}
