package calls

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
	"github.com/winnow-mcp/winnow/router"
)

// Values of who confirmed a call in [journal.Entry].
const (
	byUser        = "user"
	byAlwaysAllow = "alwaysAllow"
	byReadOnly    = "readOnly"
	byClient      = "client"
)

// record is the journal's record of one call.
type record struct {
	journal *journal.Journal
	entry   journal.Entry
	started time.Time
	// texts reports that the user wants the texts of arguments and errors included.
	texts bool
}

// record starts the record of a call of a server's tool.
func (c *Caller) record(e *tasks.Entry, d Decision, call Call) *record {
	r := &record{journal: c.options.Journal, started: time.Now()}
	if r.journal == nil {
		return r
	}
	arguments := ijson.CanonicalAsWritten(d.Arguments)
	r.entry = journal.Entry{
		Kind: journal.Call, Principal: e.Principal, Client: cmp.Or(call.Client, c.options.Client), Task: e.ID,
		Server: d.ID.Server, Tool: d.ID.Tool, ArgumentsHash: journal.Hash(arguments), By: cmp.Or(c.spares(e, d), byClient),
	}
	t, _, _ := e.Snapshot()
	r.entry.Had = Had(&t, d.ID, d.Dispatched)
	if r.texts = c.options.Settings.Load().Journal.Arguments; r.texts {
		r.entry.Arguments = ijson.CanonicalAsWritten(d.Shown())
	}
	for _, o := range d.origins {
		r.entry.From = append(r.entry.From, o.Server+"/"+o.Tool)
	}
	return r
}

// Had says how a task's model knew a tool that it calls now. dispatched reports a call by
// mcp_call.
func Had(t *router.Task, id router.ToolID, dispatched bool) string {
	if slices.Contains(t.Called, id) {
		return journal.HadFull
	}
	if i := t.Has(id); i >= 0 && !dispatched {
		if reason := t.Attached[i].Reason; reason != protocol.ReasonLoaded && reason != protocol.ReasonEarlyCall {
			return journal.HadFull
		}
	}
	if slices.ContainsFunc(t.Named, func(n router.Named) bool { return n.ID == id && !n.Answered }) {
		return journal.HadName
	}
	return journal.HadFound
}

// begin starts the clock, after the user's answer. A call that may write is recorded
// before it is made, so that the record survives a crash. If that fails, begin returns an
// error and the call must not be made.
func (r *record) begin(ctx context.Context, onlyReads bool) (err error) {
	if !onlyReads {
		r.entry, err = r.journal.Intend(ctx, r.entry)
	}
	r.started = time.Now()
	return err
}

// refused records a call that the user refused, or could not be asked about.
func (r *record) refused(why error) {
	r.entry.Outcome, r.entry.Detail = journal.Refused, why.Error()
	r.journal.Record(r.entry)
}

// end records the outcome of a call.
func (r *record) end(ctx context.Context, result *upstream.Result, err error) {
	e := &r.entry
	e.DurationMs = float64(time.Since(r.started).Microseconds()) / 1000
	switch {
	case err != nil && ctx.Err() != nil:
		e.Outcome = journal.Cancelled
	case err != nil:
		e.Outcome, e.Detail = journal.Failed, r.reason(err)
	case result.IsError:
		e.Outcome = journal.Errored
	default:
		e.Outcome = journal.OK
	}
	r.journal.Record(*e)
}

// reason says why a call failed. A server's message may quote the arguments, so it is
// included only if texts is set.
func (r *record) reason(err error) string {
	if r.texts {
		return err.Error()
	}
	var refusal *upstream.RPCError
	var lost *upstream.UnavailableError
	var useless *upstream.CallError
	switch {
	case errors.As(err, &refusal):
		return fmt.Sprintf("the server's error, code %d", refusal.Code)
	case errors.As(err, &lost):
		return (&upstream.UnavailableError{Server: lost.Server, State: lost.State}).Error()
	case errors.As(err, &useless):
		return "its answer is of no use"
	}
	return err.Error()
}
