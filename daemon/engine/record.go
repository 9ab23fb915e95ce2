package engine

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/journal/otlp"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
)

// exportPatience bounds how long closing waits for a collector.
const exportPatience = 500 * time.Millisecond

// Record writes events to the storage path, and sends them to the collector that the
// environment names. Without either it does nothing.
type Record struct {
	journal  *journal.Journal // nil keeps nothing
	exporter *otlp.Exporter
	log      *slog.Logger
}

// openRecord opens the record of a session. The error says what is not sent.
func openRecord(options Options, storage string, client *http.Client) (*Record, error) {
	r := &Record{log: options.Log}
	var err error
	if options.Kept.Journal == nil {
		r.exporter, err = otlp.Open(otlp.Options{Environ: options.Environ, Client: client, Version: options.Version, Log: options.Log})
	}
	o := journal.Options{Log: options.Log, Sink: options.Kept.Journal, Strict: options.Kept.Journal != nil}
	if storage != "" {
		o.Dir = journal.Dir(storage)
	}
	if r.exporter != nil {
		o.Export = r.exporter.Export
	}
	if o.Sink != nil || o.Dir != "" || o.Export != nil {
		r.journal = journal.Open(o)
	}
	return r, err
}

// close writes what is pending, and then sends it for at most exportPatience.
func (r *Record) close(ctx context.Context) {
	r.journal.Close()
	ctx, cancel := context.WithTimeout(ctx, exportPatience)
	defer cancel()
	if err := r.exporter.Close(ctx); err != nil {
		r.log.Warn("the end of the session", "error", err) // everything else has ended
	}
}

// consent records an answer about what starts.
func (r *Record) consent(p *protocol.ServerConsentParams, by string) {
	outcome := "denied"
	if p.Allow {
		outcome = "allowed"
	}
	r.journal.Record(journal.Entry{Kind: journal.Consent, Principal: principal.Local, Server: p.Server, Outcome: outcome, By: by, Detail: p.File})
}

// revoked records that the user revoked an approval.
func (r *Record) revoked(a protocol.Approval) {
	r.journal.Record(journal.Entry{
		Kind: journal.Approval, Principal: principal.Local, Server: a.Server, Tool: a.Tool, Outcome: "revoked", Detail: string(a.Kind), By: "user",
	})
}

// locked records events of the lock on tools: names only, because servers' texts are
// untrusted.
func (r *Record) locked(event toollock.Event) {
	level := slog.LevelInfo
	next := ""
	if event.Action == toollock.Changed {
		level, next = slog.LevelWarn, "answer in the Servers view, or run `winnowd lock -forget` with the server's name and start anew"
	}
	r.log.Log(context.Background(), level, "lock on tools", "action", event.Action, "server", event.Server, "count", len(event.Names), "next", next)
	entry := journal.Entry{Kind: journal.Approval, Principal: principal.Local, Server: event.Server, Outcome: event.Action, Detail: strings.Join(event.Names, " ")}
	if event.Action != toollock.Seen && event.Action != toollock.Changed {
		entry.By = "user"
	}
	r.journal.Record(entry)
}

// List returns the newest entries of the record.
func (r *Record) List(ctx context.Context, p *protocol.JournalListParams) (protocol.JournalListResult, error) {
	if p.Limit < 0 || p.Limit > protocol.MaxJournalEntries {
		return protocol.JournalListResult{}, failure.Invalid("limit is %d, and has to be between 0 and %d", p.Limit, protocol.MaxJournalEntries)
	}
	limit := p.Limit
	if limit == 0 {
		limit = protocol.MaxJournalEntries
	}
	newest, more, err := r.journal.Newest(ctx, journal.Filter{Server: p.Server}, limit)
	if err != nil {
		return protocol.JournalListResult{}, err
	}
	result := protocol.JournalListResult{Entries: make([]protocol.JournalEntry, len(newest)), Truncated: more}
	for i := range newest {
		if result.Entries[i], err = journalEntry(&newest[i]); err != nil {
			return result, err
		}
	}
	return result, nil
}

// journalEntry describes an entry in words.
func journalEntry(e *journal.Entry) (protocol.JournalEntry, error) {
	record, err := json.Marshal(e)
	return protocol.JournalEntry{
		Time: e.Time.Format(time.RFC3339Nano), Title: e.Title(), Outcome: e.End(), Details: e.Details(), Record: record,
	}, err
}
