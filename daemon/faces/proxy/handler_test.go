package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
	"github.com/winnow-mcp/winnow/protocol"
)

// fakeRouter attaches what mcp_load asked for, and nothing else. It knows one
// conversation.
type fakeRouter struct {
	mu       sync.Mutex
	mode     protocol.AttachmentMode
	sources  map[string][]protocol.HostTool
	routes   []protocol.ConversationRouteParams
	loaded   []string
	rounds   []protocol.InternalRound
	internal []protocol.InternalRounds
	err      error
	stale    bool // a later request has come before an answer
}

func newRouter() *fakeRouter {
	return &fakeRouter{mode: protocol.AttachDynamic, sources: map[string][]protocol.HostTool{}}
}

func (f *fakeRouter) attachment() protocol.Attachment {
	a := protocol.Attachment{Mode: f.mode, MetaTools: []protocol.MetaTool{{Name: "mcp_load", Description: "more", InputSchema: json.RawMessage(`{"type":"object"}`)}}}
	for _, name := range f.loaded {
		a.Tools = append(a.Tools, protocol.AttachedTool{Name: name})
	}
	return a
}

func (f *fakeRouter) SetTools(source string, tools []protocol.HostTool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sources[source] = tools
	return f.err
}

func (f *fakeRouter) Route(_ context.Context, p *protocol.ConversationRouteParams) (protocol.ConversationRouteResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.routes = append(f.routes, *p)
	var lacking []protocol.InternalRounds
	for _, in := range f.internal {
		if in.Message < len(p.Messages) {
			lacking = append(lacking, in)
		}
	}
	return protocol.ConversationRouteResult{Task: "t1", Request: int64(len(f.routes)), Attachment: f.attachment(), Internal: lacking}, f.err
}

func (f *fakeRouter) Call(_ context.Context, p *protocol.ConversationCallParams) (protocol.TaskCallResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var in struct{ Query string }
	if err := json.Unmarshal(p.Arguments, &in); err != nil {
		return protocol.TaskCallResult{}, err
	}
	f.loaded = append(f.loaded, in.Query)
	var result protocol.TaskCallResult
	a := f.attachment()
	result.Attachment = &a
	result.Content = []json.RawMessage{json.RawMessage(`{"type":"text","text":"loaded ` + in.Query + `"}`)}
	return result, nil
}

func (f *fakeRouter) Answered(string, int64) {}

func (f *fakeRouter) Answer(p *protocol.ConversationAnswerParams) (protocol.ConversationAnswerResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stale {
		return protocol.ConversationAnswerResult{}, errors.New("stale")
	}
	if len(p.Calls) == 0 && len(p.Answers) > 0 {
		round := protocol.InternalRound{Answers: p.Answers}
		for _, part := range p.Parts {
			round.Parts = append(round.Parts, part.Part)
		}
		f.rounds = append(f.rounds, round)
		return protocol.ConversationAnswerResult{Next: protocol.NextSend}, nil
	}
	f.internal = append(f.internal, protocol.InternalRounds{
		ID: p.Request, Message: len(f.routes[len(f.routes)-1].Messages), Rounds: f.rounds,
	})
	f.rounds = nil
	return protocol.ConversationAnswerResult{Next: protocol.NextEnd}, nil
}

func (f *fakeRouter) Rules(_ string, tools []protocol.HostTool) []protocol.Cause {
	return make([]protocol.Cause, len(tools))
}

func (f *fakeRouter) NamesRepeats() bool { return true }

func (f *fakeRouter) Servers() []string { return []string{"memory"} }

// provider is a scripted provider that keeps what it was asked.
type provider struct {
	*httptest.Server
	mu      sync.Mutex
	bodies  []string
	headers []http.Header
	answers []func(w http.ResponseWriter)
}

func newProvider(t *testing.T, answers ...func(w http.ResponseWriter)) *provider {
	p := &provider{answers: answers}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client went away
		}
		p.mu.Lock()
		p.bodies, p.headers = append(p.bodies, string(body)), append(p.headers, r.Header.Clone())
		n := len(p.bodies)
		p.mu.Unlock()
		p.answers[min(n, len(p.answers))-1](w)
	}))
	t.Cleanup(p.Close)
	return p
}

// events answers with a stream.
func events(all ...string) func(w http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range all {
			fmt.Fprintf(w, "data: %s\n\n", e)
			w.(http.Flusher).Flush()
		}
	}
}

func whole(body string) func(w http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, body) //nolint:errcheck // a test's client is there
	}
}

