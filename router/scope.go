package router

import (
	"fmt"
	"slices"
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
		if server.rule() != "" || mode.rule(server.Name) != "" {
			continue
		}
		for t := server.First; t < server.End; t++ {
			if server.Policy.rule(server.Name, c.Tools[t].ID.Tool) == "" {
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

// Rule returns the rule that keeps a tool out of scope, as the user can find
// it; empty when none does.
func Rule(c *Catalog, mode *Mode, tool int) string {
	t := &c.Tools[tool]
	server := &c.Servers[t.Server]
	if rule := server.rule(); rule != "" {
		return rule
	}
	if rule := server.Policy.rule(server.Name, t.ID.Tool); rule != "" {
		return rule
	}
	return mode.rule(server.Name)
}

// ServerRule returns the rule that keeps a server out with all that it offers,
// as the user can find it; empty when none does. A nil mode keeps nothing out.
func (m *Mode) ServerRule(p Policy, server string) string {
	if rule := p.serverRule(server); rule != "" {
		return rule
	}
	return m.rule(server)
}

func (s *Server) rule() string { return s.Policy.serverRule(s.Name) }

func (p *Policy) serverRule(server string) string {
	if p.Disabled {
		return fmt.Sprintf("disabled of server %q", server)
	}
	return ""
}

// rule returns what keeps a tool out: onlyAllow when it names anything, else
// disabledTools.
func (p *Policy) rule(server, tool string) string {
	switch {
	case len(p.OnlyAllow) > 0:
		if !slices.Contains(p.OnlyAllow, tool) {
			return fmt.Sprintf("onlyAllow of server %q", server)
		}
	case slices.Contains(p.DisabledTools, tool):
		return fmt.Sprintf("disabledTools of server %q", server)
	}
	return ""
}

// rule returns what keeps a server out: the mode's groups, its
// allowedMcpServers when set, else its blockedMcpServers. A nil mode keeps
// nothing out.
func (m *Mode) rule(server string) string {
	switch {
	case m == nil:
		return ""
	case m.NoMCP:
		return fmt.Sprintf("groups of mode %q", m.Slug)
	case m.Allowed != nil:
		if !slices.Contains(*m.Allowed, server) {
			return fmt.Sprintf("allowedMcpServers of mode %q", m.Slug)
		}
	case slices.Contains(m.Blocked, server):
		return fmt.Sprintf("blockedMcpServers of mode %q", m.Slug)
	}
	return ""
}
