package editor

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// catalogRoutes are the methods on catalogues.
func catalogRoutes(e *engine.Engine) map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodCatalogList: rpc.Sync(func(_ context.Context, p *protocol.CatalogListParams) (protocol.CatalogListResult, error) {
			return e.Catalog.List(p)
		}),
		protocol.MethodSetHostTools: rpc.Sync(func(_ context.Context, p *protocol.SetHostToolsParams) (protocol.SetHostToolsResult, error) {
			return e.HostTools.Set(p)
		}),
		protocol.MethodCatalogSearch: rpc.Async(e.Catalog.Search),
	}
}
