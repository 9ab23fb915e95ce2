package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// scriptedHTTP is a server of 2026-07-28 that follows a script.
type scriptedHTTP struct {
	// tools is the result of tools/list, and answer returns that of any other
	// request but server/discover. An empty one keeps a stream open.
	tools  string
	answer func(m pipeMessage, header http.Header) string

	// mu guards seen.
	mu   sync.Mutex
	seen []pipeMessage
}

func (s *scriptedHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m pipeMessage
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		http.Error(w, "no", http.StatusMethodNotAllowed)
		return
	}
	s.mu.Lock()
	s.seen = append(s.seen, m)
	s.mu.Unlock()
	if onlyModern(w, r, m.Method) {
		return
	}
	result := s.tools
	switch m.Method {
	case "server/discover":
		result = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"Be brief.",` +
			`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scripted","title":"A script","version":"7"}}}`
	case "tools/list":
	default:
		result = s.answer(m, r.Header)
	}
	if result == "" {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// of returns the requests of a method.
func (s *scriptedHTTP) of(method string) []pipeMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.seen), func(m pipeMessage) bool { return m.Method != method })
}

// startScripted runs a manager with one server named "web".
func startScripted(t *testing.T, s *scriptedHTTP, hooks Hooks) *Manager {
	t.Helper()
	url := serveHTTP(t, s)
	m := newTestManager(t, Options{Hooks: hooks, ClientVersion: "9"})
	apply(t, m, Config{Name: "web", URL: url})
	waitState(t, m, "web", Ready)
	return m
}

const annotatedTool = `{"name":"query","inputSchema":{"type":"object","properties":{` +
	`"region":{"type":"string","x-mcp-header":"Region"},"text":{"type":"string"}}}}`

// TestModern_Headers: what 2026-07-28 repeats in headers is there: the method,
// the name, and the arguments that the tool's schema annotates. A tool whose
// annotations are wrong is not used, with a word.
func TestModern_Headers(t *testing.T) {
	t.Parallel()
	got := make(chan http.Header, 1)
	s := &scriptedHTTP{
		tools: `{"tools":[` + annotatedTool + `,{"name":"wrong","inputSchema":{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}}]}`,
		answer: func(_ pipeMessage, header http.Header) string {
			got <- header
			return `{"resultType":"complete","content":[]}`
		},
	}
	m := startScripted(t, s, Hooks{})
	server, _ := m.Snapshot().Server("web")
	if want := (Info{Name: "scripted", Title: "A script", Version: "7"}); server.Info != want || server.Instructions != "Be brief." {
		t.Errorf("the server is %+v and says %q, want %+v", server.Info, server.Instructions, want)
	}
	if names := toolNames(server); !slices.Equal(names, []string{"query"}) || len(server.Status.Warnings) != 1 ||
		!strings.Contains(server.Status.Warnings[0], `tool "wrong" is not used: property "a": x-mcp-header`) {
		t.Errorf("tools %q, warnings %q", names, server.Status.Warnings)
	}
	call(t, m, "web", "query", `{"region":"Köln","text":"x"}`)
	header := <-got
	for name, want := range map[string]string{
		"Mcp-Method": "tools/call", "Mcp-Name": "query", "Mcp-Protocol-Version": "2026-07-28",
		"Mcp-Param-Region": "=?base64?S8O2bG4=?=", "Mcp-Param-Text": "",
	} {
		if header.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, header.Get(name), want)
		}
	}
}

