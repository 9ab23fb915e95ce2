package router

import (
	"cmp"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// Mode is the policy of one of the user's modes. The zero value admits every
// server.
type Mode struct {
	Slug string
	// Allowed, when not nil, names the only servers of the mode; empty means
	// none. It wins over Blocked.
	Allowed *[]string
	Blocked []string
	// NoMCP: the mode's groups leave MCP out.
	NoMCP bool
}

// Scope says which tools of a catalogue the rules admit.
type Scope struct {
	// in holds, for each tool, whether it is admitted.
	in []bool
	// Count and Tokens sum over the admitted tools.
	Count  int
	Tokens int
}

// NewScope applies the servers' policies and the mode's.
func NewScope(c *Catalog, mode *Mode) *Scope {
	s := &Scope{in: make([]bool, len(c.Tools))}
	for i := range c.Servers {
		server := &c.Servers[i]
		if server.Policy.excludesServer(server.Name) != none || mode.excludes(server.Name) != none {
			continue
		}
		for t := server.First; t < server.End; t++ {
			if server.Policy.excludes(server.Name, c.Tools[t].ID.Tool) == none {
				s.in[t] = true
				s.Count++
				s.Tokens += c.Tools[t].Tokens
			}
		}
	}
	return s
}

// Admits reports whether a tool is in scope.
func (s *Scope) Admits(tool int) bool { return s.in[tool] }

// none is what keeps nothing out.
var none protocol.Exclusion

// Excluded returns what keeps a tool out of scope.
func Excluded(c *Catalog, mode *Mode, tool int) protocol.Exclusion {
	t := &c.Tools[tool]
	server := &c.Servers[t.Server]
	return cmp.Or(
		server.Policy.excludesServer(server.Name), server.Policy.excludes(server.Name, t.ID.Tool), mode.excludes(server.Name),
	)
}

// ExcludesServer returns what keeps a server out with all that it offers. A nil
// mode keeps nothing out.
func (m *Mode) ExcludesServer(p Policy, server string) protocol.Exclusion {
	return cmp.Or(p.excludesServer(server), m.excludes(server))
}

// excludesServer returns what keeps out all that a server offers.
func (p *Policy) excludesServer(server string) protocol.Exclusion {
	if p.Disabled {
		return protocol.Exclusion{Kind: protocol.ExcludedByServer, Owner: server, Key: "disabled"}
	}
	return none
}

// excludes returns what keeps a tool out: onlyAllow when it names anything,
// else disabledTools.
func (p *Policy) excludes(server, tool string) protocol.Exclusion {
	x := protocol.Exclusion{Kind: protocol.ExcludedByTool, Owner: server}
	switch {
	case len(p.OnlyAllow) > 0:
		if !slices.Contains(p.OnlyAllow, tool) {
			x.Key = "onlyAllow"
			return x
		}
	case slices.Contains(p.DisabledTools, tool):
		x.Key = "disabledTools"
		return x
	}
	return none
}

// excludes returns what keeps a server out: the mode's groups, its
// allowedMcpServers when set, else its blockedMcpServers. A nil mode keeps
// nothing out.
func (m *Mode) excludes(server string) protocol.Exclusion {
	if m == nil {
		return none
	}
	x := protocol.Exclusion{Kind: protocol.ExcludedByMode, Owner: m.Slug}
	switch {
	case m.NoMCP:
		x.Key = "groups"
		return x
	case m.Allowed != nil:
		if !slices.Contains(*m.Allowed, server) {
			x.Key = "allowedMcpServers"
			return x
		}
	case slices.Contains(m.Blocked, server):
		x.Key = "blockedMcpServers"
		return x
	}
	return none
}
