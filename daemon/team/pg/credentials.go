package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/winnow-mcp/winnow/daemon/team/vault"
)

// Credentials stores the accounts of users. It implements vault.Store.
type Credentials struct{ store *Store }

// Credential implements vault.Store.
func (c Credentials) Credential(ctx context.Context, k vault.Key) (kept vault.Kept, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var left, claimed float64
	err = c.store.pool.QueryRow(ctx, `SELECT version, key_id, sealed, dead, extract(epoch FROM expires_at - now())::float8,
			extract(epoch FROM claimed_until - now())::float8 FROM credential WHERE issuer = $1 AND subject = $2 AND server = $3`,
		k.Issuer, k.Subject, k.Server).Scan(&kept.Version, &kept.KeyID, &kept.Sealed, &kept.Dead, &left, &claimed)
	if errors.Is(err, pgx.ErrNoRows) {
		return kept, vault.ErrNone
	}
	kept.Left, kept.Claimed = seconds(left), seconds(claimed)
	return kept, err
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// Connect implements vault.Store.
func (c Credentials) Connect(ctx context.Context, k vault.Key, keyID string, sealed []byte, life time.Duration) error {
	return c.store.in(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO credential (issuer, subject, server, key_id, sealed, expires_at) VALUES ($1, $2, $3, $4, $5, now() + $6)
			ON CONFLICT (issuer, subject, server) DO UPDATE SET version = credential.version + 1, key_id = excluded.key_id, sealed = excluded.sealed,
				expires_at = excluded.expires_at, claimed_by = '', claimed_until = now(), dead = false, at = now()`,
			k.Issuer, k.Subject, k.Server, keyID, sealed, life)
		if err == nil {
			_, err = c.store.bump(ctx, tx, Credential)
		}
		return err
	})
}

// Disconnect deletes the accounts of a subject at a server; "" means any. It returns how
// many there were.
func (c Credentials) Disconnect(ctx context.Context, subject, server string) (n int64, err error) {
	err = c.store.in(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM credential WHERE ($1 = '' OR subject = $1) AND ($2 = '' OR server = $2)`, subject, server)
		if err == nil {
			n = tag.RowsAffected()
			_, err = c.store.bump(ctx, tx, Credential)
		}
		return err
	})
	return n, err
}

// Claim implements vault.Store.
func (c Credentials) Claim(ctx context.Context, k vault.Key, version int64, by string, lasting time.Duration) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tag, err := c.store.pool.Exec(ctx, `UPDATE credential SET claimed_by = $5, claimed_until = now() + $6
		WHERE issuer = $1 AND subject = $2 AND server = $3 AND version = $4 AND claimed_until <= now() AND NOT dead`,
		k.Issuer, k.Subject, k.Server, version, by, lasting)
	return tag.RowsAffected() == 1, err
}

// Renewed implements vault.Store. An expired claim does not matter, because the version
// shows whether another replica was faster.
func (c Credentials) Renewed(ctx context.Context, k vault.Key, version int64, by, keyID string, sealed []byte, life time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tag, err := c.store.pool.Exec(ctx, `UPDATE credential SET version = version + 1, key_id = $5, sealed = $6, expires_at = now() + $7,
			claimed_by = '', claimed_until = now(), dead = false, at = now()
		WHERE issuer = $1 AND subject = $2 AND server = $3 AND version = $4`, k.Issuer, k.Subject, k.Server, version, keyID, sealed, life)
	if err == nil && tag.RowsAffected() == 0 {
		c.store.log.Info("an account was connected anew or disconnected while it was renewed", "server", k.Server, "by", by)
		return vault.ErrOvertaken
	}
	return err
}

// Unclaim implements vault.Store.
func (c Credentials) Unclaim(ctx context.Context, k vault.Key, version int64, by string, dead bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := c.store.pool.Exec(ctx, `UPDATE credential SET claimed_by = '', claimed_until = now(), dead = dead OR $6
		WHERE issuer = $1 AND subject = $2 AND server = $3 AND version = $4 AND claimed_by = $5`, k.Issuer, k.Subject, k.Server, version, by, dead)
	return err
}

// Spend implements vault.Store.
func (c Credentials) Spend(ctx context.Context, nonce string, life time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tag, err := c.store.pool.Exec(ctx, `INSERT INTO spent (nonce, expires_at) VALUES ($1, now() + $2) ON CONFLICT DO NOTHING`, nonce, life)
	if err == nil && tag.RowsAffected() == 0 {
		return vault.ErrSpent
	}
	if err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	return nil
}
