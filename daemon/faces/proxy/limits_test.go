package proxy

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// endpointProxy returns a proxy in front of a provider, as an endpoint that is
// set up otherwise than the usual one.
func endpointProxy(t *testing.T, p *provider, router Router, e Endpoint) string {
	t.Helper()
	u, err := url.Parse(p.URL + "/v1")
	if err != nil {
		t.Fatal(err)
	}
	e.Name, e.URL = "test", u
	server := httptest.NewServer(Guard("", New(Options{Router: router, Endpoints: func() map[string]Endpoint { return map[string]Endpoint{"test": e} }})))
	t.Cleanup(server.Close)
	return server.URL + "/to/test"
}

// A model that can search for tools has all of them, the unattached ones
// marked; mcp_load, which would be a second way, is not offered.
func TestHandler_Defers(t *testing.T) {
	p := newProvider(t, whole(`{"content":[{"type":"text","text":"ok"}]}`))
	router := newRouter()
	router.loaded = []string{"mcp__other__go"}
	post(t, endpointProxy(t, p, router, Endpoint{Defer: true})+"/messages", `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[
 {"name":"bash","input_schema":{}},{"name":"mcp__mine__now","input_schema":{},"defer_loading":true},{"name":"memory_create","input_schema":{}},{"name":"mcp__other__go","input_schema":{}}]}`)
	want := `"tools":[{"name":"bash","input_schema":{}},{"name":"mcp__mine__now","input_schema":{},"defer_loading":true},{"type":"tool_search_tool_bm25_20251119","name":"tool_search_tool_bm25"},` +
		`{"name":"mcp__other__go","input_schema":{}},{"name":"memory_create","input_schema":{},"defer_loading":true}]`
	if !strings.Contains(p.bodies[0], want) {
		t.Errorf("the provider got %s, want %s", p.bodies[0], want)
	}
	// A format without such a search has its tools cut.
	post(t, endpointProxy(t, p, router, Endpoint{Defer: true})+"/chat/completions", request)
	if got, want := tools(t, p.bodies[1]), "bash mcp_load mcp__other__go"; got != want {
		t.Errorf("chat: the provider got %s, want %s", got, want)
	}
}

// A tool that tool_choice names is never cut.
func TestHandler_ToolChoice(t *testing.T) {
	p := newProvider(t, whole(`{"choices":[]}`))
	url := newProxy(t, p, newRouter()).URL
	post(t, url+"/to/test/chat/completions", strings.Replace(request, `"temperature"`, `"tool_choice":{"type":"function","function":{"name":"memory_create"}},"temperature"`, 1))
	if got, want := tools(t, p.bodies[0]), "bash mcp_load memory_create"; got != want {
		t.Errorf("the provider got %s, want %s", got, want)
	}
	post(t, url+"/to/test/responses", `{"input":"hi","tool_choice":{"type":"function","name":"go"},"tools":[{"type":"namespace","name":"mcp__other","tools":[{"type":"function","name":"go"},{"type":"function","name":"stop"}]}]}`)
	if !strings.Contains(p.bodies[1], `"tools":[{"type":"function","name":"go"}]`) {
		t.Errorf("the provider got %s, want the tool that is asked for", p.bodies[1])
	}
}

// A client's key goes to an address of a workspace's file only when the user
// has agreed to it.
func TestHandler_NeedsConsent(t *testing.T) {
	p := newProvider(t, whole(`{}`))
	url := endpointProxy(t, p, newRouter(), Endpoint{NeedsConsent: true, File: "/work/.vscode/winnow.json"})
	status, answer := post(t, url+"/chat/completions", request)
	if status != http.StatusForbidden || !strings.Contains(answer, "-consent "+p.URL+"/v1") || !strings.Contains(answer, "/work/.vscode/winnow.json") {
		t.Errorf("got %d %s, want 403 with the file and what agrees", status, answer)
	}
	if len(p.bodies) != 0 {
		t.Errorf("the provider got %s", p.bodies)
	}
}

// A provider that points elsewhere is not followed with a key.
func TestHandler_Redirect(t *testing.T) {
	elsewhere := newProvider(t, whole(`{}`))
	p := newProvider(t, func(w http.ResponseWriter) {
		w.Header().Set("Location", elsewhere.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, newProxy(t, p, newRouter()).URL+"/to/test/chat/completions", strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusTemporaryRedirect || resp.Header.Get("Location") != elsewhere.URL || len(elsewhere.bodies) != 0 {
		t.Errorf("got %d to %q, which got %d requests; want the provider's 307", resp.StatusCode, resp.Header.Get("Location"), len(elsewhere.bodies))
	}
}

// spaces is a body without end.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestHandler_Limits(t *testing.T) {
	p := newProvider(t, whole(`{}`))
	listener, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	u, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	h := New(Options{Router: newRouter(), Endpoints: func() map[string]Endpoint { return map[string]Endpoint{"test": {Name: "test", URL: u}} }})
	go func() { served <- Serve(ctx, listener, Guard("secret", h)) }()
	address := "http://" + listener.Addr().String() + "/t/secret/to/test/chat/completions"
	for name, tt := range map[string]struct {
		body   io.Reader
		header string
		status int
	}{
		"all is well":        {strings.NewReader(request), "short", http.StatusOK},
		"a body without end": {spaces{}, "short", http.StatusRequestEntityTooLarge},
		"a large header":     {strings.NewReader(request), strings.Repeat("x", 2*maxHeader), http.StatusRequestHeaderFieldsTooLarge},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, tt.body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Large", tt.header)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.status {
			t.Errorf("%s: got %d, want %d", name, resp.StatusCode, tt.status)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// Neither a key nor what was said is logged, whatever goes wrong.
func TestHandler_LogsNoSecret(t *testing.T) {
	var log bytes.Buffer
	for _, broken := range []string{request, `{"messages":[{"role":"user","content":"remember this"}],"functions":[]}`} {
		p := newProvider(t, whole(`{"choices":"remember this"}`))
		u, err := url.Parse(p.URL)
		if err != nil {
			t.Fatal(err)
		}
		router := newRouter()
		router.err = io.ErrUnexpectedEOF
		h := New(Options{
			Router: router, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			Endpoints: func() map[string]Endpoint { return map[string]Endpoint{"test": {Name: "test", URL: u}} },
		})
		server := httptest.NewServer(h)
		post(t, server.URL+"/to/test/chat/completions", broken)
		p.Close()
		post(t, server.URL+"/to/test/chat/completions", broken)
		server.Close()
	}
	if text := log.String(); strings.Contains(text, "Bearer") || strings.Contains(text, "remember") || strings.Count(text, "passes as it is") != 4 {
		t.Errorf("got the log %s; want four requests that pass, without a key and what was said", text)
	}
}
