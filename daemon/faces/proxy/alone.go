package proxy

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
	"github.com/winnow-mcp/winnow/protocol"
)

// Alone is a proxy without a host.
type Alone struct {
	// Initialize replaces the params that a host sends.
	Initialize protocol.InitializeParams
	Listener   net.Listener
	// Consented are the addresses of endpoints in workspace files that the user has
	// approved, as written there.
	Consented []string
	// ClientServers returns servers that clients run and that may be missing in the
	// configuration. It is called for each request; may be nil.
	ClientServers func() []string
	// Token must be in the path of each request. If empty, none is required.
	Token string
}

// ServeAlone serves clients until ctx ends, and returns within shutdown after that. It
// starts no MCP servers, because the clients run them. The configuration supplies their
// names and the user's rules.
func ServeAlone(ctx context.Context, eo engine.Options, log *slog.Logger, shutdown time.Duration, a Alone) error {
	e := engine.Open(eo, host.Logging{Log: log}, &a.Initialize)
	var r Router = Engine(e)
	if a.ClientServers != nil {
		r = alsoNamed{r, a.ClientServers}
	}
	h := New(Options{Router: r, Endpoints: func() map[string]Endpoint { return configured(e, a.Consented) }, Log: log})
	err := Serve(ctx, a.Listener, Guard(a.Token, h))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdown)
	defer cancel()
	return errors.Join(err, e.Close(ctx))
}

// alsoNamed is a router with additional servers.
type alsoNamed struct {
	Router

	more func() []string
}

// Servers implements [Router].
func (r alsoNamed) Servers() []string {
	all := append(r.Router.Servers(), r.more()...)
	slices.Sort(all)
	return slices.Compact(all)
}

// configured returns the endpoints of Winnow's own files. The user's take precedence over
// a workspace's, which require consent to their exact address.
func configured(e *engine.Engine, consented []string) map[string]Endpoint {
	users, workspaces := map[string]Endpoint{}, map[string]Endpoint{}
	for _, c := range e.Workspace.Configuration().Endpoints {
		next := Endpoint{
			Name: c.Name, URL: c.URL, Format: wire.Format(c.Wire), Include: c.IncludeTools, Exclude: c.ExcludeTools, Forms: c.ToolNames,
			Defer: c.DeferTools, Prices: (*Prices)(c.Prices), File: c.Origin.Source.Path,
		}
		if !c.OfWorkspace() {
			users[c.Name] = next
			continue
		}
		next.NeedsConsent = !slices.Contains(consented, c.URL.String())
		workspaces[c.Name] = next
	}
	maps.Copy(workspaces, users)
	return workspaces
}
