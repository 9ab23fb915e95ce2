package replay

import (
	"github.com/winnow-mcp/winnow/daemon/history"
	"github.com/winnow-mcp/winnow/daemon/journal"
)

// recorded are the outcomes of calls in the record, by how the model had the tool.
var recorded = map[string]Outcome{journal.HadFull: InFull, journal.HadName: ByName, journal.HadFound: Found}

// FromRecord sums up the calls of the record of calls as [Run] does those of a
// history: what happened, in place of what would have. Entries of which it is not known
// how the model had the tool are unknown, and what was refused is none.
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
