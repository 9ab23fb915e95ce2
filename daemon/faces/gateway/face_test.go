package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// A session of a client whose list grows, from its first list to the call of what
// it has loaded, through the whole: engine, server and HTTP. See TestTools_loadAppends
// for the rules of its list.
func TestGateway_dynamicLoadsAndAppends(t *testing.T) {
	t.Parallel()
	h, _ := standard(t, map[string]any{"gateway": map[string]any{"mode": "dynamic"}})
	p := meet(t, h, ways()["http"], true)
	c := p.Client
	if got := listNames(t, c); !slices.Equal(got, []string{"mcp_load", "mcp_call", "mcp_read"}) {
		t.Fatalf("a new session sees %q", got)
	}
	text, _ := callClient(t, c, "mcp_load", map[string]any{"names": []string{"sleep"}})
	if !strings.Contains(text, "sleep(ms: integer)") || !strings.Contains(text, "mcp_call") {
		t.Errorf("a client that does not list again is told no way to the tool: %s", text)
	}
	if text, r := callClient(t, c, "mcp_call", byName("sleep", map[string]any{"ms": 1})); r.IsError {
		t.Errorf("what was loaded cannot be called by mcp_call: %s", text)
	}
	p.Await(t, mcp.MethodNotificationToolsListChanged, func(map[string]any) bool { return true }) // the list has grown
	callClient(t, c, "mcp_load", map[string]any{"names": []string{"echo", "count"}})
	if got := listNames(t, c); !slices.Equal(got, []string{"mcp_load", "mcp_call", "mcp_read", "sleep", "count", "echo"}) {
		t.Errorf("the list is %q; it must grow at its end", got)
	}
	if text, r := callClient(t, c, "echo", map[string]any{"text": "hi"}); r.IsError || text != `{"text":"hi"}` {
		t.Errorf("%s", text)
	}
	if other := connect(t, gatewayOf(h), "other"); !slices.Equal(listNames(t, other), []string{"mcp_load", "mcp_call", "mcp_read"}) {
		t.Errorf("another session sees %q", listNames(t, other))
	}
}

// A session of a client that searches and calls, through the whole: what it finds,
// what is cut and how the rest is read is the engine's, for the gateway's task.
func TestGateway_dispatch(t *testing.T) {
	t.Parallel()
	h, _ := standard(t, map[string]any{"results": map[string]any{"maxChars": 2000}})
	info := gatewayOf(h)
	c, thief := connect(t, info, "Zoo Code"), connect(t, info, "Zoo Code")
	if text, _ := callClient(t, c, "mcp_search", map[string]any{"query": "answers with so many bytes"}); !strings.Contains(text, "big(bytes?: integer") {
		t.Errorf("%s", text)
	}
	text, _ := callClient(t, c, "mcp_call", byName("big", map[string]any{"bytes": 9000}))
	_, handle, _ := strings.Cut(text, `"handle":"`)
	handle, _, _ = strings.Cut(handle, `"`)
	var whole strings.Builder
	for whole.Len() < 9000 {
		_, r := callClient(t, c, "mcp_call", byName("mcp_result", map[string]any{"handle": handle, "offset": whole.Len()}))
		part, ok := r.Content[0].(mcp.TextContent)
		if !ok || r.IsError || part.Text == "" {
			t.Fatalf("%+v", r)
		}
		whole.WriteString(part.Text)
	}
	if whole.String() != strings.Repeat("x", 9000) {
		t.Errorf("%d characters were read", whole.Len())
	}
	if text, r := callClient(t, thief, "mcp_call", byName("mcp_result", map[string]any{"handle": handle})); !r.IsError {
		t.Errorf("another session reads the handle: %.80s", text)
	}
	if text, r := callClient(t, c, "mcp_call", byName("sleep", map[string]any{})); !r.IsError || !strings.Contains(text, "ms") {
		t.Errorf("%s", text)
	}
	if text, r := callClient(t, c, "no_such_tool", nil); !r.IsError || !strings.Contains(text, "no tool") {
		t.Errorf("%s", text)
	}
}

