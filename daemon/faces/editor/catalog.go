package editor

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// catalogRoutes returns the routes of the methods on catalogues.
func catalogRoutes(e *parts) map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodCatalogList: rpc.Sync(plain(e.Catalog.List)),
		protocol.MethodCatalogRows: rpc.Sync(plain(e.catalogRows)),
		protocol.MethodStatusShow:  rpc.Sync(plain(e.status)),
		protocol.MethodToolRows: rpc.Sync(func(_ context.Context, p *protocol.ToolRowsParams) (protocol.ToolRowsResult, error) {
			list, err := e.Catalog.List(&protocol.CatalogListParams{Source: p.Source, Server: p.Server})
			return display.Tools(p, list), err
		}),
		protocol.MethodSetHostTools: func(_ context.Context, params json.RawMessage) (any, error) {
			p, unread, err := readHostTools(params)
			if err != nil {
				return nil, err
			}
			result, err := e.HostTools.Set(&p)
			result.Warnings = append(unread, result.Warnings...)
			return result, err
		},
		protocol.MethodCatalogSearch: rpc.Async(e.Catalog.Search),
	}
}

// catalogRows lists the daemon's own servers and those of a host together.
func (e *parts) catalogRows(p *protocol.CatalogRowsParams) (protocol.CatalogRowsResult, error) {
	sources := []string{protocol.OwnSource}
	if p.Source != protocol.OwnSource {
		sources = append(sources, p.Source)
	}
	var lists []protocol.CatalogListResult
	for _, source := range sources {
		list, err := e.Catalog.List(&protocol.CatalogListParams{Source: source, ServersOnly: p.Filter == "", Memory: p.Memory})
		if err != nil {
			return protocol.CatalogRowsResult{}, err
		}
		lists = append(lists, list)
	}
	return display.Catalog(p, e.Workspace.NameOf, lists...), nil
}

// status returns the content of an editor's status bar.
func (e *parts) status(p *protocol.StatusParams) (protocol.StatusResult, error) {
	catalog, err := e.catalogRows(&protocol.CatalogRowsParams{Source: p.Source, HostServers: p.HostServers})
	if err != nil {
		return protocol.StatusResult{}, err
	}
	tasks, err := e.Inspector.List()
	if err != nil {
		return protocol.StatusResult{}, err
	}
	settings := e.Settings.Load()
	return display.Status(&display.State{
		Off: settings.SearchTurns == 0, Shadow: settings.Shadow,
		Catalog: catalog, Modes: e.Modes.List(), Tasks: tasks, Models: p.Models, Rest: p.Rest, Restricted: p.Restricted,
		Threshold: settings.Threshold, InitialK: settings.InitialK,
	}), nil
}

// readHostTools decodes the params of catalog/setHostTools. A tool that cannot be used is
// left out, with a warning.
func readHostTools(params json.RawMessage) (p protocol.SetHostToolsParams, warnings []string, err error) {
	wire, err := rpc.Read[struct {
		Source  string            `json:"source"`
		Tools   []json.RawMessage `json:"tools"`
		WithOwn bool              `json:"withOwn"`
		Listing *protocol.Listing `json:"listing"`
	}](params)
	if err != nil {
		return p, nil, err
	}
	p.Source, p.WithOwn, p.Listing = wire.Source, wire.WithOwn, wire.Listing
	for i, raw := range wire.Tools {
		var tool protocol.HostTool
		why := codec.Unmarshal(raw, &tool)
		if why == nil && ijson.Depth(raw) > ijson.MaxToolDepth {
			why = fmt.Errorf("it is nested deeper than %d levels", ijson.MaxToolDepth)
		}
		if why != nil {
			warnings = append(warnings, fmt.Sprintf("tool %d (server %.80s, name %.80s) is left out: %v",
				i+1, ijson.Member(raw, "server"), ijson.Member(raw, "name"), why))
			continue
		}
		p.Tools = append(p.Tools, tool)
	}
	return p, warnings, nil
}
