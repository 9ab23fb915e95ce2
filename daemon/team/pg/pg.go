// Package pg keeps in PostgreSQL what the gateways of a team share: the versions
// of the configuration, what servers listed, the lock's records, the record of
// calls. It has every statement there is; it decides nothing.
package pg

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// patience bounds one statement of a store.
const patience = 5 * time.Second

// Options say which database.
type Options struct {
	// URL is libpq's address of the database. Empty takes libpq's environment
	// (PGHOST and so on).
	URL string
	// Schema holds the tables; it is made where it is not there. Empty is winnow.
	Schema string
	Log    *slog.Logger
}

// Store is the database. It is safe for concurrent use.
type Store struct {
	pool    *pgxpool.Pool
	schema  string
	channel string
	log     *slog.Logger
}

// Open connects, and brings the tables up to date: one process at a time does.
// Older processes go on with newer tables.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Schema == "" {
		o.Schema = "winnow"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	config, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return nil, fmt.Errorf("the address of the database: %w", err)
	}
	config.ConnConfig.RuntimeParams["search_path"] = pgx.Identifier{o.Schema}.Sanitize()
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	s := &Store{pool: pool, schema: o.Schema, channel: "winnow_" + o.Schema, log: o.Log}
	if err := s.migrate(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("prepare the tables in schema %q: %w", o.Schema, err)
	}
	return s, nil
}

// migrate makes what is missing. One process at a time does: what else is to make
// something once waits for it.
func (s *Store) migrate(ctx context.Context) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	own := conn.Hijack() // its end is that of the lock
	defer func() {
		ctx, cancel := bounded()
		defer cancel()
		_ = own.Close(ctx)
	}()
	if _, err := own.Exec(ctx, `SELECT pg_advisory_lock(hashtext($1))`, s.channel); err != nil {
		return err
	}
	schema := pgx.Identifier{s.schema}.Sanitize()
	// IF NOT EXISTS wants the right to create also where the schema is there.
	var there bool
	if err := own.QueryRow(ctx, `SELECT to_regnamespace($1) IS NOT NULL`, schema).Scan(&there); err != nil {
		return err
	}
	if !there {
		if _, err := own.Exec(ctx, "CREATE SCHEMA "+schema); err != nil {
			return err
		}
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(s.pool)
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files)
	if err == nil {
		_, err = provider.Up(ctx)
	}
	return errors.Join(err, db.Close())
}

// Leases returns which holder runs a server.
func (s *Store) Leases() Leases { return Leases{s} }

// Keeping returns what looks after what is kept.
func (s *Store) Keeping() Keeping { return Keeping{s} }

// Credentials returns the accounts of users.
func (s *Store) Credentials() Credentials { return Credentials{s} }

// Close ends all connections.
func (s *Store) Close() { s.pool.Close() }

// in makes several statements one change, within the time of one.
func (s *Store) in(ctx context.Context, change func(tx pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return pgx.BeginFunc(ctx, s.pool, change)
}

// bounded is the time for a statement where the caller has none.
func bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), patience)
}