// newProxy returns a proxy in front of a provider, as /to/test.
func newProxy(t *testing.T, p *provider, router Router) *httptest.Server {
	t.Helper()
	u, err := url.Parse(p.URL + "/v1")
	if err != nil {
		t.Fatal(err)
	}
	e := Endpoint{Name: "test", URL: u}
	h := New(Options{Router: router, Endpoints: func() map[string]Endpoint { return map[string]Endpoint{"test": e} }})
	server := httptest.NewServer(Guard("", h))
	t.Cleanup(server.Close)
	return server
}

func post(t *testing.T, url, body string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer key")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(out)
}

const request = `{"model":"m","messages":[{"role":"user","content":"remember this"}],"stream":true,
 "tools":[{"type":"function","function":{"name":"bash"}},{"type":"function","function":{"name":"memory_create","parameters":{"type":"object"}}},
 {"type":"function","function":{"name":"mcp__other__go","parameters":{"type":"object"}}}], "temperature":1.0}`

func tools(t *testing.T, body string) string {
	t.Helper()
	q, err := wire.Read(wire.Chat, []byte(body))
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	var names []string
	for _, tool := range q.Tools {
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}

func TestHandler_Cuts(t *testing.T) {
	p := newProvider(t, whole(`{"choices":[{"message":{"role":"assistant","content":"ok"}}]}`))
	router := newRouter()
	router.loaded = []string{"mcp__other__go"}
	status, answer := post(t, newProxy(t, p, router).URL+"/to/test/chat/completions?x=1", request)
	if status != http.StatusOK || !strings.Contains(answer, `"ok"`) {
		t.Fatalf("got %d %s", status, answer)
	}
	if got, want := tools(t, p.bodies[0]), "bash mcp_load mcp__other__go"; got != want {
		t.Errorf("the provider got %s, want %s", got, want)
	}
	if got := p.headers[0].Get("Authorization"); got != "Bearer key" {
		t.Errorf("the provider got the key %q, want the client's", got)
	}
	route := router.routes[0]
	if route.Message != "remember this" || route.Model.NativeTools != 1 || len(route.Messages) != 1 {
		t.Errorf("the router got %+v, want the message, one digest and one native tool", route)
	}
	var known []string
	for _, tool := range router.sources[route.Source] {
		known = append(known, tool.Server+"/"+tool.Tool)
	}
	if want := []string{"memory/create", "other/go"}; !slices.Equal(known, want) {
		t.Errorf("the router knows %v, want %v", known, want)
	}
}

// TestHandler_Repeats: the provider is sent a result once, with the rest of the
// request as it was.
func TestHandler_Repeats(t *testing.T) {
	p := newProvider(t, whole(`{"choices":[{"message":{"role":"assistant","content":"ok"}}]}`))
	page := strings.Repeat("line of a page. ", 100)
	result := func(id string) string {
		return `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"bash","arguments":"{}"}}]},{"role":"tool","tool_call_id":"` + id + `","content":"` + page + `"}`
	}
	body := strings.Replace(request, `"content":"remember this"}`, `"content":"remember this"},`+result("a")+","+result("b"), 1)
	if body == request {
		t.Fatal("the request has another form")
	}
	if status, answer := post(t, newProxy(t, p, newRouter()).URL+"/to/test/chat/completions", body); status != http.StatusOK {
		t.Fatalf("got %d %s", status, answer)
	}
	if n := strings.Count(p.bodies[0], page); n != 1 || !strings.Contains(p.bodies[0], "the same result, to the byte") || !strings.Contains(p.bodies[0], `"tool_call_id":"b"`) {
		t.Errorf("the result is sent %d times: %s", n, p.bodies[0])
	}
}

// Whatever is not understood, or from which nothing is cut, comes to the
// provider byte for byte.
func TestHandler_PassesBytes(t *testing.T) {
	for name, tt := range map[string]struct {
		body, path string
		mode       protocol.AttachmentMode
		err        error
	}{
		"everything attached": {request, "/to/test/chat/completions", protocol.AttachAll, nil},
		"no MCP tools":        {`{"model": "m", "tools":[{"type":"function","function":{"name":"bash"}}]}`, "/to/test/chat/completions", protocol.AttachDynamic, nil},
		"not understood":      {`{"functions":[],"tools": 1}`, "/to/test/chat/completions", protocol.AttachDynamic, nil},
		"no JSON":             {`{{`, "/to/test/chat/completions", protocol.AttachDynamic, nil},
		"another path":        {request, "/to/test/embeddings", protocol.AttachDynamic, nil},
		"a part of a whole":   {`{"previous_response_id":"r1","input":"and now?","tools":[{"type":"function","name":"memory_create"},{"type":"function","name":"mcp__other__go"}]}`, "/to/test/responses", protocol.AttachDynamic, nil},
		"the router fails":    {request, "/to/test/chat/completions", protocol.AttachDynamic, io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t, whole(`{}`))
			router := newRouter()
			router.mode, router.err = tt.mode, tt.err
			if status, answer := post(t, newProxy(t, p, router).URL+tt.path, tt.body); status != http.StatusOK || answer != `{}` {
				t.Errorf("got %d %s, want 200 {}", status, answer)
			}
			if p.bodies[0] != tt.body {
				t.Errorf("the provider got %s, want %s", p.bodies[0], tt.body)
			}
		})
	}
}

