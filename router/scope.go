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
	// Allowed, if not nil, holds the mode's only servers; empty means none. It overrides
	// Blocked.
	Allowed *[]string
	Blocked []string
	// NoMCP reports that the mode's groups exclude MCP.
	NoMCP bool
	// Class defines what exists for the mode's users; nil means everything.
	Class *Class
}

// Class defines what exists for some users. For the rest they get the same answer as for
// an unknown name. Its functions must be pure.
type Class struct {
	// Tool reports whether a tool exists. Server reports whether a server without a known
	// tool exists.
	Tool   func(*Tool) bool
	Server func(name string) bool
}

// hidesServer reports whether a server without a known tool does not exist for the mode's
// users.
func (m *Mode) hidesServer(name string) bool {
	return m != nil && m.Class != nil && !m.Class.Server(name)
}

// Scope says which tools of a catalogue the rules admit.
type Scope struct {
	// in holds by tool ordinal whether the tool is admitted.
	in []bool
	// hidden holds by tool ordinal whether the tool does not exist for the user; nil
	// means none is hidden.
	hidden []bool
	// Count and Tokens are sums over the admitted tools.
	Count  int
	Tokens int
}

// NewScope applies the policies of the servers and the mode, and the lock on tools.
func NewScope(mode *Mode, c *Catalog) *Scope {
	s := &Scope{in: make([]bool, len(c.Tools))}
	if mode != nil && mode.Class != nil {
		s.hidden = make([]bool, len(c.Tools))
		for i := range c.Tools {
			s.hidden[i] = !mode.Class.Tool(&c.Tools[i])
		}
	}
	for i := range c.Servers {
		server := &c.Servers[i]
		if server.rule().Kind != "" || mode.serverRule(server).Kind != "" {
			continue
		}
		for t := server.First; t < server.End; t++ {
			if !s.Hides(t) && c.Tools[t].Lock.Held.Kind == "" && server.Policy.rule(server.Name, c.Tools[t].ID.Tool).Kind == "" {
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

// Hides reports whether a tool does not exist for the user of the scope.
func (s *Scope) Hides(tool int) bool { return s.hidden != nil && s.hidden[tool] }

// ToolRule returns the cause that keeps a tool of a catalogue out of scope, or the zero
// cause.
func (m *Mode) ToolRule(c *Catalog, tool int) protocol.Cause {
	t := &c.Tools[tool]
	server := &c.Servers[t.Server]
	return cmp.Or(server.rule(), server.Policy.rule(server.Name, t.ID.Tool), m.serverRule(server), t.Lock.Held)
}

// TakesAway counts the tools that the mode keeps out of a scope, and no other rule
// does before it.
func (m *Mode) TakesAway(c *Catalog, s *Scope) int {
	count := 0
	for i := range c.Servers {
		server := &c.Servers[i]
		if server.Own || server.rule().Kind != "" || m.serverRule(server).Kind == "" {
			continue
		}
		for t := server.First; t < server.End; t++ {
			if !s.Hides(t) && server.Policy.rule(server.Name, c.Tools[t].ID.Tool).Kind == "" {
				count++
			}
		}
	}
	return count
}

// ServerRule returns the cause that keeps a server and all its tools out, or the zero
// cause. A nil mode keeps nothing out.
func (m *Mode) ServerRule(p Policy, server string) protocol.Cause {
	return cmp.Or(p.serverRule(server), m.rule(server))
}

// NameRule returns the cause that keeps out a tool that a client calls name, or the zero
// cause. id.Tool is the server's name of it as the client writes it, possibly cut.
func (m *Mode) NameRule(p Policy, id ToolID, name string) protocol.Cause {
	p = p.Named(map[string]string{id.Tool: name})
	return cmp.Or(m.ServerRule(p, id.Server), p.rule(id.Server, name))
}

func (s *Server) rule() protocol.Cause {
	if rule := s.Policy.serverRule(s.Name); rule.Kind != "" || !s.Stopped {
		return rule
	}
	return protocol.Cause{Kind: protocol.CauseStopped, Owner: s.Name}
}

func (p *Policy) serverRule(server string) protocol.Cause {
	if p.Disabled {
		return protocol.Cause{Kind: protocol.CauseServer, Owner: server, Key: "disabled"}
	}
	return protocol.Cause{}
}

// rule returns the cause by which any of the rules keeps a tool out.
func (p *Policy) rule(server, tool string) protocol.Cause {
	key := (&ToolRule{p.OnlyAllow, p.DisabledTools}).rule(tool)
	for i := 0; key == "" && i < len(p.Further); i++ {
		key = p.Further[i].rule(tool)
	}
	if key == "" {
		return protocol.Cause{}
	}
	return protocol.Cause{Kind: protocol.CauseServer, Owner: server, Key: key}
}

// rule returns the key that keeps a tool out: onlyAllow if it is not empty, else
// disabledTools. It is empty if neither does.
func (r *ToolRule) rule(tool string) string {
	switch {
	case len(r.OnlyAllow) > 0:
		if !slices.Contains(r.OnlyAllow, tool) {
			return "onlyAllow"
		}
	case slices.Contains(r.DisabledTools, tool):
		return "disabledTools"
	}
	return ""
}

// serverRule is [Mode.rule] for a server of a catalogue. Modes do not apply to the host's
// built-in tools, which belong to no MCP server.
func (m *Mode) serverRule(s *Server) protocol.Cause {
	if s.BuiltIn {
		return protocol.Cause{}
	}
	return m.rule(s.Name)
}

// rule returns the cause that keeps a server out: the mode's groups, its
// allowedMcpServers if set, else its blockedMcpServers. A nil mode keeps nothing out.
func (m *Mode) rule(server string) protocol.Cause {
	key := ""
	switch {
	case m == nil:
	case m.NoMCP:
		key = "groups"
	case m.Allowed != nil:
		if !slices.Contains(*m.Allowed, server) {
			key = "allowedMcpServers"
		}
	case slices.Contains(m.Blocked, server):
		key = "blockedMcpServers"
	}
	if key == "" {
		return protocol.Cause{}
	}
	return protocol.Cause{Kind: protocol.CauseMode, Owner: m.Slug, Key: key}
}
