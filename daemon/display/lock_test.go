package display

import (
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// A tool's row says what became of a change, and nothing of what is as it was.
func TestLockNote(t *testing.T) {
	held := &protocol.Cause{Kind: protocol.CauseChanged}
	for _, c := range []struct {
		lock  protocol.LockState
		cause *protocol.Cause
		want  string
	}{
		{protocol.LockChanged, held, "changed, held back"},
		{protocol.LockChanged, nil, "changed; models get the approved text"},
		{protocol.LockUnlisted, nil, "not approved"},
		{protocol.LockDamaged, nil, "its lock is damaged"},
		{protocol.LockSeen, nil, ""},
		{protocol.LockApproved, nil, ""},
		{"", nil, ""},
	} {
		if got := lockNote(&protocol.ToolInfo{Lock: c.lock, Cause: c.cause}); got != c.want {
			t.Errorf("%s, %v: got %q, want %q", c.lock, c.cause, got, c.want)
		}
	}
}

// Each kind has words of its own.
func TestFindingText(t *testing.T) {
	said := map[string]bool{}
	kinds := []protocol.FindingKind{
		protocol.FindingAddresses, protocol.FindingOtherTool, protocol.FindingHidden,
		protocol.FindingLookalikeTool, protocol.FindingLookalikeServer, protocol.FindingReadOnlyName,
	}
	for _, kind := range kinds {
		said[findingText(protocol.Finding{Kind: kind, Text: "x", Other: "y"})] = true
	}
	if len(said) != len(kinds) {
		t.Errorf("%d kinds have %d texts: %v", len(kinds), len(said), said)
	}
	got := findingText(protocol.Finding{Kind: protocol.FindingAddresses, Text: "x", Where: "to"})
	if want := "speaks to the model (to): “x”"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
