package config

import (
	"fmt"
	"maps"
	"slices"
)

// MaxServers limits the servers of a configuration. Each costs some 15 kB of memory
// before it starts; no known configuration has a tenth of that number.
const MaxServers = 1000

// MergeOptions holds the user's decisions outside of the files.
type MergeOptions struct {
	// Trusted reports whether the workspace is trusted. Nothing in the files of an
	// untrusted one applies.
	Trusted bool
	// Consent returns the user's answer about the start of an entry that defines a
	// server, for a source that needs consent; nil means Unasked.
	Consent func(e Entry) Consent
	// Rules returns the user's answer about an entry's rules, see [RulesOf]; nil means
	// Unasked.
	Rules func(e Entry) Consent
}

// Merge merges files, which must be in order of precedence.
//
// The first applicable definition of a name wins: one whose workspace is trusted and
// which the user has consented to, if needed. A definition that does not apply has no
// effect on others, and is listed only if no other of its name applies. Entries with
// neither command nor url add their policy. Limits add up, except for those of the user's
// files in other clients, which the user's own file may override. Of grants, the first
// file's apply, field by field, with the user's consent only: [protocol.Rules] has the
// rule of each key.
func Merge(files []File, o MergeOptions) Config {
	m := &merger{options: o, names: map[string]*named{}}
	for _, f := range files {
		m.problems(f.Problems)
		if m.file(f) {
			m.config.Inputs = append(m.config.Inputs, f.Inputs...)
			if f.Source.Scope == Workspace {
				m.config.Modes = withModes(m.config.Modes, f)
			} else {
				m.usersModes = withModes(m.usersModes, f)
			}
		}
		m.config.Endpoints = append(m.config.Endpoints, f.Endpoints...)
	}
	m.finish()
	return m.config
}

// merger collects entries by name.
type merger struct {
	options MergeOptions
	config  Config
	names   map[string]*named
	// ordered holds the names in the order of their first entries.
	ordered []*named
	count   int // of the layers of all names
	// usersModes holds those of the user's own files.
	usersModes []Mode
}

// named holds all entries of one name, strongest first.
type named struct{ layers []layer }

// layer is an entry that may contribute to its name.
type layer struct {
	Entry
	// order is the index among the layers of all names.
	order int
	// applies is false for an entry that waits for the user or is unusable; hold is what
	// it waits for.
	applies bool
	hold    Hold
	// rules is the user's answer about its rules: [Allowed] if all apply.
	rules Consent
}

// file adds the entries of a file, and reports whether the rest of the file applies.
func (m *merger) file(f File) bool {
	if f.Source.Scope == Workspace && !m.options.Trusted {
		for _, e := range f.Entries {
			if e.DefinesServer() {
				m.add(e, false, HoldTrust)
			}
		}
		return false
	}
	// The user accepts another client's file, with rules for other files' servers, by
	// consenting to one of its entries.
	applies := f.Source.Dialect == Winnow || f.Source.Dialect == RooModes
	var policies []Entry
	for _, e := range f.Entries {
		if !e.DefinesServer() {
			policies = append(policies, e)
			continue
		}
		agreed, hold := m.standing(e)
		m.add(e, agreed, hold)
		applies = applies || agreed
	}
	for _, e := range policies {
		agreed := f.Source.Dialect == Winnow || m.rules(e) == Allowed
		m.add(e, agreed, "")
		applies = applies || agreed
	}
	return applies
}

// rules returns the user's answer about the rules of an entry.
func (m *merger) rules(e Entry) Consent {
	switch {
	case RulesOf(e).Hash == "":
		return Allowed
	case m.options.Rules == nil:
		return Unasked
	}
	return m.options.Rules(e)
}

// standing returns whether an entry that defines a server applies, and what it waits for.
func (m *merger) standing(e Entry) (applies bool, hold Hold) {
	source := e.Origin.Source
	switch {
	case !source.NeedsConsent():
		return true, ""
	case e.Invalid != nil:
		// It cannot be consented to. In Winnow's own file it still holds its name, so
		// that no server with fewer limits replaces it.
		return source.OfWorkspacesOwn(), ""
	case m.options.Consent == nil:
		return false, HoldConsent
	}
	switch m.options.Consent(e) {
	case Allowed:
		return true, ""
	case Changed:
		return false, HoldChanged
	case Denied:
		return false, HoldDeclined
	default:
		return false, HoldConsent
	}
}

