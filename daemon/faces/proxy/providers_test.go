package proxy

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// redirected reaches a scripted provider in place of each real one, and keeps
// where the requests were to go.
type redirected struct {
	to   *url.URL
	gone []string
}

func (r *redirected) RoundTrip(request *http.Request) (*http.Response, error) {
	r.gone = append(r.gone, request.URL.String())
	request = request.Clone(request.Context())
	request.URL.Scheme, request.URL.Host = r.to.Scheme, r.to.Host
	return http.DefaultTransport.RoundTrip(request)
}

// TestHandler_Providers: the providers that need no configuration have a path
// each; what is asked there goes to their real addresses, and is cut.
func TestHandler_Providers(t *testing.T) {
	const declared = `{"name":"bash","KEY":{}},{"name":"memory_create","KEY":{}},{"name":"mcp__other__go","KEY":{}}`
	for name, tt := range map[string]struct{ path, body, want string }{
		"chat": {"/openai/v1/chat/completions", request, "https://api.openai.com/v1/chat/completions"},
		"responses": {
			"/openai/v1/responses",
			`{"input":"hi","tools":[{"type":"function","name":"bash"},{"type":"function","name":"memory_create"},{"type":"function","name":"mcp__other__go"}]}`,
			"https://api.openai.com/v1/responses",
		},
		"messages": {
			"/anthropic/v1/messages?beta=true",
			`{"max_tokens":1,"messages":[{"role":"user","content":"hi"}],"tools":[` + strings.ReplaceAll(declared, "KEY", "input_schema") + `]}`,
			"https://api.anthropic.com/v1/messages?beta=true",
		},
		"Gemini": {
			"/gemini/v1beta/models/g:generateContent",
			`{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[` + strings.ReplaceAll(declared, "KEY", "parameters") + `]}]}`,
			"https://generativelanguage.googleapis.com/v1beta/models/g:generateContent",
		},
		"Gemini, streamed": {
			"/gemini/v1beta/models/g:streamGenerateContent?alt=sse",
			`{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[` + strings.ReplaceAll(declared, "KEY", "parameters") + `]}]}`,
			"https://generativelanguage.googleapis.com/v1beta/models/g:streamGenerateContent?alt=sse",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t, whole(`{}`))
			to, err := url.Parse(p.URL)
			if err != nil {
				t.Fatal(err)
			}
			transport := &redirected{to: to}
			router := newRouter()
			router.loaded = []string{"mcp__other__go"}
			server := httptest.NewServer(New(Options{Router: router, Transport: transport}))
			t.Cleanup(server.Close)
			if status, answer := post(t, server.URL+tt.path, tt.body); status != http.StatusOK {
				t.Fatalf("got %d %s", status, answer)
			}
			if len(transport.gone) != 1 || transport.gone[0] != tt.want {
				t.Errorf("the request went to %q, want %s", transport.gone, tt.want)
			}
			for tool, sent := range map[string]bool{"bash": true, "mcp_load": true, "mcp__other__go": true, "memory_create": false} {
				if got := strings.Contains(p.bodies[0], `"name":"`+tool+`"`); got != sent {
					t.Errorf("the provider got %s: %t, want %t: %s", tool, got, sent, p.bodies[0])
				}
			}
		})
	}
}

// TestHandler_HistoryCalls: the router hears of each call in the history, by the
// name of its tool, so that the tool stays.
func TestHandler_HistoryCalls(t *testing.T) {
	const declared = `{"name":"memory_create","KEY":{}}`
	for name, tt := range map[string]struct{ path, body, want string }{
		"chat": {
			"chat/completions", `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"memory_create","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"1","content":"ok"}],"tools":[{"type":"function","function":{"name":"memory_create"}}]}`, "memory_create",
		},
		"responses": {
			"responses", `{"input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"1","name":"memory_create","arguments":"{}"},` +
				`{"type":"function_call_output","call_id":"1","output":"ok"}],"tools":[{"type":"function","name":"memory_create"}]}`, "memory_create",
		},
		"responses, in a namespace": {
			"responses", `{"input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"1","namespace":"mcp__other","name":"go","arguments":"{}"},` +
				`{"type":"function_call_output","call_id":"1","output":"ok"}],"tools":[{"type":"namespace","name":"mcp__other","tools":[{"type":"function","name":"go"}]}]}`, "mcp__other__go",
		},
		"messages": {
			"messages", `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"memory_create","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"ok"}]}],"tools":[` + strings.ReplaceAll(declared, "KEY", "input_schema") + `]}`, "memory_create",
		},
		"Gemini": {
			"models/g:generateContent", `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"memory_create","args":{}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"memory_create","response":{}}}]}],"tools":[{"functionDeclarations":[` + strings.ReplaceAll(declared, "KEY", "parameters") + `]}]}`, "memory_create",
		},
	} {
		t.Run(name, func(t *testing.T) {
			router := newRouter()
			post(t, newProxy(t, newProvider(t, whole(`{}`)), router).URL+"/to/test/"+tt.path, tt.body)
			var called []string
			for _, route := range router.routes {
				for _, m := range route.Messages {
					for _, c := range m.Calls {
						called = append(called, c.Name)
					}
				}
			}
			if !slices.Equal(called, []string{tt.want}) {
				t.Errorf("the router hears of calls of %q, want %s", called, tt.want)
			}
		})
	}
}

// TestHandler_VerifiesTLS: a provider whose certificate nobody vouches for gets
// neither a request nor a key.
func TestHandler_VerifiesTLS(t *testing.T) {
	reached := 0
	p := &provider{Server: httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))}
	t.Cleanup(p.Close)
	status, answer := post(t, newProxy(t, p, newRouter()).URL+"/to/test/chat/completions", request)
	if status != http.StatusBadGateway || !strings.Contains(answer, "certificate") || reached != 0 {
		t.Errorf("got %d %s, and the provider got %d requests; want 502 over its certificate", status, answer, reached)
	}
}