// TestModern_Meta: each request says which revision it speaks, who sends it and
// what can be asked, beside what the caller adds; a log level is part of it.
func TestModern_Meta(t *testing.T) {
	t.Parallel()
	s := &scriptedHTTP{
		tools:  `{"tools":[` + annotatedTool + `]}`,
		answer: func(pipeMessage, http.Header) string { return `{"resultType":"complete","content":[]}` },
	}
	m := startScripted(t, s, Hooks{})
	if _, err := m.Request(t.Context(), Request{Server: "web", Method: "logging/setLevel", Params: json.RawMessage(`{"level":"debug"}`)}); err != nil {
		t.Fatal(err)
	}
	_, err := m.Call(t.Context(), CallRequest{
		Server: "web", Tool: "query", Arguments: json.RawMessage(`{"n":1.50}`), Meta: json.RawMessage(`{"trace":"<7>"}`), Progress: func(Progress) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.of("logging/setLevel")); n != 0 {
		t.Errorf("the level was set by %d requests", n)
	}
	var params struct {
		Arguments json.RawMessage            `json:"arguments"`
		Meta      map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(s.of("tools/call")[0].Params, &params); err != nil {
		t.Fatal(err)
	}
	if string(params.Arguments) != `{"n":1.50}` {
		t.Errorf("arguments %s", params.Arguments)
	}
	for key, want := range map[string]string{
		"io.modelcontextprotocol/protocolVersion":    `"2026-07-28"`,
		"io.modelcontextprotocol/clientInfo":         `{"name":"winnow","version":"9"}`,
		"io.modelcontextprotocol/clientCapabilities": `{"roots":{},"sampling":{},"elicitation":{"form":{},"url":{}}}`,
		"io.modelcontextprotocol/logLevel":           `"debug"`,
		"trace":                                      `"\u003c7\u003e"`,
		"progressToken":                              `"winnow-1"`,
	} {
		if string(params.Meta[key]) != want {
			t.Errorf("_meta has %s: %s, want %s", key, params.Meta[key], want)
		}
	}
}

// TestModern_InputRequired: a server that asks for input in the place of an
// answer gets it from the caller, and the request again with what it is to be
// reminded of; one that does not stop asking is not asked for ever.
func TestModern_InputRequired(t *testing.T) {
	t.Parallel()
	const asks = `{"resultType":"input_required","requestState":"s<1>","inputRequests":{
		"name":{"method":"elicitation/create","params":{"mode":"url","url":"https://h/x","elicitationId":"e","message":"Who?"}},
		"where":{"method":"roots/list"}}}`
	const done = `{"resultType":"complete","content":[]}`
	tests := map[string]struct {
		answer func(try int) string
		calls  int
		want   string
	}{
		"once":          {func(try int) string { return []string{asks, done}[min(try, 1)] }, 2, ""},
		"busy once":     {func(try int) string { return []string{`{"resultType":"input_required"}`, done}[min(try, 1)] }, 2, ""},
		"always busy":   {func(int) string { return `{"resultType":"input_required"}` }, 3, "does not stop asking"},
		"always asking": {func(int) string { return asks }, 10, "does not stop asking"},
		"what nobody answers": {func(int) string {
			return `{"resultType":"input_required","inputRequests":{"a":{"method":"files/delete"}}}`
		}, 1, `asks for input in the middle of a call, and nobody gave it: a client cannot be asked "files/delete"`},
		"too many questions": {func(int) string {
			return `{"resultType":"input_required","inputRequests":{` + questions(17) + `}}`
		}, 1, "17 questions at a time, of which none was put: the limit is 16"},
		"odd": {func(int) string { return `{"resultType":"input_required","inputRequests":7}` }, 1, "in a way that is not MCP's"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &scriptedHTTP{tools: `{"tools":[{"name":"t"}]}`}
			s.answer = func(pipeMessage, http.Header) string { return test.answer(len(s.of("tools/call")) - 1) }
			m := startScripted(t, s, Hooks{})
			who := &Caller{Session: "a", Ask: func(_ context.Context, _, method string, params json.RawMessage) (json.RawMessage, error) {
				if method == "elicitation/create" && !strings.Contains(string(params), `"url":"https://h/x"`) {
					t.Errorf("asked %s", params)
				}
				return json.RawMessage(`{"of":"` + method + `"}`), nil
			}}
			_, err := m.Call(t.Context(), CallRequest{Server: "web", Tool: "t", Caller: who, Arguments: json.RawMessage(`{"x":1}`)})
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("answered %v, want %q", err, test.want)
			}
			calls := s.of("tools/call")
			if len(calls) != test.calls {
				t.Fatalf("called %d times, want %d", len(calls), test.calls)
			}
			if name != "once" {
				return
			}
			var params map[string]json.RawMessage
			if err := json.Unmarshal(calls[1].Params, &params); err != nil {
				t.Fatal(err)
			}
			for key, want := range map[string]string{
				"name": `"t"`, "arguments": `{"x":1}`, "requestState": `"s\u003c1\u003e"`,
				"inputResponses": `{"name":{"of":"elicitation/create"},"where":{"of":"roots/list"}}`,
			} {
				if string(params[key]) != want {
					t.Errorf("%s is %s, want %s", key, params[key], want)
				}
			}
		})
	}
}