// add adds an entry that is weaker than all before it.
func (m *merger) add(e Entry, applies bool, hold Hold) {
	n := m.names[e.Name]
	if n == nil {
		n = &named{}
		m.names[e.Name] = n
		m.ordered = append(m.ordered, n)
	}
	m.count++
	l := layer{Entry: e, order: m.count, applies: applies, hold: hold}
	if hold != HoldTrust {
		l.rules = m.rules(e)
	}
	n.layers = append(n.layers, l)
}

// definition returns the index of the layer that defines the server: the first that
// applies, or else the first that the user has not declined, or -1.
func (n *named) definition() int {
	best := -1
	for i, l := range n.layers {
		switch {
		case !l.DefinesServer():
		case l.applies:
			return i
		case best < 0, n.layers[best].hold == HoldDeclined && l.hold != HoldDeclined:
			best = i
		}
	}
	return best
}

// finish builds the servers.
func (m *merger) finish() {
	placed := map[string]int{} // servers by the order of their definitions
	for _, n := range m.ordered {
		at := n.definition()
		if at < 0 {
			policy := n.server(-1)
			if len(policy.Layers) > 0 {
				m.config.Policies = append(m.config.Policies, policy)
			}
			m.config.Waiting = append(m.config.Waiting, n.waitingRules(policy, -1)...)
			continue
		}
		definition := n.layers[at]
		placed[definition.Name] = definition.order
		server := n.server(at)
		m.config.Servers = append(m.config.Servers, server)
		for i, l := range n.layers {
			if i != at && l.DefinesServer() {
				m.config.Shadowed = append(m.config.Shadowed, Shadowed{l.Name, l.Origin, definition.Origin})
			}
		}
		if l, ok := n.waiting(at); ok {
			m.config.Waiting = append(m.config.Waiting, Waiting{Entry: l.Entry, Hold: l.hold})
		}
		m.config.Waiting = append(m.config.Waiting, n.waitingRules(server, at)...)
	}
	m.config.Modes = limitedModes(m.config.Modes, m.usersModes)
	slices.SortFunc(m.config.Servers, func(a, b Server) int { return placed[a.Name] - placed[b.Name] })
	m.limit()
}

// limit drops the servers above the limit: first those that wait for the user, so that
// they take no places, then the weakest.
func (m *merger) limit() {
	over := len(m.config.Servers) - MaxServers
	if over <= 0 {
		return
	}
	var refused []Server
	for _, held := range []bool{true, false} {
		for i := len(m.config.Servers) - 1; i >= 0 && len(refused) < over; i-- {
			if s := m.config.Servers[i]; (s.Hold != "") == held {
				refused = append(refused, s)
				m.config.Servers = slices.Delete(m.config.Servers, i, i+1)
			}
		}
	}
	m.config.Waiting = slices.DeleteFunc(m.config.Waiting, func(w Waiting) bool {
		return slices.ContainsFunc(refused, func(s Server) bool { return s.Origin == w.Origin })
	})
	first := refused[len(refused)-1].Origin
	m.config.Problems = append(m.config.Problems, Problem{
		Path: first.Source.Path, Line: first.Line, Column: first.Column, Severity: Error,
		Message: fmt.Sprintf("more than %d servers are defined, from here on %d are not used", MaxServers, over),
		Hint:    "remove those that nobody needs",
	})
}

// server builds a server from the layer at index at, which defines it; -1 means none
// does.
func (n *named) server(at int) Server {
	var s Server
	layers := n.counting(at)
	var project, user, clients Policy
	for _, l := range layers {
		if l.usersOwn() {
			user = user.over(l.said(at >= 0 && l.order != n.layers[at].order))
		}
	}
	for i, l := range layers {
		if i == 0 {
			s.Name, s.Origin = l.Name, l.Origin
		}
		s.Layers = append(s.Layers, l.Entry)
		p := l.Policy
		if l.applies && l.rules != Allowed && !p.within(user) {
			s.Withheld = append(s.Withheld, l.Entry)
			p = p.limits()
		}
		switch source := l.Origin.Source; {
		case !l.applies, l.usersOwn():
		case source.Scope == Workspace:
			project = project.and(p)
		default:
			clients = clients.and(p)
		}
	}
	s.Policy = project.under(user, clients)
	if at < 0 {
		return s
	}
	definition := n.layers[at]
	s.Name = definition.Name
	s.Origin = definition.Origin
	s.Definition = definition.Definition
	s.Invalid = definition.Invalid
	s.Hold = definition.hold
	return s
}

