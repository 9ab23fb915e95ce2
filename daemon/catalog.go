package daemon

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router"
)

// catalogList answers catalog/list.
func (s *Server) catalogList(_ context.Context, p *protocol.CatalogListParams) (protocol.CatalogListResult, error) {
	known := s.workspace.known.Load() // before the catalogue; see describe
	v, err := s.viewFor(p.Source, p.Mode)
	if err != nil {
		return protocol.CatalogListResult{}, err
	}
	result := protocol.CatalogListResult{Version: v.Catalog.Version}
	for i := range v.Catalog.Servers {
		server := &v.Catalog.Servers[i]
		if p.Server != "" && p.Server != server.Name {
			continue
		}
		info := s.workspace.describe(p.Source, server, known)
		for t := server.First; t < server.End; t++ {
			tool := toolInfo(v, t)
			info.Tools++
			info.Tokens += tool.Tokens
			if tool.InScope {
				info.InScope++
			}
			if !p.ServersOnly {
				result.Tools = append(result.Tools, tool)
			}
		}
		result.Servers = append(result.Servers, info)
	}
	return result, nil
}

// viewFor returns what a request outside of a task sees. An empty mode is the
// current one.
func (s *Server) viewFor(source, mode string) (*router.View, error) {
	m, err := s.workspace.mode(mode)
	if err != nil {
		return nil, err
	}
	return s.workspace.view(source, m)
}

func toolInfo(v *router.View, i int) protocol.ToolInfo {
	t := &v.Catalog.Tools[i]
	return protocol.ToolInfo{
		Server:      t.ID.Server,
		Tool:        t.ID.Tool,
		Name:        t.Name,
		Title:       t.Title,
		Description: t.Description,
		Override:    t.Override,
		Tokens:      t.Tokens,
		InScope:     v.Scope.Admits(i),
		Rule:        router.Rule(v.Catalog, v.Mode, i),
		AlwaysLoad:  t.AlwaysLoad,
		ReadOnly:    t.ReadOnly == ranker.Yes,
		Available:   v.Catalog.Servers[t.Server].Unavailable == "",
	}
}

// catalogSearch answers catalog/search.
func (s *Server) catalogSearch(ctx context.Context, p *protocol.CatalogSearchParams) (protocol.CatalogSearchResult, error) {
	v, err := s.viewFor(p.Source, p.Mode)
	if err != nil {
		return protocol.CatalogSearchResult{}, err
	}
	v = s.workspace.embeddings.see(ctx, v, p.Query)
	result := protocol.CatalogSearchResult{Version: v.Catalog.Version, Ranker: v.RankerName()}
	for _, m := range v.Search(&router.Task{}, p.Query, p.Limit, p.Explain) {
		result.Tools = append(result.Tools, foundTool(&v.Catalog.Tools[m.Doc], m, p.Explain))
	}
	return result, nil
}

func foundTool(t *router.Tool, m ranker.Match, explain bool) protocol.FoundTool {
	found := protocol.FoundTool{
		Server: t.ID.Server, Tool: t.ID.Tool, Name: t.Name, Description: t.Text(), Score: m.Score,
	}
	if explain {
		found.Why = router.WireParts(m.Parts)
	}
	return found
}

// setHostTools answers catalog/setHostTools.
func (s *Server) setHostTools(_ context.Context, p *protocol.SetHostToolsParams) (protocol.SetHostToolsResult, error) {
	if p.Source == ownSource {
		return protocol.SetHostToolsResult{}, failure.Invalid("catalog/setHostTools needs a source")
	}
	servers, warnings := hostServers(p.Tools)
	catalog := s.workspace.setHostServers(p.Source, servers)
	for i := range catalog.Servers {
		warnings = append(warnings, catalog.Servers[i].Warnings...)
	}
	return protocol.SetHostToolsResult{Version: catalog.Version, Count: len(catalog.Tools), Warnings: warnings}, nil
}

// hostServers groups a host's tools by server, in the order in which the host
// lists them. A name counts once in a source: it is all that the host knows a
// tool by.
func hostServers(tools []protocol.HostTool) (servers []router.ServerInput, warnings []string) {
	place, seen := map[string]int{}, map[string]bool{}
	for _, t := range tools {
		if seen[t.Name] {
			warnings = append(warnings, fmt.Sprintf("tool %q is listed twice; the first one counts", t.Name))
			continue
		}
		seen[t.Name] = true
		i, ok := place[t.Server]
		if !ok {
			i = len(servers)
			place[t.Server] = i
			servers = append(servers, router.ServerInput{Name: t.Server, HostNames: map[string]string{}})
		}
		if t.Tool != "" {
			servers[i].HostNames[t.Tool] = t.Name
		}
		servers[i].Tools = append(servers[i].Tools, hostToolJSON(t))
	}
	return servers, warnings
}

// hostToolJSON writes a host's tool as an MCP Tool object, its schema byte for
// byte.
func hostToolJSON(t protocol.HostTool) json.RawMessage {
	raw := fmt.Appendf(nil, `{"name":%s,"description":%s`, codec.Marshal(t.Name), codec.Marshal(t.Description))
	if len(t.InputSchema) > 0 {
		raw = append(append(raw, `,"inputSchema":`...), t.InputSchema...)
	}
	if len(t.Annotations) > 0 {
		raw = append(append(raw, `,"annotations":`...), t.Annotations...)
	}
	return append(raw, '}')
}
