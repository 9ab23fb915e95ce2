package config

import (
	"fmt"
	"maps"
	"slices"
)

// MaxServers bounds how many servers a configuration has. Each costs some 15 kB
// of memory before it is started; nobody was seen to define a tenth of them.
const MaxServers = 1000

// MergeOptions is what the user decided outside of the files.
type MergeOptions struct {
	// Trusted says whether the workspace is trusted. Policy and modes of one
	// that is not take second place to the user's own.
	Trusted bool
	// Consent answers for a file of another client; nil stands for Unasked.
	Consent func(path string) Consent
}

// Merge makes one configuration of all files, which are in order of
// precedence.
//
// The first definition of a name wins, whatever it waits for: what a name
// means does not depend on trust or consent. Entries with neither command nor
// url add their policy to it: field by field, an earlier file wins, so that an
// entry before the definition overrides it, and one after it fills in what it
// leaves open.
func Merge(files []File, o MergeOptions) Config {
	m := &merger{options: o, names: map[string]*named{}}
	for _, f := range files {
		m.config.Inputs = append(m.config.Inputs, f.Inputs...)
		m.config.Endpoints = append(m.config.Endpoints, f.Endpoints...)
		m.problems(f.Problems)
		for _, e := range f.Entries {
			m.entry(e)
		}
	}
	m.modes(files)
	m.finish()
	return m.config
}

// merger collects entries by name.
type merger struct {
	options MergeOptions
	config  Config
	names   map[string]*named
	// defined and other are the names in the order of their definition, and in
	// the order of their first policy.
	defined, other []*named
	// refused are the definitions above the limit.
	refused []Origin
}

// named is all that the files say about one name.
type named struct {
	// definition is the index of the winner in layers, or -1.
	definition int
	layers     []Entry
}

// entry files one entry, which is weaker than all before it.
func (m *merger) entry(e Entry) {
	if !e.DefinesServer() {
		m.policy(e)
		return
	}
	if n := m.names[e.Name]; len(m.defined) == MaxServers && (n == nil || n.definition < 0) {
		m.refused = append(m.refused, e.Origin)
		return
	}
	n := m.named(e.Name)
	if n.definition >= 0 {
		m.config.Shadowed = append(m.config.Shadowed, Shadowed{e.Name, e.Origin, n.layers[n.definition].Origin})
		return
	}
	n.definition = len(n.layers)
	n.layers = append(n.layers, e)
	m.defined = append(m.defined, n)
}

// policy files an entry with neither command nor url. That of a workspace that
// is not trusted does not count: it could rewrite what the model reads about
// the user's own servers.
func (m *merger) policy(e Entry) {
	if e.Origin.Source.Scope == Workspace && !m.options.Trusted {
		return
	}
	n := m.named(e.Name)
	n.layers = append(n.layers, e)
	if len(n.layers) == 1 {
		m.other = append(m.other, n)
	}
}

func (m *merger) named(name string) *named {
	n := m.names[name]
	if n == nil {
		n = &named{definition: -1}
		m.names[name] = n
	}
	return n
}

// finish makes servers of the names.
func (m *merger) finish() {
	for _, n := range m.defined {
		m.config.Servers = append(m.config.Servers, m.server(n))
	}
	for _, n := range m.other {
		if n.definition < 0 {
			m.config.Policies = append(m.config.Policies, policyOf(n.layers))
		}
	}
	if len(m.refused) > 0 {
		first := m.refused[0]
		m.config.Problems = append(m.config.Problems, Problem{
			Path: first.Source.Path, Line: first.Line, Column: first.Column, Severity: Error,
			Message: fmt.Sprintf("more than %d servers are defined, from here on %d are not used", MaxServers, len(m.refused)),
			Hint:    "remove those that nobody needs",
		})
	}
}

func (m *merger) server(n *named) Server {
	definition := n.layers[n.definition]
	s := policyOf(n.layers)
	s.Origin = definition.Origin
	s.Definition = definition.Definition
	s.Invalid = definition.Invalid
	s.Hold = m.hold(definition.Origin.Source)
	return s
}

// policyOf merges the layers of one name, of which there is at least one.
func policyOf(layers []Entry) Server {
	s := Server{Name: layers[0].Name, Origin: layers[0].Origin, Layers: layers}
	for _, e := range layers {
		s.Policy = s.Policy.over(e.Policy)
	}
	return s
}

