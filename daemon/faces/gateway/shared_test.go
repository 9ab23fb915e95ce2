package gateway_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// joinModern connects a client of the revision without sessions.
func joinModern(t testing.TB, face *gateway.Face) *gatewaytest.Person {
	t.Helper()
	p := &gatewaytest.Person{Client: client.NewClient(streams(t, face)), Told: make(chan mcp.JSONRPCNotification, 100)}
	p.OnNotification(func(n mcp.JSONRPCNotification) { p.Told <- n })
	if err := p.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	hello, err := p.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.ProtocolVersion20260728, ClientInfo: mcp.Implementation{Name: "test", Version: "1"},
	}})
	if err != nil || hello.ProtocolVersion != mcp.ProtocolVersion20260728 {
		t.Fatalf("got %+v, %v, want the revision without sessions", hello, err)
	}
	return p
}

// Clients without a session share one list, in one order, whatever was there
// before; those who listen are told of a change, and a mode holds for their calls.
func TestShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newEngine(t, serverOf("kept", "zeta", "echo"), serverOf("out", "count"))
		f.settings.Gateway.Mode = protocol.GatewayAll
		face := faceOf(t, f)
		p, deaf := joinModern(t, face), joinModern(t, face)
		list := func(want ...string) {
			t.Helper()
			for _, c := range []*gatewaytest.Person{p, deaf} {
				if got := listNames(t, c.Client); !slices.Equal(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		}
		list("mcp_result", "count", "echo", "zeta")
		if _, err := p.ListenAsync(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, nil); err != nil {
			t.Fatal(err)
		}
		if got, want := notified(p), []string{mcp.MethodNotificationSubscriptionsAcknowledged}; !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
		f.change(func(s *state) { s.mode = router.Mode{Slug: "narrow", Allowed: &[]string{"kept"}} })
		if got := notified(p); !slices.Equal(got, []string{listChanged}) {
			t.Errorf("told %q, want once of the list", got)
		}
		if got := notified(deaf); len(got) > 0 {
			t.Errorf("a client that does not listen is told %q", got)
		}
		list("mcp_result", "echo", "zeta")
		if text, r := callClient(t, p.Client, "count", nil); !r.IsError || !strings.Contains(text, "allowedMcpServers") {
			t.Errorf("out of the mode: got %s, want the rule", text)
		}
		f.change(func(s *state) { s.mode, s.servers = router.Mode{}, append(s.servers, serverOf("late", "aged")) })
		list("mcp_result", "aged", "count", "echo", "zeta")
	})
}
