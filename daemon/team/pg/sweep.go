package pg

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// Keeping maintains the stored data.
type Keeping struct{ store *Store }

// sweepMost is how many intents one sweep examines: those of a minute of the busiest
// team, within the time of a statement.
const sweepMost = 100_000

// Sweep sets the outcome unknown for each intent older than a time without an outcome,
// because its caller is gone. It continues where the last sweep ended, up to the first
// intent that may still get an outcome. It skips intents in the future, from replicas
// with wrong clocks. It deletes expired data. It returns how many such intents there
// were. Of concurrent sweeps, one runs.
func (k Keeping) Sweep(ctx context.Context, older time.Duration) (unknown int64, err error) {
	err = k.store.in(ctx, func(tx pgx.Tx) error {
		var mine bool
		if err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock(hashtext($1))`, k.store.channel+" sweep").Scan(&mine); err != nil || !mine {
			return err
		}
		tag, err := tx.Exec(ctx, `WITH next AS (
				SELECT seq, at FROM journal WHERE outcome = 'intent' AND seq > (SELECT seq FROM swept) ORDER BY seq LIMIT $2),
			due AS (
				SELECT seq FROM next WHERE seq < coalesce(
					(SELECT min(seq) FROM next WHERE at BETWEEN now() - $1::interval AND now() + $1::interval), 9223372036854775807)),
			mark AS (UPDATE swept SET seq = greatest(swept.seq, (SELECT max(seq) FROM due)))
			INSERT INTO journal (id, at, kind, issuer, subject, client, server, tool, outcome, entry)
			SELECT id, at, kind, issuer, subject, client, server, tool, 'unknown', entry FROM journal AS one JOIN due USING (seq)
			WHERE NOT EXISTS (SELECT FROM journal AS ended WHERE ended.id = one.id AND ended.id <> '' AND ended.outcome <> 'intent')`, older, sweepMost)
		if err != nil {
			return err
		}
		unknown = tag.RowsAffected()
		if _, err := tx.Exec(ctx, `DELETE FROM spent WHERE expires_at < now()`); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM quota WHERE minute < now() - interval '1 hour'`)
		return err
	})
	return unknown, err
}

// Take takes a slice of at most most from what a quota has left of this minute. It
// returns how much it got, and how long the minute lasts.
func (k Keeping) Take(ctx context.Context, name string, limit, most int64) (got int64, left time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	const minute = `extract(epoch FROM date_trunc('minute', now()) + interval '1 minute' - now())::float8`
	var taken int64
	var rest float64
	err = k.store.pool.QueryRow(ctx, `INSERT INTO quota (name, minute, taken) VALUES ($1, date_trunc('minute', now()), $2)
		ON CONFLICT (name, minute) DO UPDATE SET taken = quota.taken + $2 WHERE quota.taken < $3 RETURNING taken, `+minute, name, most, limit).Scan(&taken, &rest)
	if errors.Is(err, pgx.ErrNoRows) {
		err = k.store.pool.QueryRow(ctx, `SELECT $1::bigint, `+minute, limit+most).Scan(&taken, &rest)
	}
	return min(most, max(0, limit-(taken-most))), seconds(rest), err
}