var loadStream = events(
	`{"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"Look. "}}]}`,
	`{"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"mcp_load","arguments":"{\"query\":\"memory_create\"}"}}]}}]}`,
	`{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, `[DONE]`)

var saidStream = events(
	`{"id":"2","choices":[{"index":0,"delta":{"role":"assistant","content":"Done."}}]}`,
	`{"id":"2","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, `[DONE]`)

// TestHandler_References: a reference in a call of a client's tool, such as
// Winnow's gateway, which puts the value in, comes to the client as the model wrote
// it: the client runs the call, and keeps no result of which the proxy knows.
func TestHandler_References(t *testing.T) {
	call := []string{
		`{"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"mcp__winnow__mcp_call","arguments":"{\"name\":\"write_file\",\"arguments\":{\"content\":{\"$from\":\"r_abc"}}]}}]}`,
		`{"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"defghijklmnopqrs\",\"lines\":\"1-3\"}}}"}}]}}]}`,
		`{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, `[DONE]`,
	}
	status, answer := post(t, newProxy(t, newProvider(t, events(call...)), newRouter()).URL+"/to/test/chat/completions", request)
	want := "data: " + strings.Join(call, "\n\ndata: ") + "\n\n"
	if status != http.StatusOK || answer != want {
		t.Errorf("got %d\n%s\nwant\n%s", status, answer, want)
	}
}

// The model loads a tool: the client sees one answer, the provider a second
// request that begins as the first, and later requests have the round again.
func TestHandler_Load(t *testing.T) {
	p := newProvider(t, loadStream, saidStream, saidStream)
	proxy := newProxy(t, p, newRouter())
	_, answer := post(t, proxy.URL+"/to/test/chat/completions", request)
	if strings.Contains(answer, "mcp_load") || !strings.Contains(answer, "Look. ") || !strings.Contains(answer, "Done.") ||
		strings.Count(answer, "[DONE]") != 1 || strings.Count(answer, "finish_reason") != 1 {
		t.Errorf("the client got %s, want one answer without mcp_load", answer)
	}
	if got, want := tools(t, p.bodies[1]), "bash mcp_load memory_create"; got != want {
		t.Errorf("the second request has %s, want %s", got, want)
	}
	q, err := wire.Read(wire.Chat, []byte(p.bodies[1]))
	if err != nil {
		t.Fatal(err)
	}
	if len(q.Messages) != 3 || q.Messages[1].Calls[0].Name != "mcp_load" || q.Messages[2].Text != "loaded memory_create" {
		t.Errorf("the second request is %s, want the call and its result behind the message", p.bodies[1])
	}

	later := strings.Replace(request, `"remember this"}`, `"remember this"},{"role":"assistant","content":"Look. Done."},{"role":"user","content":"thanks"}`, 1)
	post(t, proxy.URL+"/to/test/chat/completions", later)
	again, err := wire.Read(wire.Chat, []byte(p.bodies[2]))
	if err != nil {
		t.Fatal(err)
	}
	for i := range q.Messages {
		if got, want := again.Raw(&again.Messages[i]), q.Raw(&q.Messages[i]); !bytes.Equal(got, want) {
			t.Errorf("message %d: got %s, want %s as the provider has cached it", i, got, want)
		}
	}
	if got, want := string(again.Raw(&again.Messages[3])), `{"role":"assistant","content":"Done."}`; got != want {
		t.Errorf("got %s, want what the model said after the round: %s", got, want)
	}
}

func TestHandler_LoadAtOnce(t *testing.T) {
	p := newProvider(t,
		whole(`{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"mcp_load","arguments":"{\"query\":\"memory_create\"}"}}]},"finish_reason":"tool_calls"}]}`),
		whole(`{"choices":[{"message":{"role":"assistant","content":"Done."},"finish_reason":"stop"}]}`))
	_, answer := post(t, newProxy(t, p, newRouter()).URL+"/to/test/chat/completions", request)
	if want := `{"choices":[{"message":{"role":"assistant","content":"Done."},"finish_reason":"stop"}]}`; answer != want {
		t.Errorf("got %s, want %s", answer, want)
	}
}

// The provider's errors are the client's, before an answer has begun and after.
func TestHandler_ProviderErrors(t *testing.T) {
	refuse := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusTooManyRequests)
		io.WriteString(w, `{"error":{"message":"slow down"}}`) //nolint:errcheck // a test's client is there
	}
	status, answer := post(t, newProxy(t, newProvider(t, refuse), newRouter()).URL+"/to/test/chat/completions", request)
	if status != http.StatusTooManyRequests || answer != `{"error":{"message":"slow down"}}` {
		t.Errorf("got %d %s, want the provider's 429", status, answer)
	}
	_, answer = post(t, newProxy(t, newProvider(t, loadStream, refuse), newRouter()).URL+"/to/test/chat/completions", request)
	if !strings.HasSuffix(answer, "\n\ndata: {\"error\":{\"message\":\"slow down\"}}\n\n") {
		t.Errorf("got %s, want the error at the end", answer)
	}
	// Nothing has come but the call of mcp_load: the status is the provider's.
	bare := events(`{"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"mcp_load","arguments":"{\"query\":\"memory_create\"}"}}]}}]}`,
		`{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, `[DONE]`)
	status, answer = post(t, newProxy(t, newProvider(t, bare, refuse), newRouter()).URL+"/to/test/chat/completions", request)
	if status != http.StatusTooManyRequests || answer != `{"error":{"message":"slow down"}}` {
		t.Errorf("after mcp_load alone: got %d %s, want the provider's 429", status, answer)
	}
	broken := func(http.ResponseWriter) { panic(http.ErrAbortHandler) }
	status, answer = post(t, newProxy(t, newProvider(t, bare, broken), newRouter()).URL+"/to/test/chat/completions", request)
	if status != http.StatusBadGateway || !strings.Contains(answer, "cannot be reached") {
		t.Errorf("after mcp_load, with the provider gone: got %d %s, want 502", status, answer)
	}
}

