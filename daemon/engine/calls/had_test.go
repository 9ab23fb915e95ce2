package calls

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// TestHad: what the model had in full, what it knew the name of, and what it searched
// for; what it has called before it has.
func TestHad(t *testing.T) {
	t.Parallel()
	id := func(name string) router.ToolID { return router.ToolID{Server: "s", Tool: name} }
	task := &router.Task{
		Attached: []router.Attached{
			{ID: id("ranked"), Reason: protocol.ReasonRanked}, {ID: id("loaded"), Reason: protocol.ReasonLoaded},
			{ID: id("named"), Reason: protocol.ReasonLoaded}, {ID: id("early"), Reason: protocol.ReasonEarlyCall}, {ID: id("again"), Reason: protocol.ReasonLoaded},
		},
		Named:  []router.Named{{ID: id("named")}, {ID: id("early"), Answered: true}, {ID: id("dispatched")}},
		Called: []router.ToolID{id("again")},
	}
	for name, want := range map[string]string{
		"ranked": journal.HadFull, "again": journal.HadFull, "named": journal.HadName,
		"loaded": journal.HadFound, "early": journal.HadFound, "absent": journal.HadFound,
	} {
		if got := Had(task, id(name), false); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if got := Had(task, id("dispatched"), true); got != journal.HadName {
		t.Errorf("by mcp_call: got %s", got)
	}
}
