package display

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestApprovals: every kind has words, and no name of a server is read as an
// icon or ends the line.
func TestApprovals(t *testing.T) {
	t.Parallel()
	for _, kind := range []protocol.ApprovalKind{
		protocol.ApprovalAlwaysAllow, protocol.ApprovalChat, protocol.ApprovalRan,
		protocol.ApprovalReviewed, protocol.ApprovalPair, protocol.ApprovalConsent, protocol.ApprovalGating,
	} {
		a := protocol.Approval{Kind: kind, Server: "$(check)\nmail", Tool: "send", File: "/home/me/winnow.json", Count: 2, Since: 1_700_000_000_000}
		row := Approvals([]protocol.Approval{a}).Approvals[0].Row
		if row.Tooltip == string(kind) || !strings.Contains(row.Label, `\$(check)`) || strings.Contains(row.Accessibility, "\n") {
			t.Errorf("%s is shown as %+v", kind, row)
		}
		if !strings.HasPrefix(row.Description, "since 2023-11-1") || !strings.HasSuffix(row.Description, ", winnow.json") {
			t.Errorf("%s: %q", kind, row.Description)
		}
	}
}
