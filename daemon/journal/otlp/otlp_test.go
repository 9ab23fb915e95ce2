package otlp_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/journal/otlp"
	"github.com/winnow-mcp/winnow/daemon/secrets"
)

// collector is a receiver of OTLP over HTTP.
type collector struct {
	mu       sync.Mutex
	requests []*http.Request
	batches  []*tracepb.TracesData
	bytes    int
}

func (c *collector) start(t *testing.T, status int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		batch := &tracepb.TracesData{}
		if err == nil {
			err = proto.Unmarshal(body, batch)
		}
		if err != nil {
			t.Errorf("a batch cannot be read: %v", err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.requests = append(c.requests, r)
		c.batches = append(c.batches, batch)
		c.bytes += len(body)
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// spans are those that have arrived, and what the sender says of itself.
func (c *collector) spans() (spans []*tracepb.Span, resource map[string]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	resource = map[string]string{}
	for _, batch := range c.batches {
		for _, r := range batch.GetResourceSpans() {
			maps.Copy(resource, texts(r.GetResource().GetAttributes()))
			for _, s := range r.GetScopeSpans() {
				spans = append(spans, s.GetSpans()...)
			}
		}
	}
	return spans, resource
}

func texts(list []*commonpb.KeyValue) map[string]string {
	found := map[string]string{}
	for _, a := range list {
		found[a.GetKey()] = a.GetValue().GetStringValue()
	}
	return found
}

func environ(variables map[string]string) otlp.Environ {
	return func(name string) (string, bool) {
		text, ok := variables[name]
		return text, ok
	}
}

func open(t *testing.T, variables map[string]string, log io.Writer) (*otlp.Exporter, error) {
	t.Helper()
	return otlp.Open(otlp.Options{
		Environ: environ(variables), Client: http.DefaultClient, Version: "1.2.3", Log: slog.New(slog.NewTextHandler(log, nil)),
	})
}

// TestExporter: a call arrives at a collector as a span with all that the record
// has of it, but for its detail; what was typed goes only where the record has
// it too.
func TestExporter(t *testing.T) {
	c := &collector{}
	url := c.start(t, http.StatusOK)
	var log strings.Builder
	x, err := open(t, map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": url + "/base/", "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Bearer%20key, X-Team = tools",
	}, &log)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	j := journal.Open(journal.Options{Dir: t.TempDir(), Export: x.Export})
	j.Record(journal.Entry{
		Time: start, Kind: journal.Call, Client: "editor", Task: "t1", Server: "github", Tool: "create_issue",
		From: []string{"pages/read"}, ArgumentsHash: "0123", Outcome: "failed", DurationMs: 1500, By: "user", Detail: "a detail of the user",
	})
	j.Record(journal.Entry{Time: start, Kind: journal.Call, Tool: "echo", Outcome: "ok", Arguments: json.RawMessage(`{"text":"of the user"}`)})
	j.Record(journal.Entry{Time: start, Kind: journal.Consent, Server: "s", Outcome: "allowed", By: "user", Detail: "/home/me/file"})
	j.Close()
	if err := x.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	r := c.requests[0]
	if r.URL.Path != "/base/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" ||
		r.Header.Get("Authorization") != "Bearer key" || r.Header.Get("X-Team") != "tools" {
		t.Errorf("the request is %s with %v", r.URL.Path, r.Header)
	}
	spans, resource := c.spans()
	if resource["service.name"] != "winnowd" || resource["service.version"] != "1.2.3" {
		t.Errorf("the resource is %v", resource)
	}
	if len(spans) != 3 {
		t.Fatalf("%d spans have arrived, want 3: %v", len(spans), spans)
	}
	call := spans[0]
	if call.GetName() != "tools/call create_issue" || call.GetKind() != tracepb.Span_SPAN_KIND_CLIENT ||
		call.GetStatus().GetCode() != tracepb.Status_STATUS_CODE_ERROR ||
		call.GetStartTimeUnixNano() != uint64(start.UnixNano()) || call.GetEndTimeUnixNano()-call.GetStartTimeUnixNano() != 1.5e9 {
		t.Errorf("the span is %v", call)
	}
	want := map[string]string{
		"mcp.method.name": "tools/call", "gen_ai.tool.name": "create_issue", "error.type": "failed", "winnow.kind": "call", "winnow.outcome": "failed",
		"winnow.server": "github", "winnow.client": "editor", "winnow.task": "t1", "winnow.arguments.hash": "0123", "winnow.from": "", "winnow.confirmed_by": "user",
	}
	if got := texts(call.GetAttributes()); !maps.Equal(got, want) {
		t.Errorf("its attributes are %v, want %v", got, want)
	}
	if got := texts(spans[1].GetAttributes())["gen_ai.tool.call.arguments"]; got != `{"text":"of the user"}` {
		t.Errorf("arguments that are recorded arrive as %q", got)
	}
	if i := slices.IndexFunc(call.GetAttributes(), func(a *commonpb.KeyValue) bool { return a.GetKey() == "winnow.from" }); i < 0 ||
		call.GetAttributes()[i].GetValue().GetArrayValue().GetValues()[0].GetStringValue() != "pages/read" {
		t.Errorf("where what was passed on came from is lost: %v", call.GetAttributes())
	}
	if spans[2].GetName() != "winnow/consent" || texts(spans[2].GetAttributes())["winnow.outcome"] != "allowed" {
		t.Errorf("a consent arrives as %v", spans[2])
	}
	for _, span := range spans {
		if text := span.String(); strings.Contains(text, "a detail") || strings.Contains(text, "/home/me") {
			t.Errorf("a detail arrives: %s", text)
		}
	}
	if strings.Contains(log.String(), "Bearer key") {
		t.Errorf("the log has the key: %s", log.String())
	}
}

// TestExporter_collectorInTheWay: a collector that refuses is told of once, and
// costs the calls nothing.
func TestExporter_collectorInTheWay(t *testing.T) {
	c := &collector{}
	var log strings.Builder
	x, err := open(t, map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": c.start(t, http.StatusServiceUnavailable)}, &log)
	if err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		x.Export(journal.Entry{Time: time.Now(), Kind: journal.Call, Tool: "echo", Outcome: "ok"})
	}
	if err := x.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := strings.Count(log.String(), "not sent"); got != 1 || !strings.Contains(log.String(), "503") {
		t.Errorf("it is told %d times, want once: %s", got, log.String())
	}
	if c.requests[0].URL.Path != "/" {
		t.Errorf("an address for traces is used as it is: got %s", c.requests[0].URL.Path)
	}
}

// TestExporter_secretsOfTheAddress: what is logged of an address has no password
// and no key of its query, whether the collector refuses or is not there.
func TestExporter_secretsOfTheAddress(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, url := range []string{(&collector{}).start(t, http.StatusServiceUnavailable), gone.URL} {
		var log strings.Builder
		address := strings.Replace(url, "//", "//me:hidden@", 1) + "/v1/traces?team=tools&api_key=hidden"
		x, err := open(t, map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": address}, &log)
		if err != nil {
			t.Fatal(err)
		}
		x.Export(journal.Entry{Time: time.Now(), Kind: journal.Call, Tool: "echo", Outcome: "ok"})
		if err := x.Close(t.Context()); err != nil {
			t.Error(err)
		}
		shown := strings.ReplaceAll(log.String(), secrets.Hidden, "")
		if strings.Count(shown, "team=tools") != 2 || strings.Contains(shown, "hidden") {
			t.Errorf("the log is %s", log.String())
		}
	}
}

// TestExporter_closeHasAnEnd: a collector that never answers holds nobody up.
func TestExporter_closeHasAnEnd(t *testing.T) {
	held := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-held }))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(held) })
	x, err := open(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": s.URL}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	x.Export(journal.Entry{Time: time.Now(), Kind: journal.Call, Tool: "echo", Outcome: "ok"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := x.Close(ctx); err == nil {
		t.Error("a batch that nobody took is sent")
	}
}

