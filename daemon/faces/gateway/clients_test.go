package gateway_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// twoServers are a server that stays and one that a mode keeps out.
func twoServers(t testing.TB, settings map[string]any) *daemontest.Host {
	t.Helper()
	s := servers{
		"kept": scripted(t, upstreamtest.Script{Tools: []string{tool("echo", "Repeats what is said.")}}),
		"out":  scripted(t, upstreamtest.Script{Tools: []string{tool("count", "Counts sheep.")}}),
	}
	return begin(t, settings, s, modes{"narrow": {AllowedMcpServers: &[]string{"kept"}}})
}

// A mode that is set in mid-session holds for what is listed, found, loaded and
// run, and the client is told. Through the whole: what calls may do is the
// engine's, what is listed the gateway's, and one must not let through what the
// other keeps out.
func TestGateway_modesHoldForTools(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"all", "dynamic", "dispatch"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			h := twoServers(t, map[string]any{"threshold": 1, "gateway": map[string]any{"mode": mode}})
			p := meet(t, h, ways()["stdio"], true)
			listNames(t, p.Client)
			if mode == "dynamic" {
				callClient(t, p.Client, "mcp_load", map[string]any{"names": []string{"echo", "count"}})
				listNames(t, p.Client)
			}
			daemontest.Call[protocol.Empty](h, protocol.MethodModeSet, protocol.ModeSetParams{Mode: "narrow"})
			p.Await(t, mcp.MethodNotificationToolsListChanged, func(map[string]any) bool { return true })
			if got := listNames(t, p.Client); slices.Contains(got, "count") {
				t.Errorf("the list still has the tool: %q", got)
			}
			for name, arguments := range map[string]any{
				"count": nil, "mcp_call": byName("count", nil), "mcp_read": byName("count", nil), "mcp_load": map[string]any{"names": []string{"count"}},
				"mcp_search": map[string]any{"query": "select:count"},
			} {
				text, r := callClient(t, p.Client, name, arguments)
				if !strings.Contains(text, "allowedMcpServers of mode") {
					t.Errorf("%s does not name the rule: %s", name, text)
				}
				if strings.HasPrefix(name, "mcp_") && name != "mcp_call" && name != "mcp_read" {
					continue
				}
				if !r.IsError {
					t.Errorf("%s runs it: %s", name, text)
				}
			}
			if text, r := callClient(t, p.Client, "echo", map[string]any{"id": "x"}); r.IsError {
				t.Errorf("the other server cannot be used: %s", text)
			}
			daemontest.Call[protocol.Empty](h, protocol.MethodModeSet, protocol.ModeSetParams{})
			p.Await(t, mcp.MethodNotificationToolsListChanged, func(map[string]any) bool { return true })
			if text, r := callClient(t, p.Client, "count", nil); r.IsError {
				t.Errorf("without the mode: %s", text)
			}
		})
	}
}

// So it does for clients without a session, who are told where they listen; over
// HTTP, and through the whole for the same reason.
func TestGateway_modesHoldWithoutSessions(t *testing.T) {
	t.Parallel()
	h := twoServers(t, map[string]any{"gateway": map[string]any{"mode": "all"}})
	info := gatewayOf(h)
	c, err := client.NewStreamableHttpClient(info.URL, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + info.Token}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	told := make(chan string, 10)
	c.OnNotification(func(n mcp.JSONRPCNotification) { told <- n.Method })
	if err := c.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	hello, err := c.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.ProtocolVersion20260728, ClientInfo: mcp.Implementation{Name: "test", Version: "1"},
	}})
	if err != nil || hello.ProtocolVersion != mcp.ProtocolVersion20260728 {
		t.Fatalf("got %+v, %v, want the revision without sessions", hello, err)
	}
	if got, want := listNames(t, c), []string{"mcp_result", "count", "echo"}; !slices.Equal(got, want) {
		t.Errorf("without the mode: %q, want %q", got, want)
	}
	if _, err := c.ListenAsync(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, nil); err != nil {
		t.Fatal(err)
	}
	await := func(want string) {
		t.Helper()
		deadline := time.After(60 * time.Second)
		for {
			select {
			case method := <-told:
				if method == want {
					return
				}
			case <-deadline:
				t.Fatalf("the client is not told of %s", want)
			}
		}
	}
	await(mcp.MethodNotificationSubscriptionsAcknowledged)
	daemontest.Call[protocol.Empty](h, protocol.MethodModeSet, protocol.ModeSetParams{Mode: "narrow"})
	await(mcp.MethodNotificationToolsListChanged)
	if got, want := listNames(t, c), []string{"mcp_result", "echo"}; !slices.Equal(got, want) {
		t.Errorf("under the mode: %q, want %q", got, want)
	}
	for name, arguments := range map[string]any{
		"count": nil, "mcp_call": byName("count", nil), "mcp_search": map[string]any{"query": "select:count"},
	} {
		if text, _ := callClient(t, c, name, arguments); !strings.Contains(text, "allowedMcpServers of mode") {
			t.Errorf("%s does not name the rule: %s", name, text)
		}
	}
}

// The list of a client that searches and calls stays as it is, whatever it
// calls, and what it is told names only tools that it has. The words are the
// engine's, for the task that the gateway has made.
func TestGateway_dispatchNeverGrows(t *testing.T) {
	t.Parallel()
	h := twoServers(t, map[string]any{"threshold": 1})
	c := connect(t, gatewayOf(h), "nobody knows")
	before := listNames(t, c)
	loaded, _ := callClient(t, c, "mcp_load", map[string]any{"names": []string{"count"}})
	if !strings.Contains(loaded, `schema: {"type":"object"`) || !strings.Contains(loaded, "mcp_call") || strings.Contains(loaded, "Attached") {
		t.Errorf("%s", loaded)
	}
	callClient(t, c, "mcp_call", byName("count", nil))
	if text, r := callClient(t, c, "echo", map[string]any{"id": "x"}); r.IsError {
		t.Errorf("a call by name: %s", text)
	}
	if text, _ := callClient(t, c, "mcp_call", byName("no_such_tool", nil)); strings.Contains(text, "mcp_load") {
		t.Errorf("%s", text)
	}
	if after := listNames(t, c); !slices.Equal(after, before) {
		t.Errorf("%q became %q", before, after)
	}
}
