package engine

import (
	"context"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
)

// AwaitServers waits until no server is starting, or the timeout has passed. It returns
// an error if ctx ends first.
func (e *Engine) AwaitServers(ctx context.Context, p *protocol.ServerWaitParams) (protocol.ServerWaitResult, error) {
	over := time.After(time.Duration(p.TimeoutMs) * time.Millisecond)
	for timeout := p.TimeoutMs <= 0; ; {
		changed := e.Changes.Wait() // before the list, so that no change is missed
		catalog, err := e.Catalog.List(&protocol.CatalogListParams{ServersOnly: true})
		if err != nil {
			return protocol.ServerWaitResult{}, err
		}
		result := protocol.ServerWaitResult{Servers: catalog.Servers, Starting: comingUp(catalog.Servers, p.Name)}
		if len(result.Starting) == 0 || timeout {
			return result, nil
		}
		select {
		case <-changed:
		case <-over:
			timeout = true
		case <-ctx.Done():
			return protocol.ServerWaitResult{}, context.Cause(ctx)
		}
	}
}

// comingUp names the servers that will soon have tools. name limits it to one server,
// which a call is about to start; "" means all.
func comingUp(servers []protocol.ServerInfo, name string) []string {
	names := []string{}
	for i := range servers {
		switch s := &servers[i]; {
		case name != "" && s.Name != name:
		case s.State == protocol.ServerConfigured, s.State == protocol.ServerStarting, name != "" && s.State == protocol.ServerKnown:
			names = append(names, s.Name)
		}
	}
	return names
}
