package config

import "slices"

// Server is one server after all files are merged. It is immutable.
type Server struct {
	Name string
	// Origin is where the definition is.
	Origin Origin
	// Definition is unexpanded.
	Definition Definition
	// Policy is made of all Layers, field by field.
	Policy Policy
	// Layers are the entries that make the policy, the strongest first. One of
	// them is the definition's own.
	Layers []Entry
	// Withheld are the layers of which only the limits count, until the user has
	// agreed to their rules.
	Withheld []Entry
	// Hold says what the server waits for before it may start; empty for
	// nothing.
	Hold Hold
	// Invalid says why the definition cannot be used; nil when it can.
	Invalid *Problem
	// hostNames is for edits; see WithHostNames.
	hostNames map[string]string
}

// Hold is what a server waits for before it may start.
type Hold string

// The values of [Hold].
const (
	// HoldTrust: the file is part of a workspace that is not trusted.
	HoldTrust Hold = "trust"
	// HoldConsent: the user was not asked yet about the entry, which is in
	// Origin.Source.Path.
	HoldConsent Hold = "consent"
	// HoldChanged: the user has agreed to something else under this name.
	HoldChanged Hold = "changed"
	// HoldDeclined: the user was asked, and said no.
	HoldDeclined Hold = "declined"
)

// Disabled reports whether the user switched the server off.
func (s Server) Disabled() bool { return s.Policy.Disabled != nil && *s.Policy.Disabled }

// Grants reports whether what one of the layers grants counts: nobody has to agree
// to it any more, and it is not for another server of the name.
func (s Server) Grants(e Entry) bool {
	withheld := slices.ContainsFunc(s.Withheld, func(w Entry) bool { return w.Origin == e.Origin })
	return !withheld && (!e.DefinesServer() || e.Origin == s.Origin)
}

// Shadowed is a definition that another one of the same name wins over.
type Shadowed struct {
	Name string
	// Origin is where it is, By where the winner is.
	Origin, By Origin
}

// Waiting is an entry about which the user is to be asked, or has said no.
type Waiting struct {
	Entry
	// Hold is HoldConsent, HoldChanged or HoldDeclined.
	Hold Hold
	// Rules: it is about the entry's rules, and what it starts was agreed to or is
	// another entry's.
	Rules bool
}

// Config is what all files say together. It is immutable.
type Config struct {
	// Servers has one server per name, in order of precedence of their files,
	// then in the order of the file.
	Servers []Server
	// Shadowed are the definitions that lost, those of one name together.
	Shadowed []Shadowed
	// Waiting has at most one entry of each name about what starts: that of the
	// server itself, or one that would take its place; and those about rules.
	Waiting []Waiting
	// Policies are entries for servers that no file defines, one per name: the
	// host may have such a server. They have no Definition.
	Policies []Server
	// Modes has one mode per slug.
	Modes []Mode
	// Inputs are all inputs, in order of precedence of their files.
	Inputs []Input
	// Endpoints are the providers of models that Winnow's own files name, in
	// order of precedence of their files; those of a workspace's too.
	Endpoints []Endpoint
	// Problems are those of all files.
	Problems []Problem
}

// Server returns the server of that name.
func (c Config) Server(name string) (Server, bool) {
	return byName(c.Servers, name)
}

// Policy returns the entry for a server of that name that no file defines.
func (c Config) Policy(name string) (Server, bool) {
	return byName(c.Policies, name)
}

func byName(servers []Server, name string) (Server, bool) {
	i := slices.IndexFunc(servers, func(s Server) bool { return s.Name == name })
	if i < 0 {
		return Server{}, false
	}
	return servers[i], true
}

// Mode returns the mode of that slug.
func (c Config) Mode(slug string) (Mode, bool) {
	i := slices.IndexFunc(c.Modes, func(m Mode) bool { return m.Slug == slug })
	if i < 0 {
		return Mode{}, false
	}
	return c.Modes[i], true
}

// Input returns what ${input:id} means for a server: the input of its own file,
// or else of any but a workspace's for a server of the user's. An input that no file declares is asked for by its id alone,
// and hidden, because it may well be a secret.
func (c Config) Input(s Server, id string) Input {
	best := Input{ID: id, Description: id, Password: true}
	found := false
	for _, in := range c.Inputs {
		if in.ID != id {
			continue
		}
		if in.Origin.Source == s.Origin.Source {
			return in
		}
		if !found && (s.Origin.Source.Scope != User || in.Origin.Source.Scope != Workspace) {
			best, found = in, true
		}
	}
	return best
}
