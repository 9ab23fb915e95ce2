// Package gatewaytest provides MCP clients of a daemon's gateway for tests.
package gatewaytest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/socket"
	"github.com/winnow-mcp/winnow/protocol"
)

// patience limits waiting; a passing test never reaches it.
const patience = time.Minute

// InfoOf returns the address of a daemon's gateway.
func InfoOf(h *daemontest.Host) protocol.GatewayInfoResult {
	return daemontest.Call[protocol.GatewayInfoResult](h, protocol.MethodGatewayInfo, protocol.Empty{})
}

// Connect opens a session as a client of that name.
func Connect(t testing.TB, info protocol.GatewayInfoResult, name string, options ...transport.StreamableHTTPCOption) *client.Client {
	t.Helper()
	options = append(options, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + info.Token}))
	c, err := client.NewStreamableHttpClient(info.URL, options...)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	var r mcp.InitializeRequest
	r.Params.ProtocolVersion = "2025-11-25"
	r.Params.ClientInfo = mcp.Implementation{Name: name, Version: "1"}
	if _, err := c.Initialize(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return c
}

// List returns the names of the tools that a client is shown.
func List(t testing.TB, c *client.Client) []string {
	t.Helper()
	r, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range r.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// Call calls a tool, and returns the text of the answer and all of it.
func Call(t testing.TB, c *client.Client, name string, arguments any) (string, *mcp.CallToolResult) {
	t.Helper()
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = name, arguments
	result, err := c.CallTool(t.Context(), r)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var all strings.Builder
	for _, block := range result.Content {
		if text, ok := block.(mcp.TextContent); ok {
			all.WriteString(text.Text)
		}
	}
	return all.String(), result
}

// Person is a client that supports all requests of MCP. It records requests and
// notifications.
type Person struct {
	*client.Client
	// Action is the answer to every elicitation; "" means accept. Hold, if not nil,
	// delays it until closed. Told receives the notifications. Content is what an
	// accepted form contains; nil means a name and a number.
	Action  mcp.ElicitationResponseAction
	Content map[string]any
	Hold    chan struct{}
	Told    chan mcp.JSONRPCNotification
	// Instructions are those that the gateway sent at the handshake.
	Instructions string

	mu    sync.Mutex
	asked []string // guarded by mu
	once  sync.Once
	first chan struct{} // closed at the first request
}

func (p *Person) note(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, what)
	p.once.Do(func() { close(p.first) })
}

// UntilAsked waits for the first request.
func (p *Person) UntilAsked(t testing.TB) {
	t.Helper()
	select {
	case <-p.first:
	case <-time.After(patience):
		t.Fatal("waited in vain for the client to be asked")
	}
}

// Questions returns the requests so far.
func (p *Person) Questions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// CreateMessage implements client.SamplingHandler.
func (p *Person) CreateMessage(_ context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	p.note("sampling: " + r.SystemPrompt)
	return &mcp.CreateMessageResult{
		SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent("forty-two")}, Model: "a model of mine",
	}, nil
}

// Elicit implements client.ElicitationHandler.
func (p *Person) Elicit(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	p.note(r.Params.Message)
	if p.Hold != nil {
		select {
		case <-p.Hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	answer := mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"name": "Ada", "integer": 7}}
	if p.Content != nil {
		answer.Content = p.Content
	}
	if p.Action != "" {
		answer = mcp.ElicitationResponse{Action: p.Action}
	}
	return &mcp.ElicitationResult{ElicitationResponse: answer}, nil
}

// ListRoots implements client.RootsHandler.
func (p *Person) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	p.note("roots")
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///of/mine", Name: "mine"}}}, nil
}

// Way connects a client to the gateway.
type Way func(t testing.TB, h *daemontest.Host) transport.Interface

// Ways returns the two transports of the gateway.
func Ways() map[string]Way {
	return map[string]Way{
		"http": func(t testing.TB, h *daemontest.Host) transport.Interface { return listen(t, InfoOf(h)) },
		"stdio": func(t testing.TB, h *daemontest.Host) transport.Interface {
			h.Catalog() // what is answered after initialized finds the socket open
			c, err := socket.Dial(socket.Place{}, h.Options.Workspace)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
			return transport.NewIO(c, c, nil)
		},
	}
}

// Meet connects a person whom the server can reach at once. A plain one supports no
// requests.
func Meet(t testing.TB, h *daemontest.Host, by Way, plain bool) *Person {
	t.Helper()
	return Join(t, by(t, h), "test", plain)
}

// Join is Meet over a transport, as a client of that name.
func Join(t testing.TB, over transport.Interface, name string, plain bool) *Person {
	t.Helper()
	p := &Person{first: make(chan struct{}), Told: make(chan mcp.JSONRPCNotification, 1000)}
	var options []client.ClientOption
	if !plain {
		options = append(options, client.WithSamplingHandler(p), client.WithElicitationHandler(p), client.WithRootsHandler(p))
	}
	p.Client = client.NewClient(over, options...)
	p.OnNotification(func(n mcp.JSONRPCNotification) { p.Told <- n })
	if err := p.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	p.Instructions = hello(t, p.Client, name, mcp.ClientCapabilities{}).Instructions
	if l, ok := over.(*listening); ok {
		l.untilOpen(t)
	}
	return p
}

// Hello performs the handshake of a client with capabilities can.
func Hello(t testing.TB, c *client.Client, can mcp.ClientCapabilities) {
	t.Helper()
	hello(t, c, "test", can)
}

func hello(t testing.TB, c *client.Client, name string, can mcp.ClientCapabilities) *mcp.InitializeResult {
	t.Helper()
	var r mcp.InitializeRequest
	r.Params.ProtocolVersion = "2025-11-25"
	r.Params.ClientInfo = mcp.Implementation{Name: name, Version: "1"}
	r.Params.Capabilities = can
	result, err := c.Initialize(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Await waits for the first matching notification.
func (p *Person) Await(t testing.TB, method string, fits func(params map[string]any) bool) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case n := <-p.Told:
			if n.Method == method && fits(n.Params.AdditionalFields) {
				return
			}
		case <-deadline:
			t.Fatalf("the client is not told of %s", method)
		}
	}
}

// Until waits until ok returns true. It calls ok after each notification: the list of a
// slow server grows, and the client is notified.
func (p *Person) Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(patience)
	for !ok() {
		select {
		case <-p.Told:
		case <-deadline:
			t.Fatalf("the client waited in vain for %s", what)
		}
	}
}

// ByName returns arguments of mcp_call.
func ByName(name string, arguments any) map[string]any {
	return map[string]any{"name": name, "arguments": arguments}
}
