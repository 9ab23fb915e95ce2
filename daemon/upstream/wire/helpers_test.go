package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// decliningCaller notes the last question that it is asked, and declines.
func decliningCaller(asked *string) *Caller {
	return &Caller{Session: "a", Ask: func(_ context.Context, _, _ string, params json.RawMessage) (json.RawMessage, error) {
		*asked = string(params)
		return json.RawMessage(`{"action":"decline"}`), nil
	}}
}

// toolNames lists the names of the tools of a listing.
func toolNames(l Listing) []string {
	names := make([]string, 0, len(l.Tools))
	for _, tool := range l.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func fakeListing(names ...string) Listing {
	var l Listing
	for _, name := range names {
		l.Tools = append(l.Tools, Tool{Name: name, Raw: json.RawMessage(`{"name":"` + name + `"}`)})
	}
	return l
}

var errRefused = errors.New("connection refused")

// serveHTTP starts an HTTP server for the length of the test. It is to be
// called before newTestManager: its end waits for the clients'.
func serveHTTP(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// over reports whether a channel is closed.
func over(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// askingHandler serves a server whose only tool asks its caller who they are.
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
