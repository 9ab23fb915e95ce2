package catalog

import (
	"context"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// Queries answers queries about catalogues outside of any task.
type Queries struct {
	Store *Store
	// Known returns the servers as of the newest catalogue.
	Known func() *upstream.Snapshot
	// Configuration returns the configuration in force.
	Configuration func() *workspace.Configuration
	// Mode returns the policy of a mode; "" is the current one.
	Mode func(slug string) (*router.Mode, error)
	// Vectors adds to a view the vector of a text to be ranked.
	Vectors func(ctx context.Context, v *router.View, text string) *router.View
}

// List returns the servers and tools of a source.
func (q *Queries) List(p *protocol.CatalogListParams) (protocol.CatalogListResult, error) {
	known := q.Known() // before the catalogue; see describe
	v, err := q.view(p.Source, p.Mode)
	if err != nil {
		return protocol.CatalogListResult{}, err
	}
	result := protocol.CatalogListResult{Version: v.Catalog.Version}
	if p.Source == protocol.OwnSource {
		result.Consents = q.Configuration().Questions()
		result.Faults = q.Configuration().Faults()
	}
	for i := range v.Catalog.Servers {
		server := &v.Catalog.Servers[i]
		if server.Own && !p.WithOwn || p.Server != "" && p.Server != server.Name {
			continue
		}
		source := p.Source
		if server.Own {
			source = protocol.OwnSource
		}
		info := describe(q.Configuration(), source, server, known)
		for t := server.First; t < server.End; t++ {
			tool := toolInfo(v, t)
			info.Tools++
			info.Tokens += tool.Tokens
			if tool.InScope {
				info.InScope++
				info.ScopeTokens += tool.Tokens
			}
			if tool.Cause != nil {
				switch tool.Cause.Kind {
				case protocol.CauseChanged, protocol.CauseUnlisted, protocol.CauseDamagedLock:
					info.Held++
				case protocol.CauseMode:
					info.OutOfMode++
				}
			}
			if !p.ServersOnly {
				result.Tools = append(result.Tools, tool)
			}
		}
		result.Servers = append(result.Servers, info)
	}
	if p.Memory {
		weigh(result.Servers)
	}
	return result, nil
}

// weigh adds the memory that each server uses.
func weigh(servers []protocol.ServerInfo) {
	var pids []int
	for i := range servers {
		if pid := servers[i].PID; pid != 0 {
			pids = append(pids, pid)
		}
	}
	if len(pids) == 0 {
		return
	}
	held, at := process.Memory(pids), time.Now().UnixMilli()
	for i := range servers {
		if bytes := held[servers[i].PID]; bytes > 0 {
			servers[i].Memory, servers[i].MemoryAt = bytes, at
		}
	}
}

// view returns the view of a request outside of a task. An empty mode is the current one.
func (q *Queries) view(source, mode string) (*router.View, error) {
	m, err := q.Mode(mode)
	if err != nil {
		return nil, err
	}
	return q.Store.View(source, m)
}

func toolInfo(v *router.View, i int) protocol.ToolInfo {
	t := &v.Catalog.Tools[i]
	rule := v.Mode.ToolRule(v.Catalog, i)
	return protocol.ToolInfo{
		Server:      t.ID.Server,
		Tool:        t.ID.Tool,
		Name:        t.Name,
		Title:       t.Title,
		Description: t.Description,
		Override:    t.Override,
		Tokens:      t.Tokens,
		InScope:     v.Scope.Admits(i),
		Cause:       reasons.Wire(rule),
		AlwaysLoad:  t.AlwaysLoad,
		ReadOnly:    t.ReadOnly == ranker.Yes,
		Lock:        t.Lock.State,
		Content:     t.Lock.Content,
		Findings:    t.Lock.Findings,
		Available:   v.Catalog.Servers[t.Server].Unavailable == "",
	}
}

// Search ranks the tools of a source for a query.
func (q *Queries) Search(ctx context.Context, p *protocol.CatalogSearchParams) (protocol.CatalogSearchResult, error) {
	v, err := q.view(p.Source, p.Mode)
	if err != nil {
		return protocol.CatalogSearchResult{}, err
	}
	v = q.Vectors(ctx, v, p.Query)
	result := protocol.CatalogSearchResult{Version: v.Catalog.Version, Ranker: v.RankerName()}
	for _, m := range v.Search(&router.Task{}, p.Query, p.Limit, p.Explain) {
		result.Tools = append(result.Tools, FoundTool(&v.Catalog.Tools[m.Doc], m, p.Explain))
	}
	return result, nil
}

// FoundTool describes a match, with the parts of its score if explain is set.
func FoundTool(t *router.Tool, m ranker.Match, explain bool) protocol.FoundTool {
	found := protocol.FoundTool{
		Server: t.ID.Server, Tool: t.ID.Tool, Name: t.Name, Description: t.Text(), Score: m.Score,
	}
	if explain {
		found.Why = router.WireParts(m.Parts)
	}
	return found
}
