package pg

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// Leases stores which holder runs a server, and which replica asks one for its tools.
type Leases struct{ store *Store }

// Lease is a process's lease on a server. Address is empty for a replica's.
type Lease struct {
	Name, Owner, Address string
	Epoch                int64
}

// All returns the valid leases, by name.
func (l Leases) All(ctx context.Context) (map[string]Lease, error) {
	return l.read(ctx, `SELECT name, owner, address, epoch FROM lease WHERE expires_at > now()`)
}

// Renew extends an owner's valid leases by life from now, and returns them. It does not
// renew an expired one, because another holder may have started.
func (l Leases) Renew(ctx context.Context, owner string, life time.Duration) (map[string]Lease, error) {
	return l.read(ctx, `UPDATE lease SET expires_at = now() + $2::interval WHERE owner = $1 AND expires_at > now() RETURNING name, owner, address, epoch`, owner, life)
}

func (l Leases) read(ctx context.Context, sql string, args ...any) (map[string]Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	rows, err := l.store.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	all := map[string]Lease{}
	var one Lease
	_, err = pgx.ForEachRow(rows, []any{&one.Name, &one.Owner, &one.Address, &one.Epoch}, func() error {
		all[one.Name] = one
		return nil
	})
	return all, err
}

// Acquire takes a free lease, in a new epoch.
func (l Leases) Acquire(ctx context.Context, want Lease, life time.Duration) (got Lease, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = l.store.pool.QueryRow(ctx, `INSERT INTO lease (name, owner, address, expires_at) VALUES ($1, $2, $3, now() + $4)
		ON CONFLICT (name) DO UPDATE SET owner = $2, address = $3, epoch = lease.epoch + 1, expires_at = now() + $4
			WHERE lease.expires_at <= now() RETURNING epoch`, want.Name, want.Owner, want.Address, life).Scan(&want.Epoch)
	if errors.Is(err, pgx.ErrNoRows) {
		return want, false, nil
	}
	return want, err == nil, err
}

// Release ends an owner's lease by name, or all if name is "".
func (l Leases) Release(ctx context.Context, owner, name string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := l.store.pool.Exec(ctx, `UPDATE lease SET expires_at = now() WHERE owner = $1 AND ($2 = '' OR name = $2)`, owner, name)
	return err
}