// An integer that no float64 holds, an output schema, annotations: all of it
// passes as it came, from a server to the client and back: no part on the way may
// decode and encode it.
func TestGateway_passesThrough(t *testing.T) {
	t.Parallel()
	odd := `{"name":"echo","title":"Echo","description":"d","inputSchema":{"type":"object","oneOf":[{"required":["a"]}],"x-own":1},` +
		`"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}}},"annotations":{"readOnlyHint":true,"title":"E"}}`
	s := servers{"std": scripted(t, upstreamtest.Script{Tools: []string{odd, tool("count", "c"), tool("sleep", "s"), tool("fail", "f"), tool("refuse", "r")}})}
	h := begin(t, map[string]any{"gateway": map[string]any{"mode": "all"}}, s, nil)
	h.UntilReady(s)
	info := gatewayOf(h)
	c := connect(t, info, "test")
	raw := post(t, info, session(t, info), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	for _, part := range []string{`"oneOf":[{"required":["a"]}]`, `"x-own":1`, `"outputSchema":{`, `"readOnlyHint":true`, `"title":"Echo"`} {
		if !strings.Contains(raw, part) {
			t.Errorf("%s is lost in %s", part, raw)
		}
	}
	if text, _ := callClient(t, c, "echo", json.RawMessage(`{"a":12345678901234567890}`)); text != `{"a":12345678901234567890}` {
		t.Errorf("%s", text)
	}
	if text, r := callClient(t, c, "fail", nil); !r.IsError || text != "it went wrong" {
		t.Errorf("%s", text)
	}
	if text, r := callClient(t, c, "refuse", nil); !r.IsError || !strings.Contains(text, "bad arguments") {
		t.Errorf("%s", text)
	}
	stream := post(t, info, session(t, info), `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"count","arguments":{"steps":3},"_meta":{"progressToken":"p1"}}}`)
	if n := strings.Count(stream, `"progressToken":"p1"`); n != 3 || !strings.Contains(stream, "counted") {
		t.Errorf("%d of 3 reports came: %s", n, stream)
	}
}

// What a client cancels is cancelled at the server, by HTTP's end of a request.
func TestGateway_cancels(t *testing.T) {
	t.Parallel()
	arrived := upstreamtest.Listen(t)
	h := begin(t, map[string]any{"gateway": map[string]any{"mode": "all"}},
		servers{"std": scripted(t, upstreamtest.Script{ReceivedFile: arrived.Address()})}, nil)
	c := connect(t, gatewayOf(h), "test")
	ctx, cancel := context.WithCancel(t.Context())
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = "sleep", map[string]any{"ms": 600000}
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, r)
		ended <- err
	}()
	arrived.Until("the call to be under way", func(text string) bool { return strings.Contains(text, `"tools/call"`) })
	cancel()
	if err := <-ended; err == nil {
		t.Error("a call that was cancelled is answered")
	}
	arrived.Until("the server to be told", func(text string) bool { return strings.Contains(text, `"notifications/cancelled"`) })
	if text, _ := callClient(t, c, "echo", map[string]any{"text": "still here"}); !strings.Contains(text, "still") {
		t.Errorf("%s", text)
	}
}

// Many sessions call at once, while a server dies again and again: nobody gets the
// answer of another.
func TestGateway_manySessionsAtOnce(t *testing.T) {
	t.Parallel()
	s := servers{"std": scripted(t, upstreamtest.Script{}), "dying": scripted(t, upstreamtest.Script{Tools: []string{tool("exit", "Dies.")}})}
	h := begin(t, map[string]any{"threshold": 1}, s, nil)
	h.UntilReady(s)
	info := gatewayOf(h)
	var all sync.WaitGroup
	for i := range 20 {
		c := connect(t, info, "Zoo Code")
		for j := range 10 {
			all.Go(func() {
				word := fmt.Sprintf("s%dc%d", i, j)
				if text, r := callClient(t, c, "mcp_call", byName("echo", map[string]any{"text": word})); r.IsError || text != fmt.Sprintf(`{"text":%q}`, word) {
					t.Errorf("%s got %s", word, text)
				}
				if text, _ := callClient(t, c, "mcp_search", map[string]any{"query": "answers after a time"}); !strings.Contains(text, "sleep(ms") {
					t.Errorf("%s", text)
				}
				if j == 5 {
					callClient(t, c, "mcp_call", byName("mcp__dying__exit", nil))
				}
			})
		}
	}
	all.Wait()
}