// What fails here in the middle of an answer is told as the format has it; before,
// it is the status, and not said of the provider.
func TestHandler_breaksOff(t *testing.T) {
	said := `{"id":"1","choices":[{"index":0,"delta":{"content":"Look. "}}]}`
	failing := []string{ // a query that the router does not understand
		`{"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"mcp_load","arguments":"{\"query\":1}"}}]}}]}`,
		`{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, `[DONE]`,
	}
	const path = "/to/test/chat/completions"
	_, answer := post(t, newProxy(t, newProvider(t, events(append([]string{said}, failing...)...)), newRouter()).URL+path, request)
	if !strings.Contains(answer, "Look. ") || !strings.Contains(answer, `data: {"error":{"code":502,"message":"winnow: `) {
		t.Errorf("a call fails after a text: got %s, want an error at the end", answer)
	}
	status, answer := post(t, newProxy(t, newProvider(t, events(failing...)), newRouter()).URL+path, request)
	if status != http.StatusBadGateway || strings.Contains(answer, "reached") {
		t.Errorf("a call fails: got %d %s, want 502 for the answer", status, answer)
	}
	broken := func(http.ResponseWriter) { panic(http.ErrAbortHandler) }
	_, answer = post(t, newProxy(t, newProvider(t, loadStream, broken), newRouter()).URL+path, request)
	if !strings.Contains(answer, `data: {"error":{"code":502,"message":"winnow: `) {
		t.Errorf("the provider is gone after a text: got %s, want an error at the end", answer)
	}
}

// An answer to a conversation that has gone on elsewhere is its client's still.
func TestHandler_staleAnswer(t *testing.T) {
	p := newProvider(t, loadStream, events(`{"id":"2","choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}`, `[DONE]`))
	router := newRouter()
	router.stale = true
	_, answer := post(t, newProxy(t, p, router).URL+"/to/test/chat/completions", request)
	if !strings.Contains(answer, "Done.") || len(p.bodies) != 2 || strings.Contains(tools(t, p.bodies[1]), "mcp_load") {
		t.Errorf("got %s after %d requests, want the whole, and mcp_load in the first alone", answer, len(p.bodies))
	}
}

// A provider that dies in the middle must not look like one that has finished.
func TestHandler_ProviderDies(t *testing.T) {
	p := newProvider(t, func(w http.ResponseWriter) {
		events(`{"id":"1","choices":[{"index":0,"delta":{"content":"Lo"}}]}`)(w)
		panic(http.ErrAbortHandler)
	})
	resp, err := http.Post(newProxy(t, p, newRouter()).URL+"/to/test/chat/completions", "application/json", strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("got %q and no error, want one", body)
	}
}

// A client that cancels cancels at the provider.
func TestHandler_Cancel(t *testing.T) {
	begun, gone := make(chan struct{}), make(chan struct{})
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // so that the end of the connection is seen
		events(`{"id":"1","choices":[{"index":0,"delta":{"content":"Lo"}}]}`)(w)
		close(begun)
		<-r.Context().Done()
		close(gone)
	}))
	t.Cleanup(p.Close)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, newProxy(t, p, newRouter()).URL+"/to/test/chat/completions", strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	cancel()
	resp.Body.Close()
	<-gone
}