// TestOpen: what the environment says is followed, or named with what to do.
func TestOpen(t *testing.T) {
	for _, tt := range []struct {
		name      string
		variables map[string]string
		sends     bool
		err       string
	}{
		{"nothing", nil, false, ""},
		{"an endpoint", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}, true, ""},
		{"switched off", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318", "OTEL_SDK_DISABLED": "true"}, false, ""},
		{"switched off in capitals", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318", "OTEL_SDK_DISABLED": "TRUE"}, false, ""},
		{"another exporter", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318", "OTEL_TRACES_EXPORTER": "none"}, false, ""},
		{"no address", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318"}, false, "OTEL_EXPORTER_OTLP_ENDPOINT is no address"},
		{"a password", map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "ftp://me:hidden@x"}, false, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is no address"},
		{"gRPC", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false, "http/protobuf"},
		{"a header", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318", "OTEL_EXPORTER_OTLP_HEADERS": "a=b,sk-hidden"}, false, "OTEL_EXPORTER_OTLP_HEADERS: header 2 "},
		{"an encoding", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318", "OTEL_EXPORTER_OTLP_HEADERS": "sk-hidden=%zz"}, false, "OTEL_EXPORTER_OTLP_HEADERS: header 1 "},
		{"a time", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "soon"}, false, "milliseconds"},
	} {
		x, err := open(t, tt.variables, io.Discard)
		switch {
		case tt.err == "" && err != nil, tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.err)
		case tt.err == "" && (x != nil) != tt.sends:
			t.Errorf("%s: it sends %v, want %v", tt.name, x != nil, tt.sends)
		case err != nil && strings.Contains(err.Error(), "hidden"):
			t.Errorf("%s: the error has a secret: %v", tt.name, err)
		}
		x.Export(journal.Entry{Kind: journal.Lost})
		_ = x.Close(t.Context())
	}
}

// TestExporter_trace: a request is in the trace that its `_meta` or its headers name, and
// so is what it causes; what names none well is passed over, and without an exporter
// nothing is changed.
func TestExporter_trace(t *testing.T) {
	c := &collector{}
	x, err := open(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.start(t, http.StatusOK)}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	const trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for _, tt := range []struct {
		meta string
		in   bool
		want string // the members that are left
	}{
		{`{"traceparent":"` + parent + `","tracestate":"a=b","progress":1}`, true, `"progress":1`},
		{`{"traceparent":"` + parent + `"}`, true, ``},
		{`{"traceparent":"00-0-0-01","a":"b"}`, false, `"a":"b"`},
		{`{"traceparent":7}`, false, ``},
		{``, false, ``},
	} {
		ctx, end := x.Begin(x.FromMeta(t.Context(), json.RawMessage(tt.meta)), otlp.Request{Method: "tools/list"})
		got := string(x.ToMeta(ctx, json.RawMessage(tt.meta)))
		if strings.Contains(got, trace) != tt.in || strings.Contains(got, "00f067aa0ba902b7") || !strings.Contains(got, tt.want) || !strings.Contains(got, `"traceparent":"00-`) ||
			strings.Contains(got, `"tracestate":"a=b"`) != strings.Contains(tt.meta, "a=b") {
			t.Errorf("%s becomes %s", tt.meta, got)
		}
		h := http.Header{}
		x.ToHeader(ctx, h)
		if !strings.Contains(got, h.Get("Traceparent")) {
			t.Errorf("the header is %q, the member in %s", h.Get("Traceparent"), got)
		}
		end("")
	}
	if got := x.ToMeta(x.FromHeader(t.Context(), http.Header{"Traceparent": {parent}}), json.RawMessage(`[]`)); string(got) != "[]" {
		t.Errorf("what is no object becomes %s", got)
	}
	if err := x.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if spans, resource := c.spans(); len(spans) != 5 || resource["service.name"] != "winnowd" {
		t.Errorf("%d spans of %v", len(spans), resource)
	}
	var none *otlp.Exporter
	ctx, end := none.Begin(none.FromMeta(t.Context(), json.RawMessage(`{"traceparent":"`+parent+`"}`)), otlp.Request{Method: "tools/list"})
	end("failed")
	if got := none.ToMeta(ctx, json.RawMessage(`{"traceparent":"theirs"}`)); string(got) != `{"traceparent":"theirs"}` {
		t.Errorf("without an exporter it becomes %s", got)
	}
}
