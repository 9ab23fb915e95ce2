package pg

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/winnow-mcp/winnow/daemon/trust/lock"
)

// Waiting is an unapproved item of a server.
type Waiting struct {
	Folder, Server string
	Key            lock.Key
	Entry          lock.Entry
	Raw            json.RawMessage
	// At is when a replica saw it.
	At time.Time
}

// Wait records waiting items; earlier ones stay recorded.
func (s *Store) Wait(ctx context.Context, all []Waiting) error {
	return s.in(ctx, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		for _, w := range all {
			entry, err := json.Marshal(w.Entry)
			if err != nil {
				return err
			}
			batch.Queue(`INSERT INTO waiting (folder, server, key, entry, raw) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT (folder, server, key) DO UPDATE SET entry = excluded.entry, raw = excluded.raw, at = now()`,
				text(w.Folder), text(w.Server), text(string(w.Key)), string(entry), text(string(w.Raw)))
		}
		return tx.SendBatch(ctx, batch).Close()
	})
}

// Waits returns the waiting items of a server; of all if server is "".
func (s *Store) Waits(ctx context.Context, server string) ([]Waiting, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return waits(ctx, s.pool, server)
}

func waits(ctx context.Context, db interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}, server string) ([]Waiting, error) {
	rows, err := db.Query(ctx, `SELECT folder, server, key, entry, raw, at FROM waiting WHERE $1 = '' OR server = $1 ORDER BY folder, server, key`, server)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (w Waiting, err error) {
		var entry, raw string
		if err = row.Scan(&w.Folder, &w.Server, &w.Key, &entry, &raw, &w.At); err == nil {
			w.Raw = json.RawMessage(raw)
			err = json.Unmarshal([]byte(entry), &w.Entry)
		}
		return w, err
	})
}

// Approve approves the shown items in one transaction. If any of them has changed, it
// approves none.
func (r *Records) Approve(ctx context.Context, shown []Waiting) error {
	return r.store.in(ctx, func(tx pgx.Tx) error {
		if _, err := r.store.bump(ctx, tx, Lock); err != nil {
			return err
		}
		type id struct{ folder, server string }
		byServer := map[id][]Waiting{}
		var folders, servers, keys, raws []string
		for _, w := range shown {
			byServer[id{w.Folder, w.Server}] = append(byServer[id{w.Folder, w.Server}], w)
			folders, servers = append(folders, w.Folder), append(servers, w.Server)
			keys, raws = append(keys, string(w.Key)), append(raws, string(w.Raw))
		}
		tag, err := tx.Exec(ctx, `DELETE FROM waiting USING unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS shown(folder, server, key, raw)
			WHERE waiting.folder = shown.folder AND waiting.server = shown.server AND waiting.key = shown.key AND waiting.raw = shown.raw`, folders, servers, keys, raws)
		if err != nil {
			return err
		}
		if changed := int64(len(shown)) - tag.RowsAffected(); changed != 0 {
			return fmt.Errorf("%d of what was shown has changed meanwhile, and nothing was approved; review it anew", changed)
		}
		for server, all := range byServer {
			record, err := r.one(ctx, tx, server.folder, server.server)
			if err != nil {
				return err
			}
			next := map[lock.Key]lock.Item{}
			for _, w := range all {
				before := record.Items[w.Key]
				at := max(time.Now().UnixMilli(), before.At+1) // the later of two applies
				next[w.Key] = before.Approve(w.Entry, w.Raw, at)
			}
			if err := r.write(ctx, tx, record.With(next)); err != nil {
				return err
			}
		}
		return nil
	})
}

// one reads the record of a server; an empty one if there is none.
func (r *Records) one(ctx context.Context, tx pgx.Tx, folder, server string) (*lock.Record, error) {
	var text string
	err := tx.QueryRow(ctx, `SELECT record FROM lock WHERE folder = $1 AND server = $2`, folder, server).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return &lock.Record{Version: lock.Version, Folder: folder, Server: server}, nil
	}
	if err != nil {
		return nil, err
	}
	return decode(server, text)
}
