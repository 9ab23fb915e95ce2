package pg

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/winnow-mcp/winnow/daemon/trust/lock"
)

// Manifests stores what servers listed.
type Manifests struct {
	store  *Store
	format string
}

// Manifests returns the manifests of a format.
func (s *Store) Manifests(format string) Manifests { return Manifests{s, format} }

// Newest returns a manifest and how often it has changed; nil if there is none. It
// records a use at most once a day.
func (m Manifests) Newest(ctx context.Context, hash string) (body []byte, n int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var stale bool
	err = m.store.pool.QueryRow(ctx, `SELECT body, n, used_at < now() - interval '1 day' FROM manifest WHERE format = $1 AND hash = $2`, m.format, hash).
		Scan(&body, &n, &stale)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, 0, nil
	}
	if err == nil && stale {
		_, err = m.store.pool.Exec(ctx, `UPDATE manifest SET used_at = now() WHERE format = $1 AND hash = $2`, m.format, hash)
	}
	return body, n, err
}

// Changes returns how often each manifest has changed, by hash.
func (m Manifests) Changes(ctx context.Context) (map[string]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	rows, err := m.store.pool.Query(ctx, `SELECT hash, n FROM manifest WHERE format = $1`, m.format)
	if err != nil {
		return nil, err
	}
	all := map[string]int64{}
	var hash string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&hash, &n}, func() error {
		all[hash] = n
		return nil
	})
	return all, err
}

// ErrLeaseOver is returned if a lease is not in force any more.
var ErrLeaseOver = errors.New("its lease is over, and another process may have it")

// Lease returns the name of the lease on asking for a manifest.
func (m Manifests) Lease(hash string) string { return m.format + " " + hash }

// Share writes a manifest under a lease, which nobody else can take meanwhile, and
// notifies the listeners if it has changed. It returns how often that was.
func (m Manifests) Share(ctx context.Context, by Lease, hash string, data []byte) (n int64, err error) {
	err = m.store.in(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `SELECT FROM lease WHERE name = $1 AND owner = $2 AND epoch = $3 AND expires_at > now() FOR SHARE`, by.Name, by.Owner, by.Epoch)
		if err == nil && tag.RowsAffected() == 0 {
			err = ErrLeaseOver
		}
		if err != nil {
			return err
		}
		err = tx.QueryRow(ctx, `INSERT INTO manifest (format, hash, body) VALUES ($1, $2, $3)
			ON CONFLICT (format, hash) DO UPDATE SET body = excluded.body, n = manifest.n + 1, used_at = now() WHERE manifest.body <> excluded.body
			RETURNING n`, m.format, hash, data).Scan(&n)
		if errors.Is(err, pgx.ErrNoRows) {
			return tx.QueryRow(ctx, `UPDATE manifest SET used_at = now() WHERE format = $1 AND hash = $2 RETURNING n`, m.format, hash).Scan(&n)
		}
		if err == nil {
			_, err = m.store.bump(ctx, tx, Listed)
		}
		return err
	})
	return n, err
}

// Prune implements upstream.Manifests, as Clear does.
func (m Manifests) Prune() error {
	ctx, cancel := bounded()
	defer cancel()
	_, err := m.store.pool.Exec(ctx, `DELETE FROM manifest WHERE used_at < now() - interval '90 days'`)
	return err
}

// Clear deletes all manifests of the format.
func (m Manifests) Clear() error {
	ctx, cancel := bounded()
	defer cancel()
	_, err := m.store.pool.Exec(ctx, `DELETE FROM manifest WHERE format = $1`, m.format)
	return err
}

// Records stores the lock's records. It implements toollock.Records.
type Records struct {
	store *Store
	// unread reports that the last read failed.
	unread atomic.Bool
}

// Records returns the lock's records.
func (s *Store) Records() *Records { return &Records{store: s} }

// All implements toollock.Records.
func (r *Records) All() ([]*lock.Record, error) {
	records, err := r.all()
	r.unread.Store(err != nil)
	return records, err
}

func (r *Records) all() ([]*lock.Record, error) {
	ctx, cancel := bounded()
	defer cancel()
	rows, err := r.store.pool.Query(ctx, `SELECT server, record FROM lock ORDER BY folder, server`)
	if err != nil {
		return nil, fmt.Errorf("read the lock on tools: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*lock.Record, error) {
		var server, text string
		if err := row.Scan(&server, &text); err != nil {
			return nil, err
		}
		return decode(server, text)
	})
}

func decode(server, text string) (*lock.Record, error) {
	var record lock.Record
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		return nil, fmt.Errorf("the lock on tools of server %q is no record: %w", server, err)
	}
	if record.Version != lock.Version {
		return nil, fmt.Errorf("the lock on tools of server %q has version %d, and this program reads %d", server, record.Version, lock.Version)
	}
	return record.Upgraded(), nil
}

// Damaged implements toollock.Records. After a failed read, it returns true for every
// server, so that unknown content is held back.
func (r *Records) Damaged(string, string) bool { return r.unread.Load() }

// Merge implements toollock.Records.
func (r *Records) Merge(record *lock.Record) (*lock.Record, error) {
	ctx, cancel := bounded()
	defer cancel()
	merged := record
	err := r.store.in(ctx, func(tx pgx.Tx) error {
		// The version's row is the lock of all writers, even for a first record.
		if _, err := r.store.bump(ctx, tx, Lock); err != nil {
			return err
		}
		other, err := r.one(ctx, tx, record.Folder, record.Server)
		if err != nil {
			return err
		}
		merged = record.Merge(other)
		return r.write(ctx, tx, merged)
	})
	return merged, err
}

func (r *Records) write(ctx context.Context, tx pgx.Tx, record *lock.Record) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(record); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO lock (folder, server, record) VALUES ($1, $2, $3)
		ON CONFLICT (folder, server) DO UPDATE SET record = excluded.record`, record.Folder, record.Server, text.String())
	return err
}
