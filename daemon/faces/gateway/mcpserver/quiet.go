package mcpserver

import (
	"context"
	"log/slog"
)

// quiet carries the library's log into ours for debugging only: it has a line
// for each request, with what was wrong in it, and that may be what a user
// typed.
type quiet struct{ slog.Handler }

// quietly returns the log for the library.
func quietly(log *slog.Logger) *slog.Logger { return slog.New(quiet{log.Handler()}) }

// Enabled implements slog.Handler.
func (q quiet) Enabled(ctx context.Context, _ slog.Level) bool {
	return q.Handler.Enabled(ctx, slog.LevelDebug)
}

// Handle implements slog.Handler.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	return q.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }
