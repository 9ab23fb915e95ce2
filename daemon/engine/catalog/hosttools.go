package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/ownname"
	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// HostTools holds the tools that hosts run themselves, one list for each source.
type HostTools struct {
	options Options
	changes *Changes

	// mu guards the following fields: the tools of each source as its host gave them and
	// as published, and the servers that the daemon runs.
	mu      sync.Mutex
	servers map[string][]router.ServerInput
	// told holds the servers' own names of each source's tools, by the host's, where the
	// host told them.
	told      map[string]map[string]string
	published map[string][]router.ServerInput
	withOwn   map[string]bool
	own       []router.ServerInput
	// scanners holds the scanner of each source's tools.
	scanners map[string]*toollock.Scanner
}

// scanner returns the scanner of a source's tools. Callers must hold mu.
func (h *HostTools) scanner(source string) *toollock.Scanner {
	s := h.scanners[source]
	if s == nil {
		s = &toollock.Scanner{}
		h.scanners[source] = s
	}
	return s
}

// Set replaces the list of tools of its source.
func (h *HostTools) Set(p *protocol.SetHostToolsParams) (protocol.SetHostToolsResult, error) {
	if p.Source == protocol.OwnSource {
		return protocol.SetHostToolsResult{}, failure.Invalid("the tools of a host need a source")
	}
	catalog := h.set(p, hostServers(p.Tools))
	var warnings []string
	for i := range catalog.Servers {
		warnings = append(warnings, catalog.Servers[i].Warnings...)
	}
	return protocol.SetHostToolsResult{Version: catalog.Version, Count: len(catalog.Tools), Warnings: warnings}, nil
}

// set publishes a host's tools as the next version of its source. If no tool changed,
// there is no new version.
func (h *HostTools) set(p *protocol.SetHostToolsParams, servers []router.ServerInput) *router.Catalog {
	told := map[string]string{}
	for i := range p.Tools {
		if t := &p.Tools[i]; t.Tool != "" && !t.BuiltIn {
			told[t.Name] = t.Tool
		}
	}
	h.mu.Lock()
	h.withOwn[p.Source], h.told[p.Source] = p.WithOwn, told
	catalog, changed := h.publish(p.Source, servers)
	h.mu.Unlock()
	if len(changed) > 0 {
		h.changes.tell(p.Source, changed)
		h.options.Activity()
	}
	return catalog
}

// publish publishes a host's tools under the current policies and returns the servers
// that changed. Callers must hold mu, so that an older list never follows a newer one.
func (h *HostTools) publish(source string, servers []router.ServerInput) (*router.Catalog, []string) {
	state := h.options.Configuration()
	var there []string
	for i := range servers {
		if servers[i].BuiltIn { // VS Code is responsible for its own tools' texts, as for its prompt
			continue
		}
		servers[i].Locks = h.options.Lock.Apply(toollock.Server{
			Name: servers[i].Name, Source: source, Tools: servers[i].Tools, OwnNames: h.told[source],
		}).Locks
		there = append(there, servers[i].Name)
		servers[i].Policy = state.ToolPolicy(servers[i].Name).Named(servers[i].HostNames)
	}
	h.options.addLockState(source, servers, there)
	h.scanner(source).Annotate(servers)
	h.servers[source] = servers
	before, all := h.published[source], h.all(source)
	if catalog, ok := h.options.Store.Get(source); ok && sameServers(before, all) {
		return catalog, nil
	}
	catalog := h.options.Store.publish(router.CatalogInput{Source: source, Servers: all, Verbatim: true})
	h.published[source] = all
	h.options.Store.prepare(catalog)
	h.options.TextsChanged()
	return catalog, changedServers(before, all)
}

// all returns the servers of a source. It adds the daemon's own servers if they are
// wanted and the host does not run them itself. Callers must hold mu.
func (h *HostTools) all(source string) []router.ServerInput {
	servers := h.servers[source]
	if !h.withOwn[source] || len(servers) == 0 && len(h.own) == 0 {
		return servers
	}
	all := slices.Clone(servers)
	for _, own := range h.own {
		if !slices.ContainsFunc(servers, func(s router.ServerInput) bool { return strings.EqualFold(s.Name, own.Name) }) {
			own.Own = true
			all = append(all, own)
		}
	}
	return all
}

