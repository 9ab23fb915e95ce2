package display

import (
	"github.com/winnow-mcp/winnow/protocol"
)

// lockNote returns the note about the lock on a tool's row, or "".
func lockNote(tool *protocol.ToolInfo) string {
	switch tool.Lock {
	case protocol.LockChanged:
		if tool.Cause != nil && tool.Cause.Kind == protocol.CauseChanged {
			return "changed, held back"
		}
		return "changed; models get the approved text"
	case protocol.LockJoined:
		if tool.Cause != nil && tool.Cause.Kind == protocol.CauseUnlisted {
			return "new, held back until you have looked"
		}
		return "new since its server is known"
	case protocol.LockUnlisted:
		return "not approved"
	case protocol.LockDamaged:
		return "its lock is damaged"
	default:
		return ""
	}
}

// changesNote returns the count of waiting changes for a server's row, or "".
func changesNote(changes int) string {
	if changes == 0 {
		return ""
	}
	return Count(changes, "change") + " to review"
}

// findingText describes a finding for review, without a promise.
func findingText(f protocol.Finding) string {
	where := ""
	if f.Where != "" && f.Where != "description" {
		where = " (" + f.Where + ")"
	}
	switch f.Kind {
	case protocol.FindingAddresses:
		return "speaks to the model" + where + ": “" + f.Text + "”"
	case protocol.FindingOtherTool:
		return "speaks of " + f.Other + ", a tool of another server" + where + ": “" + f.Text + "”"
	case protocol.FindingHidden:
		return "holds characters that nobody sees" + where + ": “" + f.Text + "”"
	case protocol.FindingLookalikeTool:
		return "is named like " + f.Other
	case protocol.FindingLookalikeServer:
		return "its server is named like " + f.Other
	case protocol.FindingReadOnlyName:
		return "claims that it only reads, and is named " + f.Text
	default:
		return string(f.Kind)
	}
}
