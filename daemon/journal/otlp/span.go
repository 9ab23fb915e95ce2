package otlp

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Request describes a request of MCP for its span. It has no arguments and no results.
type Request struct {
	// Method is the method of MCP, and Tool the tool of a call; may be empty.
	Method, Tool string
	// Server is the name of the server that is called; empty for a received request.
	Server string
	// User tells the user that the request is made for apart from others without naming
	// them; may be empty.
	User string
}

// Begin begins the span of a request, as a part of the trace of ctx. It returns the
// context of what the request causes, and a function that ends the span: failed is one
// word, or "" for success. A nil Exporter returns ctx.
func (x *Exporter) Begin(ctx context.Context, r Request) (_ context.Context, end func(failed string)) {
	if x == nil {
		return ctx, func(string) {}
	}
	kind := trace.SpanKindServer
	list := []attribute.KeyValue{attribute.String("mcp.method.name", r.Method)}
	if r.Server != "" {
		kind = trace.SpanKindClient
		list = append(list, attribute.String("winnow.server", r.Server))
	}
	if r.Tool != "" {
		list = append(list, attribute.String("gen_ai.tool.name", r.Tool))
	}
	if r.User != "" {
		list = append(list, attribute.String("user.hash", r.User))
	}
	ctx, span := x.tracer.Start(ctx, strings.TrimSpace(r.Method+" "+r.Tool), trace.WithSpanKind(kind), trace.WithAttributes(list...))
	return ctx, func(failed string) {
		if failed != "" {
			span.SetAttributes(attribute.String("error.type", failed))
			span.SetStatus(codes.Error, failed)
		}
		span.End()
	}
}

// FromHeader returns ctx in the trace that the headers of an HTTP request name, if any.
func (x *Exporter) FromHeader(ctx context.Context, h http.Header) context.Context {
	if x == nil {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(h))
}

// ToHeader sets the headers that name the trace of ctx.
func (x *Exporter) ToHeader(ctx context.Context, h http.Header) {
	if x != nil {
		propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(h))
	}
}

// FromMeta is FromHeader for the `_meta` of a request of MCP, which may be nil.
func (x *Exporter) FromMeta(ctx context.Context, meta json.RawMessage) context.Context {
	var named struct {
		Traceparent string `json:"traceparent"`
		Tracestate  string `json:"tracestate"`
	}
	if x == nil || len(meta) == 0 || json.Unmarshal(meta, &named) != nil || named.Traceparent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": named.Traceparent, "tracestate": named.Tracestate})
}

// ToMeta returns a `_meta` that names the trace of ctx, too.
func (x *Exporter) ToMeta(ctx context.Context, meta json.RawMessage) json.RawMessage {
	names := propagation.MapCarrier{}
	if x != nil {
		propagation.TraceContext{}.Inject(ctx, names)
	}
	members := map[string]json.RawMessage{}
	if len(names) == 0 || len(meta) > 0 && json.Unmarshal(meta, &members) != nil {
		return meta
	}
	delete(members, "tracestate")
	for name, text := range names {
		quoted, err := json.Marshal(text)
		if err != nil {
			return meta
		}
		members[name] = quoted
	}
	with, err := json.Marshal(members)
	if err != nil {
		return meta
	}
	return with
}
