package calls

import (
	"encoding/json"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/engine/settings"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol/ijson"
	"github.com/winnow-mcp/winnow/router"
)

// maxHanded bounds the pending calls. Those of abandoned chats never end.
const maxHanded = 256

// Handed records the calls that a host runs itself, and their outcomes.
type Handed struct {
	journal  *journal.Journal
	settings *settings.Store
	client   string
	// ended is called for each call that was answered.
	ended func(id router.ToolID)

	mu      sync.Mutex
	waiting []journal.Entry // oldest first
}

// NewHanded returns a record of the calls that the program named client runs. ended is
// called for each call that was answered.
func NewHanded(j *journal.Journal, s *settings.Store, client string, ended func(id router.ToolID)) *Handed {
	return &Handed{journal: j, settings: s, client: client, ended: ended}
}

// HandedCall is a call that a host runs.
type HandedCall struct {
	// ID is the model's ID of the call.
	ID        string
	Tool      router.ToolID
	Arguments json.RawMessage
	// Had says how the model knew the tool, as in [journal.Entry].
	Had string
}

// Begin records a call of a task that was handed to the host.
func (h *Handed) Begin(task string, call HandedCall) {
	arguments := ijson.CanonicalAsWritten(call.Arguments)
	e := journal.Entry{
		Kind: journal.Call, Principal: principal.Local, Client: h.client, Task: task, ID: task + "/" + call.ID,
		Server: call.Tool.Server, Tool: call.Tool.Tool, ArgumentsHash: journal.Hash(arguments), By: byClient, RunBy: journal.RunByHost, Had: call.Had,
		Outcome: journal.Intent,
	}
	if h.settings.Load().Journal.Arguments {
		e.Arguments = arguments
	}
	h.mu.Lock()
	h.waiting = append(h.waiting, e)
	h.waiting = h.waiting[max(0, len(h.waiting)-maxHanded):]
	h.mu.Unlock()
	h.journal.Record(e)
}

// End records the outcomes of a task's calls. outcome takes the model's ID of a call. A
// call that a later request of its chat does not contain has ended unknown.
func (h *Handed) End(task string, outcome func(id string) string) {
	h.mu.Lock()
	var over, waiting []journal.Entry
	for _, e := range h.waiting {
		if e.Task == task {
			over = append(over, e)
		} else {
			waiting = append(waiting, e)
		}
	}
	h.waiting = waiting
	h.mu.Unlock()
	for _, e := range over {
		if e.Outcome = outcome(e.ID[len(task)+1:]); e.Outcome == journal.Unknown {
			e.Detail = "its chat went on without a result of it"
		}
		h.journal.Record(e)
		if e.Outcome == journal.Answered {
			h.ended(router.ToolID{Server: e.Server, Tool: e.Tool})
		}
	}
}
