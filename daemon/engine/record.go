package engine

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/journal/otlp"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
)

// exportPatience bounds how long the end of a session waits for a collector.
const exportPatience = 500 * time.Millisecond

// openJournal opens the record in the storage path, and what sends it to where
// the environment says. Without either there is none.
func (e *Engine) openJournal(p *protocol.InitializeParams, client *http.Client) {
	var err error
	e.exporter, err = otlp.Open(otlp.Options{
		Environ: e.options.Environ, Client: client, Version: e.options.Version, Log: e.options.Log,
	})
	e.warn(err)
	o := journal.Options{Log: e.options.Log}
	if p.StoragePath != "" {
		o.Dir = journal.Dir(p.StoragePath)
	}
	if e.exporter != nil {
		o.Export = e.exporter.Export
	}
	if o.Dir != "" || o.Export != nil {
		e.Journal = journal.Open(o)
	}
}

// closeJournal writes what waits, and sends it for as long as a host does not
// mind.
func (e *Engine) closeJournal(ctx context.Context) {
	e.Journal.Close()
	ctx, cancel := context.WithTimeout(ctx, exportPatience)
	defer cancel()
	if err := e.exporter.Close(ctx); err != nil {
		e.options.Log.Warn("the end of the session", "error", err) // it has ended well for all else
	}
}

// recordConsent records an answer.
func (e *Engine) recordConsent(p *protocol.ServerConsentParams, by string) {
	outcome := "denied"
	if p.Allow {
		outcome = "allowed"
	}
	e.Journal.Record(journal.Entry{Kind: journal.Consent, Principal: principal.Local, Server: p.Server, Outcome: outcome, By: by, Detail: p.File})
}

// ListJournal returns the newest entries of the record.
func (e *Engine) ListJournal(ctx context.Context, p *protocol.JournalListParams) (protocol.JournalListResult, error) {
	if p.Limit < 0 || p.Limit > protocol.MaxJournalEntries {
		return protocol.JournalListResult{}, failure.Invalid("limit is %d, and has to be between 0 and %d", p.Limit, protocol.MaxJournalEntries)
	}
	limit := p.Limit
	if limit == 0 {
		limit = protocol.MaxJournalEntries
	}
	newest, more, err := e.Journal.Newest(ctx, journal.Filter{Server: p.Server}, limit)
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

// journalEntry tells an entry in words.
func journalEntry(e *journal.Entry) (protocol.JournalEntry, error) {
	record, err := json.Marshal(e)
	return protocol.JournalEntry{
		Time: e.Time.Format(time.RFC3339Nano), Title: e.Title(), Outcome: e.End(), Details: e.Details(), Record: record,
	}, err
}
