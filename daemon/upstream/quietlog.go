package upstream

import (
	"context"
	"log/slog"
)

// quietHandler carries mcp-go's own log lines into ours. They repeat what is
// reported through errors and call harmless things errors (a server without a
// notification stream), and they may quote a URL or a body: they are kept for
// debugging, without secrets.
type quietHandler struct {
	next   slog.Handler
	redact *redactor
}

func (h quietHandler) Enabled(ctx context.Context, _ slog.Level) bool {
	return h.next.Enabled(ctx, slog.LevelDebug)
}

func (h quietHandler) Handle(ctx context.Context, r slog.Record) error {
	quiet := slog.NewRecord(r.Time, slog.LevelDebug, shown(h.redact, r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		quiet.AddAttrs(slog.String(a.Key, shown(h.redact, a.Value.String())))
		return true
	})
	return h.next.Handle(ctx, quiet)
}

func (h quietHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quietHandler{next: h.next.WithAttrs(attrs), redact: h.redact}
}

func (h quietHandler) WithGroup(name string) slog.Handler {
	return quietHandler{next: h.next.WithGroup(name), redact: h.redact}
}
