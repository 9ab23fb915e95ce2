package display

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/protocol"
)

// ApprovalTitle names the subject of an approval: a server, or one of its tools.
func ApprovalTitle(a *protocol.Approval) string {
	title := a.Server
	if a.Tool != "" {
		title += "/" + a.Tool
	}
	return hiddentext.PrintableLine(title)
}

// ApprovalWords describes what an approval allows.
func ApprovalWords(a *protocol.Approval) string {
	switch a.Kind {
	case protocol.ApprovalAlwaysAllow:
		words := "runs without asking (alwaysAllow)"
		if a.Tool == "*" {
			words = "every tool " + words
		}
		if a.Imported != "" {
			words += ", as in " + a.Imported + ", from which its entry was imported"
		}
		return words
	case protocol.ApprovalChat:
		return "runs without asking in one open chat"
	case protocol.ApprovalRan:
		return "says that it only reads, and was let run: runs without asking while it is as it was"
	case protocol.ApprovalReviewed:
		return fmt.Sprintf("what it says of %s was approved; those that only read run without asking", Count(a.Count, "thing"))
	case protocol.ApprovalConsent:
		return "may start as its entry was when you agreed"
	case protocol.ApprovalRedirect:
		return "may redirect to " + hiddentext.PrintableLine(a.To) + ", which then gets what is sent to it; taken back, it counts from the next start"
	case protocol.ApprovalPair:
		words := fmt.Sprintf("what it answers may go to the server %s", hiddentext.PrintableLine(a.To))
		if a.Task != "" {
			words += " in one open chat"
		}
		return words
	case protocol.ApprovalGating:
		return "sees your messages (winnow.gating.servers)"
	}
	return string(a.Kind)
}

// ApprovalSince returns the day on which an approval was given or first seen.
func ApprovalSince(a *protocol.Approval) string {
	return time.UnixMilli(a.Since).Local().Format(time.DateOnly)
}

// Approvals adds the display rows of approvals.
func Approvals(all []protocol.Approval) protocol.ApprovalListResult {
	for i := range all {
		a := &all[i]
		title, words := ApprovalTitle(a), ApprovalWords(a)
		where := cmp.Or(a.File, a.Folder)
		if where != "" {
			where = ", " + filepath.Base(where)
		}
		since := "since " + ApprovalSince(a) + hiddentext.PrintableLine(where)
		a.Row = &protocol.Row{
			Label: withoutIcons(title), Description: withoutIcons(since), Tooltip: words,
			Accessibility: title + ", " + words + ", " + since,
		}
	}
	return protocol.ApprovalListResult{Approvals: all}
}
