package otlp

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/secrets"
)

// Options configures an [Exporter].
type Options struct {
	// Environ is the daemon's environment.
	Environ Environ
	// Service is the default of OTEL_SERVICE_NAME; "" means winnowd.
	Service string
	// Client posts the batches.
	Client *http.Client
	// Version is the daemon's.
	Version string
	// Log receives where spans are sent, and the first failure.
	Log *slog.Logger
}

// Exporter converts entries into spans. A nil Exporter does nothing.
type Exporter struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// Open returns an exporter, or nil if the environment names no endpoint. An error
// concerns a variable.
func Open(o Options) (*Exporter, error) {
	t, err := readTarget(o.Environ)
	if err != nil {
		return nil, fmt.Errorf("OpenTelemetry: %w; the record of calls is not sent", err)
	}
	if t.url == "" {
		return nil, nil //nolint:nilnil // nothing to send is no error
	}
	ctx := context.Background()
	exporter, err := otlptrace.New(ctx, &client{target: t, http: o.Client})
	if err != nil {
		return nil, fmt.Errorf("OpenTelemetry: %w", err)
	}
	whose, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", cmp.Or(o.Service, "winnowd")), attribute.String("service.version", o.Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OpenTelemetry: %w", err)
	}
	o.Log.Info("calls are sent to OpenTelemetry", "endpoint", secrets.ShowURL(t.url))
	provider := sdk.NewTracerProvider(sdk.WithBatcher(&tolerant{SpanExporter: exporter, log: o.Log}), sdk.WithResource(whose))
	return &Exporter{provider, provider.Tracer("github.com/winnow-mcp/winnow", trace.WithInstrumentationVersion(o.Version))}, nil
}

// tolerant logs the first error of an exporter and hides all from the SDK, whose error
// handler is global.
type tolerant struct {
	sdk.SpanExporter
	log  *slog.Logger
	told sync.Once
}

// ExportSpans implements [sdk.SpanExporter].
func (t *tolerant) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if err := t.SpanExporter.ExportSpans(ctx, spans); err != nil {
		t.told.Do(func() { t.log.Warn("calls are not sent to OpenTelemetry", "error", err) })
	}
	return nil
}

// Export sends an entry with the next batch, without blocking. If the collector is too
// slow, the newest entries are dropped.
func (x *Exporter) Export(e journal.Entry) {
	if x == nil {
		return
	}
	name, kind := "winnow/"+string(e.Kind), trace.SpanKindInternal
	if e.Kind == journal.Call {
		name, kind = "tools/call "+e.Tool, trace.SpanKindClient
	}
	_, span := x.tracer.Start(context.Background(), name,
		trace.WithNewRoot(), trace.WithSpanKind(kind), trace.WithTimestamp(e.Time), trace.WithAttributes(attributes(&e)...))
	if e.Outcome == journal.Errored || e.Outcome == journal.Failed {
		span.SetStatus(codes.Error, e.Outcome)
	}
	span.End(trace.WithTimestamp(e.Time.Add(time.Duration(e.DurationMs * float64(time.Millisecond)))))
}

// attributes returns a span's attributes of an entry, by the semantic conventions for MCP
// where applicable. It omits the detail, because that names the user's files.
func attributes(e *journal.Entry) []attribute.KeyValue {
	list := []attribute.KeyValue{
		attribute.String("winnow.kind", string(e.Kind)), attribute.String("winnow.outcome", e.Outcome),
	}
	if e.Kind == journal.Call {
		list = append(list, attribute.String("mcp.method.name", "tools/call"))
	}
	if e.Outcome == journal.Errored || e.Outcome == journal.Failed {
		list = append(list, attribute.String("error.type", e.Outcome))
	}
	for _, part := range []struct{ name, text string }{
		{"gen_ai.tool.name", e.Tool}, {"gen_ai.tool.call.arguments", string(e.Arguments)},
		{"winnow.server", e.Server}, {"winnow.client", e.Client}, {"winnow.task", e.Task},
		{"winnow.arguments.hash", e.ArgumentsHash}, {"winnow.confirmed_by", e.By},
	} {
		if part.text != "" {
			list = append(list, attribute.String(part.name, part.text))
		}
	}
	if len(e.From) > 0 {
		list = append(list, attribute.StringSlice("winnow.from", e.From))
	}
	return list
}

// Close sends pending spans, until ctx ends.
func (x *Exporter) Close(ctx context.Context) error {
	if x == nil {
		return nil
	}
	if err := x.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("OpenTelemetry: %w", err)
	}
	return nil
}
