package upstream

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// askingServer is an HTTP server with a tool that asks its caller for a name.
func askingServer(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(askingHandler())
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}

func askingHandler() http.Handler {
	s := mcpserver.NewMCPServer("asking", "1", mcpserver.WithElicitation())
	s.AddTool(mcp.NewTool("greet"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var r mcp.ElicitationRequest
		r.Params.Message = "Who are you?"
		r.Params.RequestedSchema = map[string]any{"type": "object", "properties": map[string]any{}}
		answer, err := s.RequestElicitation(ctx, r)
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		name, _ := json.Marshal(answer.Content)
		return mcp.NewToolResultText("hello " + string(name)), nil
	})
	return mcpserver.NewStreamableHTTPServer(s)
}

// Over HTTP a question comes on the stream of the call that it belongs to: each
// caller is asked its own, also while others call.
func TestAsk_theCallerIsKnownOverHTTP(t *testing.T) {
	t.Parallel()
	url := askingServer(t) // before the manager, which is then closed first
	m := newTestManager(t, Options{})
	apply(t, m, Config{Name: "asking", URL: url})
	waitState(t, m, "asking", Ready)
	// Everybody is asked before anybody answers.
	const people = 3
	var asked sync.WaitGroup
	asked.Add(people)
	var calls sync.WaitGroup
	for _, name := range []string{"ada", "bob", "eve"} {
		calls.Go(func() {
			who := &Caller{Session: name, Ask: func(_ context.Context, server, method string, params json.RawMessage) (json.RawMessage, error) {
				if server != "asking" || method != "elicitation/create" || !strings.Contains(string(params), "Who are you?") {
					t.Errorf("asked %s by %s: %s", method, server, params)
				}
				asked.Done()
				asked.Wait()
				return json.RawMessage(`{"action":"accept","content":{"name":"` + name + `"}}`), nil
			}}
			r, err := m.Call(t.Context(), CallRequest{Server: "asking", Tool: "greet", Caller: who})
			if err != nil || !strings.Contains(string(r.Raw), name) {
				t.Errorf("%s is answered %+v, %v", name, r, err)
			}
		})
	}
	calls.Wait()
	r, err := m.Call(t.Context(), CallRequest{Server: "asking", Tool: "greet"})
	if err != nil || !r.IsError || !strings.Contains(string(r.Raw), "cannot be asked") {
		t.Errorf("a call of nobody's: %+v, %v", r, err)
	}
}
