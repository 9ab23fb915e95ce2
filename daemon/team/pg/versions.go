package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Kinds of versioned data.
const (
	// Config is the applied document, Lock the lock's records, Credential the connected
	// accounts, and Listed what servers listed.
	Config     = "config"
	Lock       = "lock"
	Credential = "credential"
	Listed     = "listed"
)

// Versions returns the current number of each kind.
func (s *Store) Versions(ctx context.Context) (map[string]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	rows, err := s.pool.Query(ctx, `SELECT kind, n FROM version`)
	if err != nil {
		return nil, err
	}
	all := map[string]int64{}
	var kind string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&kind, &n}, func() error {
		all[kind] = n
		return nil
	})
	return all, err
}

// Applied returns the number of the newest document, and how long ago it was applied.
func (s *Store) Applied(ctx context.Context) (n int64, ago time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var age float64
	err = s.pool.QueryRow(ctx, `SELECT n, extract(epoch FROM clock_timestamp() - at)::float8 FROM version WHERE kind = $1`, Config).Scan(&n, &age)
	return n, seconds(age), err
}

// bump creates a new version of a kind, and notifies listeners on commit.
func (s *Store) bump(ctx context.Context, tx pgx.Tx, kind string) (n int64, err error) {
	err = tx.QueryRow(ctx, `UPDATE version SET n = n + 1, at = now() WHERE kind = $1 RETURNING n`, kind).Scan(&n)
	if err == nil {
		_, err = tx.Exec(ctx, `SELECT pg_notify($1, $2)`, s.channel, kind)
	}
	return n, err
}

// Listen calls changed for new versions, until ctx ends. It may miss some while the
// database is unreachable, so callers must also poll [Store.Versions].
func (s *Store) Listen(ctx context.Context, changed func()) {
	const pause = time.Second
	for ctx.Err() == nil {
		if err := s.listen(ctx, changed); err != nil && ctx.Err() == nil {
			s.log.Warn("the database does not tell of changes: they are looked for each second", "error", err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// listen listens on its own connection until that breaks.
func (s *Store) listen(ctx context.Context, changed func()) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	own := conn.Hijack() // a connection of the pool must not continue to listen
	defer func() {
		ctx, cancel := bounded()
		defer cancel()
		_ = own.Close(ctx)
	}()
	if _, err := own.Exec(ctx, "LISTEN "+pgx.Identifier{s.channel}.Sanitize()); err != nil {
		return err
	}
	changed() // for versions before it listened
	for {
		if _, err := own.WaitForNotification(ctx); err != nil {
			return err
		}
		changed()
	}
}

// Document is one version of the applied configuration.
type Document struct {
	N    int64
	Text string
	By   string
	At   time.Time
}

// ErrNoDocument is returned if no document with a number was applied.
var ErrNoDocument = errors.New("no such document was applied")

// ErrMeanwhile is returned if another document was applied first.
var ErrMeanwhile = errors.New("another document was applied meanwhile")

// Document returns a version of the configuration; 0 means the newest.
func (s *Store) Document(ctx context.Context, n int64) (Document, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d := Document{N: n}
	err := s.pool.QueryRow(ctx, `SELECT n, document, applied_by, applied_at FROM config WHERE n = $1 OR $1 = 0 ORDER BY n DESC LIMIT 1`, n).
		Scan(&d.N, &d.Text, &d.By, &d.At)
	if errors.Is(err, pgx.ErrNoRows) {
		return d, ErrNoDocument
	}
	return d, err
}

// Apply makes a text the newest document if the newest is after (0 for none). It returns
// its number.
func (s *Store) Apply(ctx context.Context, after int64, text, by string) (n int64, err error) {
	err = s.in(ctx, func(tx pgx.Tx) error {
		if n, err = s.bump(ctx, tx, Config); err != nil {
			return err
		}
		if n != after+1 {
			return fmt.Errorf("%w: the newest is number %d", ErrMeanwhile, n-1)
		}
		_, err := tx.Exec(ctx, `INSERT INTO config (n, document, applied_by) VALUES ($1, $2, $3)`, n, text, by)
		return err
	})
	return n, err
}

// Person is a user whom a gateway has seen.
type Person struct {
	Issuer, Subject, Name string
	Groups                []string
	At                    time.Time
}

// See records that a person was seen.
func (s *Store) See(ctx context.Context, p Person) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if p.Groups == nil {
		p.Groups = []string{}
	}
	_, err := s.pool.Exec(ctx, `INSERT INTO seen (issuer, subject, name, groups) VALUES ($1, $2, $3, $4)
		ON CONFLICT (issuer, subject) DO UPDATE SET name = excluded.name, groups = excluded.groups, at = now()`, p.Issuer, p.Subject, p.Name, p.Groups)
	return err
}

// People returns the persons seen, latest first.
func (s *Store) People(ctx context.Context) ([]Person, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	rows, err := s.pool.Query(ctx, `SELECT issuer, subject, name, groups, at FROM seen ORDER BY at DESC, issuer, subject`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Person])
}
