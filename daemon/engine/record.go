package engine

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/protocol"
)

// openJournal opens the record in the storage path; nil without one.
func openJournal(storage string, log *slog.Logger) *journal.Journal {
	if storage == "" {
		return nil
	}
	return journal.Open(journal.Options{Dir: journal.Dir(storage), Log: log})
}

// recordConsent records an answer.
func (e *Engine) recordConsent(p *protocol.ServerConsentParams, by string) {
	outcome := "denied"
	if p.Allow {
		outcome = "allowed"
	}
	e.Journal.Record(journal.Entry{Kind: journal.Consent, Server: p.Server, Outcome: outcome, By: by, Detail: p.File})
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
