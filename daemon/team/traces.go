package team

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/journal/otlp"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/team/vault"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/router"
)

// closeTime is how long the last spans may take.
const closeTime = 2 * time.Second

// traces sends spans of requests and calls to OpenTelemetry, if the environment names a
// collector.
type traces struct {
	*otlp.Exporter

	ring *vault.Ring // names the users of spans; nil names none
}

// openTraces opens the exporter. A replica also runs without it, and logs why. environ may
// be nil: nothing is sent.
func openTraces(environ otlp.Environ, ring *vault.Ring, version string, log *slog.Logger) traces {
	if environ == nil {
		return traces{}
	}
	exporter, err := otlp.Open(otlp.Options{Environ: environ, Service: Name, Client: &http.Client{}, Version: version, Log: log})
	if err != nil {
		log.Error("no traces are sent", "error", err)
	}
	return traces{exporter, ring}
}

// close sends pending spans.
func (t traces) close(ctx context.Context, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	if err := t.Close(ctx); err != nil {
		log.Warn("the last traces are not sent", "error", err)
	}
}

// user is how spans name a user.
func (t traces) user(whose principal.Principal) string {
	if t.Exporter == nil {
		return ""
	}
	return t.ring.Pseudonym(whose)
}

// received begins the span of a client's request; see [mcpserver.Options]. The context
// already has the trace that the headers name.
func (t traces) received(ctx context.Context, r mcpserver.Received) (context.Context, func(failed string)) {
	request := otlp.Request{Method: r.Method, User: t.user(r.Principal)}
	if router.IsMetaTool(r.Tool) { // any other text may be anything; a call of a server's tool has a span of its own
		request.Tool = r.Tool
	}
	return t.Begin(t.FromMeta(ctx, r.Meta), request)
}

// called begins the span of a call of a server's tool; see [engine.Options].
func (t traces) called(ctx context.Context, r upstream.CallRequest) (context.Context, upstream.CallRequest, func(*upstream.Result, error)) {
	ctx, end := t.Begin(ctx, otlp.Request{Method: "tools/call", Tool: r.Tool, Server: r.Server, User: t.user(r.Principal)})
	r.Meta = t.ToMeta(ctx, r.Meta)
	return ctx, r, func(result *upstream.Result, err error) {
		switch {
		case err != nil:
			end(journal.Failed)
		case result.IsError:
			end(journal.Errored)
		default:
			end("")
		}
	}
}

// sent names the trace of a request's context in its headers.
type sent struct {
	traces

	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (s sent) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.Exporter != nil {
		r = r.Clone(r.Context())
		s.ToHeader(r.Context(), r.Header)
	}
	return s.next.RoundTrip(r)
}
