package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
	"github.com/winnow-mcp/winnow/protocol"
)

// Alone is a proxy without a host.
type Alone struct {
	// Initialize is what a host would say.
	Initialize protocol.InitializeParams
	Listener   net.Listener
	// Token has to be in the path of each request; empty asks for none.
	Token string
}

// ServeAlone serves clients until ctx ends, and returns within shutdown after
// that. It starts no MCP server: the clients run theirs, and the configuration
// says which they are and what the user's rules about them are.
func ServeAlone(ctx context.Context, eo engine.Options, log *slog.Logger, shutdown time.Duration, a Alone) error {
	e := engine.Open(eo, host.Logging{Log: log}, &a.Initialize)
	h := New(Options{Router: Engine(e), Endpoints: func() map[string]Endpoint { return configured(e) }, Log: log})
	err := Serve(ctx, a.Listener, Guard(a.Token, h))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdown)
	defer cancel()
	return errors.Join(err, e.Close(ctx))
}

// configured returns the endpoints of the user's file.
func configured(e *engine.Engine) map[string]Endpoint {
	all := map[string]Endpoint{}
	for _, c := range e.Workspace.Configuration().Endpoints {
		all[c.Name] = Endpoint{
			Name: c.Name, URL: c.URL, Format: wire.Format(c.Wire), Include: c.IncludeTools, Exclude: c.ExcludeTools,
		}
	}
	return all
}