// hold says what servers of a source wait for. Trust is asked for first.
func (m *merger) hold(s Source) Hold {
	if s.Scope == Workspace && !m.options.Trusted {
		return HoldTrust
	}
	if !s.NeedsConsent() {
		return ""
	}
	consent := Unasked
	if m.options.Consent != nil {
		consent = m.options.Consent(s.Path)
	}
	switch consent {
	case Allowed:
		return ""
	case Denied:
		return HoldDeclined
	default:
		return HoldConsent
	}
}

// problems adds those that are not there yet: ~/.claude.json is read once for
// every folder.
func (m *merger) problems(list []Problem) {
	for _, p := range list {
		if !slices.Contains(m.config.Problems, p) {
			m.config.Problems = append(m.config.Problems, p)
		}
	}
}

// modes takes the first mode of each slug. A workspace that is not trusted
// cannot replace a mode of the user's by one that allows more.
func (m *merger) modes(files []File) {
	if !m.options.Trusted {
		files = slices.Clone(files)
		slices.SortStableFunc(files, func(a, b File) int { return scopeRank(a) - scopeRank(b) })
	}
	for _, f := range files {
		for _, mode := range f.Modes {
			if _, taken := m.config.Mode(mode.Slug); !taken {
				m.config.Modes = append(m.config.Modes, mode)
			}
		}
	}
}

// scopeRank puts the user's files first.
func scopeRank(f File) int {
	if f.Source.Scope == User {
		return 0
	}
	return 1
}

// over returns p with what it does not say taken from the weaker q.
func (p Policy) over(q Policy) Policy {
	if p.Disabled == nil {
		p.Disabled = q.Disabled
	}
	if p.Timeout == 0 {
		p.Timeout = q.Timeout
	}
	if p.OnlyAllow == nil {
		p.OnlyAllow = q.OnlyAllow
	}
	if p.DisabledTools == nil {
		p.DisabledTools = q.DisabledTools
	}
	if p.AlwaysLoad == nil {
		p.AlwaysLoad = q.AlwaysLoad
	}
	if p.AlwaysAllow == nil {
		p.AlwaysAllow = q.AlwaysAllow
	}
	p.DescriptionOverrides = union(p.DescriptionOverrides, q.DescriptionOverrides)
	return p
}

// union returns the entries of both, those of strong where both have one.
func union(strong, weak map[string]string) map[string]string {
	if len(weak) == 0 {
		return strong
	}
	all := maps.Clone(weak)
	maps.Copy(all, strong)
	return all
}

// UnmatchedPolicies reports the entries that change nothing, because neither a
// file nor the host has a server of that name.
func (c Config) UnmatchedPolicies(hostServers []string) []Problem {
	known := slices.Clone(hostServers)
	for _, s := range c.Servers {
		known = append(known, s.Name)
	}
	var problems []Problem
	for _, p := range c.Policies {
		if slices.Contains(hostServers, p.Name) {
			continue
		}
		hint := `add "command" or "url", or correct the name`
		if name := suggest(p.Name, known); name != "" {
			hint = fmt.Sprintf("did you mean %q?", name)
		}
		problems = append(problems, Problem{
			Path: p.Origin.Source.Path, Line: p.Origin.Line, Column: p.Origin.Column, Severity: Warning, Server: p.Name,
			Message: fmt.Sprintf("no file defines the server %q, so its entry has no effect", p.Name), Hint: hint,
		})
	}
	return problems
}

// MisspelledModes reports the servers that a mode's lists name by a slip of the
// keyboard. A name that is like no other is left alone: its server may be one
// that the host has yet to start.
func (c Config) MisspelledModes(hostServers []string) []Problem {
	known := slices.Clone(hostServers)
	for _, s := range c.Servers {
		known = append(known, s.Name)
	}
	for _, p := range c.Policies {
		known = append(known, p.Name)
	}
	var problems []Problem
	for _, m := range c.Modes {
		named := slices.Clone(m.Blocked)
		if m.Allowed != nil {
			named = append(named, *m.Allowed...)
		}
		for _, name := range named {
			meant := suggest(name, known)
			if meant == "" || slices.Contains(known, name) {
				continue
			}
			problems = append(problems, Problem{
				Path: m.Origin.Source.Path, Line: m.Origin.Line, Column: m.Origin.Column, Severity: Warning,
				Message: fmt.Sprintf("mode %q names the server %q, and there is none", m.Slug, name),
				Hint:    fmt.Sprintf("did you mean %q?", meant),
			})
		}
	}
	return problems
}
