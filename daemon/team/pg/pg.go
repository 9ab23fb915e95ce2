// Package pg stores in PostgreSQL what the gateways of a team share: the versions of the
// configuration, servers' lists, the lock's records, the record of calls. It contains all
// SQL statements and makes no decisions.
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

// patience limits one statement of a store.
const patience = 5 * time.Second

// Options configures the database.
type Options struct {
	// URL is the database's libpq URL. If "", libpq's environment applies (PGHOST and so
	// on).
	URL string
	// Schema holds the tables and is created if missing; "" means winnow.
	Schema string
	Log    *slog.Logger
}

// Store is the database. Safe for concurrent use.
type Store struct {
	pool    *pgxpool.Pool
	schema  string
	channel string
	log     *slog.Logger
}

// Open connects and migrates the tables, one process at a time. Older processes continue
// to work with newer tables.
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

// migrate creates what is missing, one process at a time; others that create something
// wait.
func (s *Store) migrate(ctx context.Context) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	own := conn.Hijack() // closing it releases the lock
	defer func() {
		ctx, cancel := bounded()
		defer cancel()
		_ = own.Close(ctx)
	}()
	if _, err := own.Exec(ctx, `SELECT pg_advisory_lock(hashtext($1))`, s.channel); err != nil {
		return err
	}
	schema := pgx.Identifier{s.schema}.Sanitize()
	// IF NOT EXISTS requires the right to create even if the schema exists.
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

// Leases returns the leases on servers.
func (s *Store) Leases() Leases { return Leases{s} }

// Keeping returns the maintenance of the stored data.
func (s *Store) Keeping() Keeping { return Keeping{s} }

// Credentials returns the accounts of users.
func (s *Store) Credentials() Credentials { return Credentials{s} }

// Close closes all connections.
func (s *Store) Close() { s.pool.Close() }

// in runs several statements as one transaction, within the time of one.
func (s *Store) in(ctx context.Context, change func(tx pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return pgx.BeginFunc(ctx, s.pool, change)
}

// bounded returns a context with the time for a statement, for callers without one.
func bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), patience)
}
