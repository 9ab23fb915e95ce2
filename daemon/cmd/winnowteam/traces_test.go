package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/team/vault"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// span is a span that a collector was sent.
type span struct {
	*tracepb.Span

	attributes map[string]string
}

// collector receives OTLP over HTTP.
type collector struct {
	mu    sync.Mutex
	spans []span
	whole strings.Builder
}

func startCollector(t *testing.T) (c *collector, address string) {
	t.Helper()
	c = &collector{}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
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
		for _, of := range batch.GetResourceSpans() {
			c.whole.WriteString(of.String())
			for _, scope := range of.GetScopeSpans() {
				for _, one := range scope.GetSpans() {
					next := span{one, map[string]string{}}
					for _, a := range one.GetAttributes() {
						next.attributes[a.GetKey()] = a.GetValue().GetStringValue()
					}
					c.spans = append(c.spans, next)
				}
			}
		}
	}))
	t.Cleanup(s.Close)
	return c, s.URL
}

// of returns the spans of a trace in the order in which one causes the next.
func (c *collector) of(trace string) (chain []span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	children := map[string]span{}
	for _, s := range c.spans {
		if hex.EncodeToString(s.GetTraceId()) == trace {
			children[hex.EncodeToString(s.GetParentSpanId())] = s
		}
	}
	for s, ok := children[clientSpan]; ok; s, ok = children[hex.EncodeToString(s.GetSpanId())] {
		chain = append(chain, s)
	}
	return chain
}

const clientSpan = "00f067aa0ba902b7"

// TestTeam_traces: a call through a gateway, a holder and a program is one trace, the
// client's, whether that comes in `_meta` or in a header; so are searches and lists. A
// server over HTTP is sent it in both. No argument, no result and no name of a user goes
// to the collector.
func TestTeam_traces(t *testing.T) {
	t.Parallel()
	collected, address := startCollector(t)
	received := filepath.Join(t.TempDir(), "received")
	command, args, env := upstreamtest.Program(t, upstreamtest.Script{ReceivedFile: received})
	entry, err := json.Marshal(map[string]any{"command": command, "args": args, "env": env})
	if err != nil {
		t.Fatal(err)
	}
	server := startServer(t, true)
	f := newFixture(t, 1, server, withKeys, func(f *fixture) {
		f.env = append(f.env, "OTEL_EXPORTER_OTLP_ENDPOINT="+address, "OTEL_BSP_SCHEDULE_DELAY=50")
		f.more = `,"desk":` + string(entry)
		f.start("hold", "--listen", "127.0.0.1:0")
	})
	ctx, r := t.Context(), f.replicas[0]
	f.until("the program's tools wait for an approval", func() bool { return strings.Contains(f.run("review", "desk"), "tool:echo") })
	f.approve("desk")
	keyed, err := vault.ParseRing([]byte(testKeys))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	// send sends a request in a trace of its own, by `_meta` or by a header.
	send := func(meta bool, method, tool, params string) (trace string, a answer) {
		t.Helper()
		n++
		trace = fmt.Sprintf("4bf92f3577b34da6a3ce929d0e0e%04x", n)
		parent := "00-" + trace + "-" + clientSpan + "-01"
		header := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": tool}
		with := envelope
		if meta {
			with = strings.Replace(envelope, `"_meta":{`, `"_meta":{"traceparent":"`+parent+`",`, 1)
		} else {
			header["Traceparent"] = parent
		}
		if params != "" {
			params += ","
		}
		return trace, f.ask(f.send(ctx, r.address, "alice", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, method, params, with), header))
	}
	const call = `"name":"mcp_call","arguments":{"name":"echo","arguments":{"text":"a secret of alice's"}}`
	f.until("the program is called", func() bool { _, a := send(true, "tools/call", "mcp_call", call); return !a.result.IsError })
	for _, meta := range []bool{true, false} {
		trace, a := send(meta, "tools/call", "mcp_call", call)
		if a.result.IsError {
			t.Fatal(a.text())
		}
		var chain []span
		f.until("the spans of the call have arrived", func() bool { chain = collected.of(trace); return len(chain) == 4 })
		for i, want := range []struct{ name, kind, server string }{
			{"tools/call mcp_call", "SPAN_KIND_SERVER", ""}, {"tools/call echo", "SPAN_KIND_CLIENT", "desk"}, // the gateway
			{"tools/call", "SPAN_KIND_SERVER", ""}, {"tools/call echo", "SPAN_KIND_CLIENT", "desk"}, // the holder
		} {
			if s := chain[i]; s.GetName() != want.name || s.GetKind().String() != want.kind || s.attributes["winnow.server"] != want.server {
				t.Errorf("span %d is %s, %s of server %q; want %v", i, s.GetName(), s.GetKind(), s.attributes["winnow.server"], want)
			}
		}
		// Whoever has not the keys cannot try names.
		unkeyed := sha256.Sum256([]byte(f.provider.Issuer + "\x00alice"))
		user := chain[0].attributes["user.hash"]
		if user != keyed.Pseudonym(principal.Principal{Issuer: f.provider.Issuer, Subject: "alice"}) || user == hex.EncodeToString(unkeyed[:8]) ||
			chain[1].attributes["user.hash"] != user || chain[2].attributes["user.hash"] != "" {
			t.Errorf("the user is %q", user)
		}
		last := fmt.Sprintf("00-%s-%x-01", trace, chain[3].GetSpanId())
		if text, err := os.ReadFile(received); err != nil || !strings.Contains(string(text), last) {
			t.Errorf("the program is not told %s, %v: %s", last, err, text)
		}
	}
	trace, _ := send(true, "tools/call", "mcp_call", `"name":"mcp_call","arguments":{"name":"read_note","arguments":{"id":"one"}}`)
	var chain []span
	f.until("the spans of the call have arrived", func() bool { chain = collected.of(trace); return len(chain) == 2 })
	server.mu.Lock()
	if want := fmt.Sprintf("00-%s-%x-01", trace, chain[1].GetSpanId()); server.parents["one"] != [2]string{want, want} {
		t.Errorf("the server is told %v, want %s", server.parents["one"], want)
	}
	server.mu.Unlock()
	for method, params := range map[string]string{"tools/list": "", "tools/call": `"name":"mcp_search","arguments":{"query":"a secret of alice's"}`} {
		tool := map[bool]string{true: "mcp_search"}[params != ""]
		trace, _ := send(true, method, tool, params)
		f.until("the span has arrived", func() bool { return len(collected.of(trace)) == 1 })
		if s := collected.of(trace)[0]; s.GetName() != strings.TrimSpace(method+" "+tool) || s.attributes["mcp.method.name"] != method {
			t.Errorf("%s is the span %s with %v", method, s.GetName(), s.attributes)
		}
	}
	// What a client makes up is no name.
	trace, _ = send(true, "tools/call", "a secret", `"name":"a secret","arguments":{}`)
	f.until("the span has arrived", func() bool { return len(collected.of(trace)) == 1 })
	collected.mu.Lock()
	defer collected.mu.Unlock()
	if text := collected.whole.String(); strings.Contains(text, "secret") || strings.Contains(text, `"alice"`) || strings.Contains(text, f.tokens["alice"]) || !strings.Contains(text, "winnowteam") {
		t.Errorf("the collector was told %s", text)
	}
}
