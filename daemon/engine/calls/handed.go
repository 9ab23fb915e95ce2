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

// maxHanded bounds the calls that are waited for: those of chats that were left in
// the middle never end.
const maxHanded = 256

// Handed records the calls that a host runs by itself, and how they ended.
type Handed struct {
	journal  *journal.Journal
	settings *settings.Store
	client   string
	// ended is called with a call that was answered.
	ended func(id router.ToolID)

	mu      sync.Mutex
	waiting []journal.Entry // oldest first
}

// NewHanded returns a record of the calls that the program named client runs. ended
// is told of each that was answered.
func NewHanded(j *journal.Journal, s *settings.Store, client string, ended func(id router.ToolID)) *Handed {
	return &Handed{journal: j, settings: s, client: client, ended: ended}
}

// HandedCall is a call that a host runs.
type HandedCall struct {
	// ID is the model's.
	ID        string
	Tool      router.ToolID
	Arguments json.RawMessage
	// Had is how the model had it, as [journal.Entry] has it.
	Had string
}

// Begin records a call of a task that the host was given.
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

// End records how the calls of a task ended, by the ids of the model. One that a
// later request of its chat does not know of has ended unknown.
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
