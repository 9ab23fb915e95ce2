package replay

import (
	"github.com/winnow-mcp/winnow/daemon/history"
	"github.com/winnow-mcp/winnow/daemon/journal"
)

// recorded maps how the model had the tool, in the record, to an outcome.
var recorded = map[string]Outcome{journal.HadFull: InFull, journal.HadName: ByName, journal.HadFound: Found}

// FromRecord reports on the record of calls as [Run] does on a history, with actual
// instead of replayed outcomes. Calls without a record of how the model had the tool are
// Unknown. Refused calls are left out.
func FromRecord(read func(each func(journal.Entry) bool) error) (*Report, error) {
	r := newReport()
	r.Caution, r.Recorded = "", true
	tasks := map[string]*conversation{}
	err := read(func(e journal.Entry) bool {
		if e.Kind != journal.Call || e.Outcome == journal.Refused || e.Outcome == journal.Skipped {
			return true
		}
		c := tasks[e.Task]
		if c == nil {
			c = &conversation{Conversation: &history.Conversation{Client: e.Client, Turns: []history.Turn{{At: e.Time}}}}
			tasks[e.Task] = c
			r.conversations[c] = true
			r.Conversations++
		}
		outcome, known := recorded[e.Had]
		if !known {
			outcome = Unknown
		}
		r.tally(c, identity{e.Server, e.Tool}, outcome)
		if r.From.IsZero() {
			r.From = e.Time
		}
		r.To = e.Time
		return true
	})
	r.Share, r.FirstShare = r.Calls.Share(), r.First.Share()
	r.Clients, r.Servers = rows(r.clients), rows(r.servers)
	return r, err
}
