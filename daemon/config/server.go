package config

import "slices"

// Server is one server after all files are merged. It is immutable.
type Server struct {
	Name string
	// Origin is where the definition is.
	Origin Origin
	// Definition is unexpanded.
	Definition Definition
	// Policy is merged from all Layers, field by field.
	Policy Policy
	// Layers holds the entries that make up the policy, strongest first, including the
	// definition's own.
	Layers []Entry
	// Withheld holds the layers of which only the limits apply until the user consents to
	// their rules.
	Withheld []Entry
	// Hold says what the server waits for before it may start; "" for nothing.
	Hold Hold
	// Invalid says why the definition is unusable; nil if it is usable.
	Invalid *Problem
	// hostNames is for edits; see WithHostNames.
	hostNames map[string]string
}

// Hold is what a server waits for before it may start.
type Hold string

// The values of [Hold].
const (
	// HoldTrust: the file belongs to an untrusted workspace.
	HoldTrust Hold = "trust"
	// HoldConsent: the user has not been asked yet about the entry, which is in
	// Origin.Source.Path.
	HoldConsent Hold = "consent"
	// HoldChanged: the user has consented to other content under this name.
	HoldChanged Hold = "changed"
	// HoldDeclined: the user has declined.
	HoldDeclined Hold = "declined"
)

// Disabled reports whether the user disabled the server.
func (s Server) Disabled() bool { return s.Policy.Disabled != nil && *s.Policy.Disabled }

// Grants reports whether the grants of a layer apply: they need no more consent, and are
// not for another server of the name.
func (s Server) Grants(e Entry) bool {
	withheld := slices.ContainsFunc(s.Withheld, func(w Entry) bool { return w.Origin == e.Origin })
	return !withheld && (!e.DefinesServer() || e.Origin == s.Origin)
}

// Shadowed is a definition overridden by another of the same name.
type Shadowed struct {
	Name string
	// Origin is its place, and By that of the winner.
	Origin, By Origin
}

// Waiting is an entry that needs the user's consent, or was declined.
type Waiting struct {
	Entry
	// Hold is HoldConsent, HoldChanged or HoldDeclined.
	Hold Hold
	// Rules reports that it is about the entry's rules; its start has been allowed or is
	// another entry's.
	Rules bool
}

// Config is the result of merging all files. It is immutable.
type Config struct {
	// Servers has one server per name, in order of precedence of their files,
	// then in the order of the file.
	Servers []Server
	// Shadowed holds the overridden definitions, grouped by name.
	Shadowed []Shadowed
	// Waiting holds at most one entry of each name about its start, that of the server or
	// one that would replace it; and those about rules.
	Waiting []Waiting
	// Policies holds entries for servers that no file defines, one per name, because the
	// host may have such a server. They have no Definition.
	Policies []Server
	// Modes has one mode per slug.
	Modes []Mode
	// Inputs holds all inputs, in order of precedence of their files.
	Inputs []Input
	// Endpoints holds the providers of models in Winnow's own files, including
	// workspaces', in order of precedence.
	Endpoints []Endpoint
	// Problems holds those of all files.
	Problems []Problem
}

// Server returns the server of that name.
func (c Config) Server(name string) (Server, bool) {
	return byName(c.Servers, name)
}

// Policy returns the entry for a server that no file defines.
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

// Input returns the ${input:id} of a server: the input of its own file, or else of any
// file, but for a user's server not of a workspace's. An undeclared input is described by
// its ID and hidden, because it may be a secret.
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
