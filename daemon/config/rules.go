package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// Rules is the part of an entry's policy that needs the user's consent, as displayed and
// compared.
type Rules struct {
	// Hash identifies it, in hexadecimal; "" if nothing needs consent.
	Hash  string
	Parts []Part
}

// RulesOf returns the rules of an entry that need consent: those that let a tool run
// unasked, give a text to models, or attach tools from the start. In another client's
// file, all rules of a server that the file does not define need it. The user's own file
// needs none.
func RulesOf(e Entry) Rules {
	var b startBuilder
	if !e.Origin.Source.NeedsConsent() {
		return Rules{}
	}
	p := e.Policy
	all := !e.DefinesServer() && e.Origin.Source.Dialect != Winnow
	for _, key := range policyKeys() {
		if all || protocol.Rules()["servers."+key] == protocol.RuleGrant {
			b.rule(key, p)
		}
	}
	if len(b.parts) == 0 {
		return Rules{}
	}
	if !e.DefinesServer() {
		// Consent to the rules of an entry's own server does not apply to another's.
		b.pairs = append(b.pairs, [2]string{"of", "another entry's server"})
	}
	return Rules{Hash: b.start().Hash, Parts: b.parts}
}

// Whole returns the start of an entry together with its rules.
func Whole(start Start, rules Rules) Start {
	switch {
	case rules.Hash == "":
		return start
	case start.Hash == "":
		return Start{Hash: rules.Hash, Parts: rules.Parts}
	}
	return Start{Hash: sum(start.Hash + rules.Hash), Parts: slices.Concat(start.Parts, rules.Parts)}
}

// rule adds the value of a policy's key. It omits what grants nothing.
func (b *startBuilder) rule(key string, p Policy) {
	switch key {
	case "disabled":
		if p.Disabled != nil {
			b.add(key, fmt.Sprint(*p.Disabled), "")
		}
	case "timeout":
		if p.Timeout != 0 {
			b.add(key, p.Timeout.String(), "")
		}
	case "onlyAllow":
		b.names(key, p.OnlyAllow, "")
	case "disabledTools":
		b.names(key, p.DisabledTools, "")
	case "toolDescriptionOverrides":
		for _, tool := range slices.Sorted(maps.Keys(p.DescriptionOverrides)) {
			b.add(key+"."+tool, p.DescriptionOverrides[tool], "")
		}
	case "alwaysLoad":
		if p.AlwaysLoad != nil && p.AlwaysLoad.All {
			b.add(key, "every tool is attached from the start", "")
		} else if p.AlwaysLoad != nil {
			b.names(key, p.AlwaysLoad.Tools, " (attached from the start)")
		}
	case "alwaysAllow":
		if slices.Contains(p.AlwaysAllow, "*") {
			b.add(key, "* (every tool runs without a question)", "")
		} else {
			b.names(key, p.AlwaysAllow, " (run without a question)")
		}
	}
}

func (b *startBuilder) names(key string, names []string, meaning string) {
	if len(names) > 0 {
		b.add(key, words(names)+meaning, encoded(names))
	}
}

// within reports whether q grants everything that p grants.
func (p Policy) within(q Policy) bool {
	for tool, text := range p.DescriptionOverrides {
		if said, ok := q.DescriptionOverrides[tool]; !ok || said != text {
			return false
		}
	}
	if load := p.AlwaysLoad; load != nil && (load.All || len(load.Tools) > 0) && (q.AlwaysLoad == nil || !q.AlwaysLoad.All) {
		if load.All || q.AlwaysLoad == nil || !subset(load.Tools, q.AlwaysLoad.Tools) {
			return false
		}
	}
	return slices.Contains(q.AlwaysAllow, "*") || subset(p.AlwaysAllow, q.AlwaysAllow)
}

func subset(names, of []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(of, name) })
}

// limits returns p without its grants.
func (p Policy) limits() Policy {
	p.DescriptionOverrides, p.AlwaysLoad, p.AlwaysAllow = nil, nil, nil
	return p
}

// ToolRule says which tools of a server are in scope: those of OnlyAllow if not empty,
// else all except DisabledTools.
type ToolRule struct{ OnlyAllow, DisabledTools []string }

func (r ToolRule) limits() bool { return len(r.OnlyAllow) > 0 || len(r.DisabledTools) > 0 }

// admits reports whether the rule admits a tool.
func (r ToolRule) admits(t toolName) bool {
	if len(r.OnlyAllow) > 0 {
		return t.in(r.OnlyAllow)
	}
	return !t.in(r.DisabledTools)
}

func (p Policy) toolRule() ToolRule { return ToolRule{p.OnlyAllow, p.DisabledTools} }

