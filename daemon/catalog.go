package daemon

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/ijson"
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

// setHostTools answers catalog/setHostTools. A tool that cannot be used costs
// that tool only.
func (s *Server) setHostTools(_ context.Context, params json.RawMessage) (any, error) {
	p, unread, err := readHostTools(params)
	if err != nil {
		return nil, err
	}
	if p.Source == ownSource {
		return nil, invalid("catalog/setHostTools needs a source")
	}
	servers, warnings := hostServers(p.Tools)
	warnings = append(unread, warnings...)
	catalog := s.workspace.setHostServers(p.Source, servers)
	for i := range catalog.Servers {
		warnings = append(warnings, catalog.Servers[i].Warnings...)
	}
	return protocol.SetHostToolsResult{Version: catalog.Version, Count: len(catalog.Tools), Warnings: warnings}, nil
}

// maxToolDepth bounds the nesting of a host's tool, as that of a server's.
const maxToolDepth = 1000

// readHostTools reads the params of catalog/setHostTools, and says which tools
// cannot be used.
func readHostTools(params json.RawMessage) (p protocol.SetHostToolsParams, warnings []string, err error) {
	wire, err := read[struct {
		Source string            `json:"source"`
		Tools  []json.RawMessage `json:"tools"`
	}](params)
	if err != nil {
		return p, nil, err
	}
	p.Source = wire.Source
	for i, raw := range wire.Tools {
		var tool protocol.HostTool
		why := decode(raw, &tool)
		if why == nil && ijson.Depth(raw) > maxToolDepth {
			why = fmt.Errorf("it is nested deeper than %d levels", maxToolDepth)
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
	raw := fmt.Appendf(nil, `{"name":%s,"description":%s`, mustMarshal(t.Name), mustMarshal(t.Description))
	if len(t.InputSchema) > 0 {
		raw = append(append(raw, `,"inputSchema":`...), t.InputSchema...)
	}
	if len(t.Annotations) > 0 {
		raw = append(append(raw, `,"annotations":`...), t.Annotations...)
	}
	return append(raw, '}')
}