// setOwn sets the servers that the daemon runs, for the next republish.
func (h *HostTools) setOwn(servers []router.ServerInput) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.own = servers
}

// HasOwn reports whether the servers that the daemon runs have any tools. The request's
// mode determines which of them it may have.
func (h *HostTools) HasOwn() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.own, func(s router.ServerInput) bool { return len(s.Tools) > 0 })
}

// ServerNames returns the names of all servers that hosts have handed over.
func (h *HostTools) ServerNames() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var names []string
	for _, servers := range h.servers {
		for _, s := range servers {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ToolNames maps a server's names of its tools to the hosts' names. It is empty for a
// server that no host has.
func (h *HostTools) ToolNames(server string) map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	names := map[string]string{}
	for _, servers := range h.servers {
		for _, s := range servers {
			if s.Name == server {
				maps.Copy(names, s.HostNames)
			}
		}
	}
	return names
}

// republish applies a changed policy to the tools of the hosts. If modes changed, every
// server may have other tools in scope.
func (h *HostTools) republish(modesChanged bool) {
	changed := map[string][]string{}
	h.mu.Lock()
	for source, servers := range h.servers {
		_, changed[source] = h.publish(source, slices.Clone(servers))
		if modesChanged {
			changed[source] = serverNames(servers)
		}
	}
	h.mu.Unlock()
	for _, source := range slices.Sorted(maps.Keys(changed)) {
		if servers := changed[source]; len(servers) > 0 {
			h.changes.tell(source, servers)
		}
	}
}

// hostServers groups a host's tools by server, in the host's order. Duplicate names in a
// source are dropped, because the host identifies a tool by name only.
func hostServers(tools []protocol.HostTool) []router.ServerInput {
	var servers []router.ServerInput
	own := ownNames(tools)
	place, seen := map[string]int{}, map[string]bool{}
	for _, t := range tools {
		i, ok := place[t.Server]
		if !ok {
			i = len(servers)
			place[t.Server] = i
			servers = append(servers, router.ServerInput{
				Name: t.Server, BuiltIn: t.BuiltIn, HostNames: map[string]string{}, OwnNames: own[t.Server],
			})
		}
		server := &servers[i]
		server.BuiltIn = server.BuiltIn && t.BuiltIn // a server may have the same name
		warn := func(format string, args ...any) {
			server.Warnings = append(server.Warnings, fmt.Sprintf(format, args...))
		}
		if seen[t.Name] {
			warn("tool %q is listed twice; the first one counts", t.Name)
			continue
		}
		seen[t.Name] = true
		raw, found, err := hiddentext.Descriptions(hostToolJSON(t))
		if err != nil {
			warn("tool %q of %q is left out: %v", t.Name, t.Server, err)
			continue
		}
		if found.Any() {
			warn("tool %q of %q: hidden text was taken out (%s)", t.Name, t.Server, found)
		}
		if id := own[t.Server][t.Name]; id.Server == t.Server {
			server.HostNames[id.Tool] = t.Name
		}
		server.Tools = append(server.Tools, raw)
	}
	return servers
}

// ownNames returns, by server and by the host's name, the servers' own names of the
// tools: as the host says, else as derived from its names.
func ownNames(tools []protocol.HostTool) map[string]map[string]router.ToolID {
	own, untold := map[string]map[string]router.ToolID{}, map[string][]string{}
	for _, t := range tools {
		if own[t.Server] == nil {
			own[t.Server] = map[string]router.ToolID{}
		}
		if t.Tool == "" {
			untold[t.Server] = append(untold[t.Server], t.Name)
			continue
		}
		own[t.Server][t.Name] = router.ToolID{Server: t.Server, Tool: t.Tool}
	}
	for server, names := range untold {
		for i, found := range ownname.Find(server, names) {
			own[server][names[i]] = router.ToolID(found)
		}
	}
	return own
}

// hostToolJSON writes a host's tool as an MCP Tool object, with the schema unchanged.
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