// under returns the project's policy within the user's. Limits add up, and the project's
// grants precede the user's. The project's policy must hold only what the user has
// consented to.
func (p Policy) under(user, clients Policy) Policy {
	rules := append(p.toolRules(), user.toolRule())
	for _, theirs := range clients.toolRules() {
		if user.OnlyAllow != nil {
			theirs.OnlyAllow = nil
		}
		if user.DisabledTools != nil {
			theirs.DisabledTools = nil
		}
		rules = append(rules, theirs)
	}
	users := user.over(clients)
	all := p.over(users)
	all.Disabled = either(p.Disabled, users.Disabled)
	if users.Timeout != 0 {
		all.Timeout = min(all.Timeout, users.Timeout)
	}
	return all.withToolRules(rules)
}

// and returns p with unset fields taken from the weaker q, and with the limits of both.
func (p Policy) and(q Policy) Policy {
	all := p.over(q)
	all.Disabled = either(p.Disabled, q.Disabled)
	if q.Timeout != 0 {
		all.Timeout = min(all.Timeout, q.Timeout)
	}
	return all.withToolRules(append(p.toolRules(), q.toolRules()...))
}

// toolRules returns all rules of a policy on which tools are in scope.
func (p Policy) toolRules() []ToolRule {
	return append([]ToolRule{p.toolRule()}, p.Further...)
}

// withToolRules returns p with those of the rules that limit, instead of its own.
func (p Policy) withToolRules(rules []ToolRule) Policy {
	limiting := slices.DeleteFunc(rules, func(r ToolRule) bool { return !r.limits() })
	if len(limiting) > 0 {
		p.OnlyAllow, p.DisabledTools = limiting[0].OnlyAllow, limiting[0].DisabledTools
		p.Further = limiting[1:]
	}
	return p
}

// either returns true if one of both is true, and nil if neither is set.
func either(a, b *bool) *bool {
	if a == nil || b != nil && *b {
		return b
	}
	return a
}

// limitedBy returns a project's mode with the limits of the user's mode of that slug.
func (m Mode) limitedBy(user Mode) Mode {
	m.User = &user
	m.NoTools = m.NoTools || user.NoTools
	var allowed []string
	switch {
	case user.Allowed == nil && m.Allowed == nil:
		m.Blocked = append(slices.Clip(m.Blocked), user.Blocked...)
		return m
	case m.Allowed == nil:
		allowed = without(*user.Allowed, m.Blocked)
	case user.Allowed == nil:
		allowed = without(*m.Allowed, user.Blocked)
	default:
		allowed = slices.DeleteFunc(slices.Clone(*m.Allowed), func(name string) bool { return !slices.Contains(*user.Allowed, name) })
	}
	m.Allowed, m.Blocked = &allowed, nil
	return m
}

func without(names, gone []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(gone, name) })
}

// Obstacle is what prevents a switch from taking effect: a conflicting entry in another
// file, or an entry that waits for consent.
type Obstacle struct {
	Origin Origin
	// Key is the conflicting key; "" if the entry's rules wait for the user.
	Key string
}

// ForbidsServer returns what disables the server.
func (s Server) ForbidsServer() (Obstacle, bool) {
	return s.obstacle("disabled", func(p Policy) bool { return s.Disabled() && p.Disabled != nil && *p.Disabled })
}

// ForbidsTool returns what keeps a tool out of scope.
func (s Server) ForbidsTool(tool string) (Obstacle, bool) {
	t := s.tool(tool)
	for _, r := range s.Policy.toolRules() {
		switch {
		case r.admits(t):
		case len(r.OnlyAllow) > 0:
			return s.obstacle("onlyAllow", func(p Policy) bool { return slices.Equal(p.OnlyAllow, r.OnlyAllow) })
		default:
			return s.obstacle("disabledTools", func(p Policy) bool { return slices.Equal(p.DisabledTools, r.DisabledTools) })
		}
	}
	return Obstacle{}, false
}

// WithholdsFrom returns the entry of a file whose rules wait for the user's consent.
func (s Server) WithholdsFrom(file string) (Obstacle, bool) {
	i := slices.IndexFunc(s.Withheld, func(e Entry) bool { return e.Origin.Source.Path == file })
	if i < 0 {
		return Obstacle{}, false
	}
	return Obstacle{Origin: s.Withheld[i].Origin}, true
}

func (s Server) obstacle(key string, has func(Policy) bool) (Obstacle, bool) {
	i := slices.IndexFunc(s.Layers, func(e Entry) bool { return has(e.Policy) })
	if i < 0 {
		return Obstacle{}, false
	}
	return Obstacle{Origin: s.Layers[i].Origin, Key: key}, true
}

// Blocks returns what blocks a server in the mode besides the mode's own file.
func (m Mode) Blocks(server string) (Obstacle, bool) {
	switch u := m.User; {
	case u == nil:
	case u.NoTools:
		return Obstacle{u.Origin, "groups"}, true
	case u.Allowed != nil && !slices.Contains(*u.Allowed, server):
		return Obstacle{u.Origin, "allowedMcpServers"}, true
	case u.Allowed == nil && slices.Contains(u.Blocked, server):
		return Obstacle{u.Origin, "blockedMcpServers"}, true
	}
	return Obstacle{}, false
}