// Streams do not mix, however many there are.
func TestHandler_Concurrent(t *testing.T) {
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		q, err := wire.Read(wire.Chat, body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var all []string
		for i := range 20 {
			all = append(all, fmt.Sprintf(`{"id":"1","choices":[{"index":0,"delta":{"content":"%s %d;"}}]}`, q.Messages[0].Text, i))
		}
		events(append(all, `{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, `[DONE]`)...)(w)
	}))
	t.Cleanup(p.Close)
	url := newProxy(t, p, newRouter()).URL + "/to/test/chat/completions"
	var clients sync.WaitGroup
	for n := range 200 {
		clients.Go(func() {
			name := fmt.Sprintf("client-%d", n)
			_, answer := post(t, url, strings.Replace(request, "remember this", name, 1))
			if got := strings.Count(answer, name+" "); got != 20 || strings.Count(answer, "client-") != 20 {
				t.Errorf("%s got %d of its 20 pieces: %s", name, got, answer)
			}
		})
	}
	clients.Wait()
}

func TestHandler_NoEndpoint(t *testing.T) {
	status, answer := post(t, newProxy(t, newProvider(t), newRouter()).URL+"/to/nowhere/chat/completions", request)
	if status != http.StatusNotFound || !strings.Contains(answer, "/to/test/") || !strings.Contains(answer, "winnow.json") {
		t.Errorf("got %d %q, want 404 with the endpoints there are and where to name more", status, answer)
	}
}

func TestGuard(t *testing.T) {
	served := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) }) //nolint:errcheck // recorded
	for name, tt := range map[string]struct {
		token, host, origin, path string
		status                    int
		want                      string
	}{
		"plain":          {"", "127.0.0.1:1", "", "/to/x", 200, "/to/x"},
		"localhost":      {"", "localhost:1", "", "/to/x", 200, "/to/x"},
		"IPv6":           {"", "[::1]:1", "", "/to/x", 200, "/to/x"},
		"another host":   {"", "evil.example:1", "", "/to/x", 403, ""},
		"a LAN address":  {"", "192.168.0.2:1", "", "/to/x", 403, ""},
		"a page":         {"", "127.0.0.1:1", "http://127.0.0.1:1", "/to/x", 403, ""},
		"no token":       {"secret", "127.0.0.1:1", "", "/to/x", 401, ""},
		"another token":  {"secret", "127.0.0.1:1", "", "/t/secre/to/x", 401, ""},
		"the token":      {"secret", "127.0.0.1:1", "", "/t/secret/to/x", 200, "/to/x"},
		"token is a dir": {"secret", "127.0.0.1:1", "", "/t/secretx/to/x", 401, ""},
	} {
		r := httptest.NewRequest(http.MethodPost, tt.path, nil)
		r.Host = tt.host
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		w := httptest.NewRecorder()
		Guard(tt.token, served).ServeHTTP(w, r)
		if w.Code != tt.status || tt.want != "" && w.Body.String() != tt.want {
			t.Errorf("%s: got %d %s, want %d %s", name, w.Code, w.Body, tt.status, tt.want)
		}
	}
}

func TestListen_LoopbackOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "192.168.0.2:0", "example.com:0", "nonsense"} {
		if l, err := Listen(address); err == nil {
			l.Close()
			t.Errorf("%s: got a listener, want an error", address)
		}
	}
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Serve(ctx, l, http.NotFoundHandler()); err != nil {
		t.Errorf("Serve: %v", err)
	}
}
