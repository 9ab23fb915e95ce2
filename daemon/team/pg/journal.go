package pg

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/winnow-mcp/winnow/daemon/journal"
)

// Journal is the record of calls of all gateways. It implements [journal.Sink].
type Journal struct{ store *Store }

// Journal returns the record of calls.
func (s *Store) Journal() Journal { return Journal{s} }

// Append implements [journal.Sink].
func (j Journal) Append(ctx context.Context, entries []journal.Entry) error {
	columns := []string{"id", "at", "kind", "issuer", "subject", "client", "server", "tool", "outcome", "entry"}
	return j.store.in(ctx, func(tx pgx.Tx) error {
		entries, err := missing(ctx, tx, entries)
		if err != nil {
			return err
		}
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"journal"}, columns, pgx.CopyFromSlice(len(entries), func(i int) ([]any, error) {
			e := &entries[i]
			whole, err := json.Marshal(e)
			if err != nil {
				return nil, err
			}
			return []any{
				e.ID, e.Time, string(e.Kind), text(e.Principal.Issuer), text(e.Principal.Subject), text(e.Client), text(e.Server), text(e.Tool),
				e.Outcome, string(whole),
			}, nil
		}))
		return err
	})
}

// missing omits entries that an earlier Append has stored although it failed: the
// connection may break after the database has committed.
func missing(ctx context.Context, tx pgx.Tx, entries []journal.Entry) ([]journal.Entry, error) {
	var again []string
	for i := range entries {
		if entries[i].Again {
			again = append(again, entries[i].ID)
		}
	}
	if len(again) == 0 {
		return entries, nil
	}
	rows, err := tx.Query(ctx, `SELECT id FROM journal WHERE id = ANY($1) AND id <> '' AND outcome <> 'intent' AND outcome <> 'unknown'`, again)
	if err != nil {
		return nil, err
	}
	stored, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(stored) == 0 {
		return entries, err
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e journal.Entry) bool { return e.Again && slices.Contains(stored, e.ID) }), nil
}

// text makes a text of a client or a server valid for a column. The entry has the
// original.
func text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// Newest implements [journal.Sink].
func (j Journal) Newest(ctx context.Context, f journal.Filter, limit int) ([]journal.Entry, bool, error) {
	return j.newest(ctx, f, "", limit)
}

// Of is Newest for one person's entries, by subject.
func (j Journal) Of(ctx context.Context, f journal.Filter, subject string, limit int) ([]journal.Entry, bool, error) {
	return j.newest(ctx, f, subject, limit)
}

func (j Journal) newest(ctx context.Context, f journal.Filter, subject string, limit int) ([]journal.Entry, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	since := f.Since
	if since.IsZero() {
		since = time.Unix(0, 0)
	}
	rows, err := j.store.pool.Query(ctx, `SELECT entry, told FROM (
			SELECT seq, entry, CASE outcome WHEN 'intent' THEN 'unknown' ELSE outcome END AS told FROM journal AS one
			WHERE at >= $1 AND ($2 = '' OR kind = $2) AND ($3 = '' OR lower(server) = lower($3)) AND ($4 = '' OR lower(tool) = lower($4))
				AND ($5 = '' OR lower(client) = lower($5)) AND ($6 = '' OR subject = $6)
				AND NOT (outcome = 'intent' AND EXISTS (SELECT FROM journal AS ended WHERE ended.id = one.id AND ended.id <> '' AND ended.outcome <> 'intent'))
				AND NOT (outcome = 'unknown' AND EXISTS (SELECT FROM journal AS late WHERE late.id = one.id AND late.id <> '' AND late.outcome NOT IN ('intent', 'unknown')))
		) AS entries WHERE $7 = '' OR told = $7 ORDER BY seq DESC LIMIT $8`,
		since, string(f.Kind), f.Server, f.Tool, f.Client, subject, f.Outcome, limit+1)
	if err != nil {
		return nil, false, fmt.Errorf("read the record of calls: %w", err)
	}
	entries, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e journal.Entry, err error) {
		var whole, told string
		if err = row.Scan(&whole, &told); err == nil {
			err = json.Unmarshal([]byte(whole), &e)
			e.Outcome = told
		}
		return e, err
	})
	if err != nil {
		return nil, false, fmt.Errorf("read the record of calls: %w", err)
	}
	return entries[:min(limit, len(entries))], len(entries) > limit, nil
}