// questions are n of them, as JSON members.
func questions(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"%d":{"method":"roots/list"}`, i))
	}
	return strings.Join(all, ",")
}

// TestModern_KeepsLists: a list is asked for once in the time that the server
// gives it.
func TestModern_KeepsLists(t *testing.T) {
	t.Parallel()
	const list = `{"resultType":"complete","resources":[],"ttlMs":600000,"cacheScope":"private"}`
	s := &scriptedHTTP{tools: `{"tools":[]}`, answer: func(pipeMessage, http.Header) string { return list }}
	m := startScripted(t, s, Hooks{})
	for range 3 {
		raw, err := m.Request(t.Context(), Request{Server: "web", Method: "resources/list"})
		if err != nil || string(raw) != list {
			t.Fatalf("answered %s, %v", raw, err)
		}
	}
	if n := len(s.of("resources/list")); n != 1 {
		t.Errorf("asked %d times, want 1", n)
	}
}

// TestModern_Subscribe: changes of a resource come on a stream of their own,
// which ends with the subscription. Completion passes.
func TestModern_Subscribe(t *testing.T) {
	t.Parallel()
	s := &scriptedHTTP{tools: `{"tools":[]}`}
	began, ended := make(chan struct{}), make(chan struct{})
	s.answer = func(m pipeMessage, _ http.Header) string {
		if m.Method == "completion/complete" {
			return `{"resultType":"complete","completion":{"values":["paris"],"extra":1}}`
		}
		return ""
	}
	stream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), "subscriptions/listen") {
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			s.ServeHTTP(w, r)
			return
		}
		if !strings.Contains(string(body), `"notifications":{"resourceSubscriptions":["file:///a"]}`) {
			t.Errorf("the stream is asked for by %s", body)
		}
		close(began)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a"}}`+"\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(ended)
	})
	told := make(chan Announcement, 10)
	url := serveHTTP(t, stream)
	m := newTestManager(t, Options{Hooks: Hooks{Announced: func(a Announcement) { told <- a }}})
	apply(t, m, Config{Name: "web", URL: url})
	waitState(t, m, "web", Ready)
	if err := m.Subscribe(t.Context(), "web", "file:///a", "one"); err != nil {
		t.Fatal(err)
	}
	if err := m.Subscribe(t.Context(), "web", "file:///a", "two"); err != nil {
		t.Fatal(err)
	}
	if a := <-told; a.Method != mcp.MethodNotificationResourceUpdated || !slices.Contains(a.Sessions, any("one")) {
		t.Errorf("told %+v", a)
	}
	// A connection that was just made tells subscribers of an update by itself.
	<-began
	if err := m.Unsubscribe(t.Context(), "web", "file:///a", "one"); err != nil {
		t.Fatal(err)
	}
	if over(ended) {
		t.Error("the stream ended while somebody listens")
	}
	if err := m.Unsubscribe(t.Context(), "web", "file:///a", "two"); err != nil {
		t.Fatal(err)
	}
	<-ended

	raw, err := m.Request(t.Context(), Request{Server: "web", Method: "completion/complete", Params: json.RawMessage(`{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"p"}}`)})
	if want := `{"resultType":"complete","completion":{"values":["paris"],"extra":1}}`; err != nil || string(raw) != want {
		t.Errorf("completed %s, %v, want %s", raw, err, want)
	}
}

// pipeMessage is a message of the client's.
type pipeMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}
