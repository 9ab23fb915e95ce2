package proxy

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
)

// A request of the client's counts once, with what the provider says that all its
// rounds have cost. One that failed does not count, and one without MCP tools does.
func TestLedger(t *testing.T) {
	usage := func(input, cached int) string {
		b, _ := json.Marshal(map[string]any{"choices": []any{}, "usage": map[string]any{ //nolint:errchkjson // plain values
			"prompt_tokens": input, "completion_tokens": 10, "prompt_tokens_details": map[string]any{"cached_tokens": cached},
		}})
		return string(b)
	}
	p := newProvider(t,
		events(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"mcp_load","arguments":"{\"query\":\"memory_create\"}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, usage(1000, 0), `[DONE]`),
		events(`{"choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}`, usage(1100, 900), `[DONE]`),
		whole(`{"choices":[{"message":{"content":"ok"}}], `+"\n"+` "usage":{"prompt_tokens":1200,"completion_tokens":10}}`),
		func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) },
		whole(`{"choices":[{"message":{"content":"ok"}}],"usage":{"prompt_tokens":50,"completion_tokens":5}}`))
	u, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	e := Endpoint{Name: "test", URL: u, Prices: &Prices{Input: 10, CacheRead: 1, Output: 100}}
	server := httptest.NewServer(New(Options{Router: newRouter(), Endpoints: func() map[string]Endpoint { return map[string]Endpoint{"test": e} }}))
	t.Cleanup(server.Close)
	post(t, server.URL+"/to/test/chat/completions", request)
	post(t, server.URL+"/to/test/chat/completions", request)
	post(t, server.URL+"/to/test/chat/completions", request) // fails
	post(t, server.URL+"/to/test/chat/completions", `{"messages":[{"role":"user","content":"hi"}]}`)

	resp, err := http.Get(server.URL + "/winnow/stats")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got stats
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	want := wire.Usage{Input: 3300, CacheRead: 900, Output: 30}
	if len(got.Conversations) != 2 || got.Conversations[1].Requests != 2 || got.Conversations[1].Rounds != 1 || got.Conversations[1].Usage != want {
		t.Fatalf("got %+v, want two requests of one conversation, and a round, with %+v", got.Conversations, want)
	}
	if bare := got.Conversations[0]; bare.Task != "" || bare.Requests != 1 || bare.Usage.Input != 50 {
		t.Errorf("got %+v, want one request without a tool", bare)
	}
	if cost := got.Conversations[1].Cost; cost == nil || *cost != (2400*10+900*1+30*100)/1e6 {
		t.Errorf("got the cost %v, want %v", cost, (2400*10+900*1+30*100)/1e6)
	}
	if c := got.Clients["Go-http-client/1.1"]; c == nil || c.Conversations != 1 || c.Requests != 3 || c.Usage.Input != want.Input+50 {
		t.Errorf("got the clients %+v, want one with the same", got.Clients)
	}
}

func TestUsageReader_Formats(t *testing.T) {
	for name, tt := range map[string]struct {
		format wire.Format
		stream string
		want   wire.Usage
	}{
		"chat":      {wire.Chat, `data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":5}}}`, wire.Usage{Input: 7, CacheRead: 5, Output: 2}},
		"responses": {wire.Responses, "event: response.completed\ndata: " + `{"type":"response.completed","response":{"usage":{"input_tokens":7,"input_tokens_details":{"cached_tokens":5},"output_tokens":2}}}`, wire.Usage{Input: 7, CacheRead: 5, Output: 2}},
		"messages": {wire.Messages, `data: {"type":"message_start","message":{"usage":{"input_tokens":1,"cache_creation_input_tokens":2,"cache_read_input_tokens":4,"output_tokens":1}}}
data: {"type":"message_delta","usage":{"output_tokens":9}}`, wire.Usage{Input: 7, CacheRead: 4, CacheWrite: 2, Output: 9}},
		"gemini": {wire.Gemini, `data: {"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":1}}
data: {"usageMetadata":{"promptTokenCount":7,"cachedContentTokenCount":5,"candidatesTokenCount":2,"thoughtsTokenCount":3}}`, wire.Usage{Input: 7, CacheRead: 5, Output: 5}},
		"none":     {wire.Chat, `data: {"usage":null}` + "\ndata: [DONE]", wire.Usage{}},
		"too long": {wire.Chat, `data: {"usage":{"prompt_tokens":7},"x":"` + strings.Repeat("x", maxUsage) + `"}`, wire.Usage{}},
	} {
		var got wire.Usage
		u := &usageReader{ReadCloser: http.NoBody, format: tt.format, lines: true, done: func(u wire.Usage) { got = u }}
		u.ReadCloser = struct {
			*strings.Reader
			noClose
		}{strings.NewReader(tt.stream + "\n\n"), noClose{}}
		for buffer := make([]byte, 10_000); ; {
			if _, err := u.Read(buffer); err != nil {
				break
			}
		}
		if got != tt.want {
			t.Errorf("%s: got %+v, want %+v", name, got, tt.want)
		}
	}
}

type noClose struct{}

func (noClose) Close() error { return nil }
