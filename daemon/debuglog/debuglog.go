// Package debuglog passes a library's log to ours at debug level only. Libraries log each
// request, report harmless events as errors, and quote user input. Known secrets are
// removed.
package debuglog

import (
	"context"
	"log/slog"
)

// New returns a logger for a library. redact removes secrets from a text; nil keeps it
// unchanged.
func New(log *slog.Logger, redact func(string) string) *slog.Logger {
	return slog.New(handler{log.Handler(), redact})
}

type handler struct {
	slog.Handler
	redact func(string) string
}

// Enabled implements slog.Handler.
func (h handler) Enabled(ctx context.Context, _ slog.Level) bool {
	return h.Handler.Enabled(ctx, slog.LevelDebug)
}

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	if h.redact == nil {
		return h.Handler.Handle(ctx, r)
	}
	clean := slog.NewRecord(r.Time, slog.LevelDebug, h.redact(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(slog.String(a.Key, h.redact(a.Value.String())))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs), h.redact}
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.Handler.WithGroup(name), h.redact}
}
