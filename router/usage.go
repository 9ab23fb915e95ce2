package router

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Names of the sections that [View.TokenUsage] adds to the host's own.
const (
	sectionTools = "MCP tools"
	sectionHost  = "VS Code's tools, chosen"
	sectionMeta  = "Winnow"
	sectionOwn   = "its own tools"
	sectionNamed = "tools by name"
	sectionOther = "other"
)

// TokenUsage breaks down the tokens of a task's context. Total is the exact sum of the
// sections, and each section with children is the sum of them.
func (v *reporting) TokenUsage(t *Task, host []protocol.UsageSection) protocol.TaskUsageResult {
	r := protocol.TaskUsageResult{ContextTokens: t.Model.ContextTokens, Turns: history(t.Turn, t.Attached)}
	for _, s := range host {
		r.Sections = append(r.Sections, summed(s))
	}
	servers := perServer(t.Attached)
	if i := slices.IndexFunc(servers, v.isHost); i >= 0 {
		servers[i].Name = sectionHost
		r.Sections = append(r.Sections, servers[i])
		servers = slices.Delete(servers, i, i+1)
	}
	r.Sections = append(r.Sections, summed(protocol.UsageSection{Name: sectionTools, Children: servers}))
	if meta := v.MetaTools(t); len(meta) > 0 {
		r.Sections = append(r.Sections, v.metaSection(t, meta))
	}
	routed := 0
	for i, s := range r.Sections {
		r.Total += s.Tokens
		if i >= len(host) {
			routed += s.Tokens
		}
	}
	_, all := v.scoped(t)
	costs := v.costs(t, all, routed, 0)
	r.Unrouted = r.Total - routed + costs.All
	r.Client = r.Total - routed + costs.Client
	if r.ContextTokens > 0 {
		free := r.ContextTokens - r.Total
		r.Free = &free
	}
	return r
}

// LeftOut returns, by server, the tokens of the tools that the task may have but has not
// attached. It omits servers whose tools are all attached.
func (v *reporting) LeftOut(t *Task) map[string]int {
	left := map[string]int{}
	for i := range v.Catalog.Tools {
		if v.admits(t, i) {
			left[v.Catalog.Tools[i].ID.Server] += v.Catalog.Tools[i].Tokens
		}
	}
	for i := range t.Attached {
		if tool, ok := v.Catalog.Lookup(t.Attached[i].ID); ok && v.admits(t, tool) {
			left[t.Attached[i].ID.Server] -= v.Catalog.Tools[tool].Tokens
		}
	}
	maps.DeleteFunc(left, func(_ string, tokens int) bool { return tokens == 0 })
	return left
}

// isHost reports whether a section is for the host's own tools.
func (v *reporting) isHost(s protocol.UsageSection) bool {
	return slices.ContainsFunc(v.Catalog.Servers, func(server Server) bool { return server.BuiltIn && server.Name == s.Name })
}

// metaSection counts Winnow's own tools, including the names of other tools in them.
func (v *reporting) metaSection(t *Task, meta []protocol.MetaTool) protocol.UsageSection {
	s := protocol.UsageSection{Name: sectionMeta, Tokens: v.metaTokens(meta)}
	if t.names() == "" {
		return s
	}
	bare := *t
	bare.Named = nil
	names := s.Tokens - v.metaTokens(v.MetaTools(&bare))
	s.Children = []protocol.UsageSection{
		{Name: sectionOwn, Tokens: s.Tokens - names},
		{Name: sectionNamed, Tokens: names},
	}
	return s
}

// summed returns a section whose tokens are the sum of its children, if it has any. What
// the host counted beyond its children becomes one more child, so that no tokens are
// lost.
func summed(s protocol.UsageSection) protocol.UsageSection {
	if len(s.Children) == 0 {
		return s
	}
	total := 0
	s.Children = slices.Clone(s.Children)
	for i := range s.Children {
		s.Children[i] = summed(s.Children[i])
		total += s.Children[i].Tokens
	}
	if rest := s.Tokens - total; rest > 0 {
		s.Children = append(s.Children, protocol.UsageSection{Name: sectionOther, Tokens: rest})
		return s
	}
	s.Tokens = total
	return s
}

// perServer returns a section for each server with its tools, both most expensive first.
func perServer(attached []Attached) []protocol.UsageSection {
	place := map[string]int{}
	var servers []protocol.UsageSection
	for _, a := range attached {
		i, ok := place[a.ID.Server]
		if !ok {
			i = len(servers)
			place[a.ID.Server] = i
			servers = append(servers, protocol.UsageSection{Name: a.ID.Server})
		}
		servers[i].Tokens += a.Tokens
		servers[i].Children = append(servers[i].Children, protocol.UsageSection{Name: a.Name, Tokens: a.Tokens})
	}
	for i := range servers {
		sortByCost(servers[i].Children)
	}
	sortByCost(servers)
	return servers
}

func sortByCost(sections []protocol.UsageSection) {
	slices.SortFunc(sections, func(a, b protocol.UsageSection) int {
		return cmp.Or(b.Tokens-a.Tokens, strings.Compare(a.Name, b.Name))
	})
}

// history lists what each turn attached.
func history(turn int, attached []Attached) []protocol.UsageTurn {
	turns := make([]protocol.UsageTurn, turn)
	for i := range turns {
		turns[i].Turn = i + 1
	}
	for _, a := range attached {
		if a.Turn >= 1 && a.Turn <= len(turns) {
			turns[a.Turn-1].Added++
			turns[a.Turn-1].Tokens += a.Tokens
		}
	}
	return turns
}