func (l layer) usersOwn() bool { return !l.Origin.Source.NeedsConsent() }

// said returns the policy of a layer. Grants in the user's own file to a server that it
// defines do not apply to another server of that name.
func (l layer) said(shadowed bool) Policy {
	if shadowed && l.DefinesServer() {
		return l.Policy.limits()
	}
	return l.Policy
}

// counting returns the layers that contribute to the server's policy: that of the
// definition, those without a definition that apply, and those of the user's own file.
func (n *named) counting(definition int) []layer {
	var layers []layer
	for i, l := range n.layers {
		if i == definition || l.applies && (!l.DefinesServer() || l.usersOwn()) {
			layers = append(layers, l)
		}
	}
	return layers
}

// waitingRules returns the layers whose rules need the user's consent: withheld ones, and
// those of another client's file for a server that it does not define.
func (n *named) waitingRules(s Server, definition int) []Waiting {
	var waiting []Waiting
	for i, l := range n.layers {
		withheld := slices.ContainsFunc(s.Withheld, func(e Entry) bool { return e.Origin == l.Origin })
		if !withheld && (l.DefinesServer() || l.applies || l.rules == Allowed) || i == definition && l.hold != "" || l.Invalid != nil {
			continue
		}
		hold := HoldConsent
		switch l.rules {
		case Changed:
			hold = HoldChanged
		case Denied:
			hold = HoldDeclined
		}
		waiting = append(waiting, Waiting{Entry: l.Entry, Hold: hold, Rules: true})
	}
	return waiting
}

// waiting returns the layer that needs the user's consent: that of a definition that
// waits, or one that would precede the definition.
func (n *named) waiting(definition int) (layer, bool) {
	for i, l := range n.layers[:definition+1] {
		off := l.Policy.Disabled != nil && *l.Policy.Disabled
		switch {
		case !l.DefinesServer(), off, l.Invalid != nil:
		case l.hold == HoldConsent, l.hold == HoldChanged, l.hold == HoldDeclined && i == definition:
			return l, true
		}
	}
	return layer{}, false
}

// problems adds new problems. Duplicates occur because ~/.claude.json is read once per
// folder.
func (m *merger) problems(list []Problem) {
	for _, p := range list {
		if !slices.Contains(m.config.Problems, p) {
			m.config.Problems = append(m.config.Problems, p)
		}
	}
}

// withModes adds the modes of a file. The first mode of a slug wins.
func withModes(modes []Mode, f File) []Mode {
	for _, mode := range f.Modes {
		if !slices.ContainsFunc(modes, func(m Mode) bool { return m.Slug == mode.Slug }) {
			modes = append(modes, mode)
		}
	}
	return modes
}

// limitedModes returns the modes of the project, each with the limits of the user's mode
// of that slug, and the user's other modes.
func limitedModes(project, users []Mode) []Mode {
	for _, user := range users {
		i := slices.IndexFunc(project, func(m Mode) bool { return m.Slug == user.Slug })
		if i < 0 {
			project = append(project, user)
			continue
		}
		project[i] = project[i].limitedBy(user)
	}
	return project
}

// over returns p with unset fields taken from the weaker q.
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

// union returns the entries of both; strong wins.
func union[V any](strong, weak map[string]V) map[string]V {
	if len(weak) == 0 {
		return strong
	}
	all := maps.Clone(weak)
	maps.Copy(all, strong)
	return all
}

// UnmatchedPolicies reports the entries without effect, because neither a file nor the
// host has a server of that name.
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

// MisspelledModes reports the unknown servers in modes' lists.
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
			if slices.Contains(known, name) {
				continue
			}
			hint := "add the server, or remove the name"
			if meant := suggest(name, known); meant != "" {
				hint = fmt.Sprintf("did you mean %q?", meant)
			}
			problems = append(problems, Problem{
				Path: m.Origin.Source.Path, Line: m.Origin.Line, Column: m.Origin.Column, Severity: Warning,
				Message: fmt.Sprintf("mode %q names the server %q, and there is none", m.Slug, name),
				Hint:    hint,
			})
		}
	}
	return problems
}
