package workspace

import (
	"slices"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// Configuration is the content of the files for the router and the servers. It is
// immutable.
type Configuration struct {
	// Trusted holds the paths of the workspace's folders if the user trusts it.
	Trusted []string
	config.Config
	// places maps names to the indexes of Servers.
	places map[string]int
	// policies holds the policy of each mode by slug; "" is no mode.
	policies map[string]*router.Mode
	// run holds what is run, in the order of Servers. holds says what servers that may
	// not start wait for.
	run   []upstream.Config
	holds map[string]protocol.Cause
	// questions holds what waits for the user's consent.
	questions []question
	// faults holds the problems that disable something.
	faults []protocol.FileFault
	// locked holds the files' data for the lock on tools, by server.
	locked map[string]Locked
	// unset holds the environment variables without a value, by server.
	unset map[string][]string
}

// MissesProgram reports whether a program that the user has consented to is missing. No
// file changes when it appears.
func (c *Configuration) MissesProgram() bool {
	return slices.ContainsFunc(c.run, func(s upstream.Config) bool { return s.Absent && s.Hold.Kind == "" && !s.Disabled })
}

// Faults lists the problems in the files.
func (c *Configuration) Faults() []protocol.FileFault { return c.faults }

func faultsOf(problems []config.Problem) []protocol.FileFault {
	faults := make([]protocol.FileFault, 0, len(problems))
	for _, p := range problems {
		faults = append(faults, protocol.FileFault{
			File: p.Path, Line: p.Line, Column: p.Column, Message: p.Message, Next: p.Hint, Warning: p.Severity != config.Error,
		})
	}
	return faults
}

// Server returns the server of that name.
func (c *Configuration) Server(name string) (config.Server, bool) {
	i, ok := c.places[name]
	if !ok {
		return config.Server{}, false
	}
	return c.Servers[i], true
}

// ServerNames returns the names of all known servers, including those with only a rule.
func (c *Configuration) ServerNames() []string {
	var names []string
	for i := range c.Servers {
		names = append(names, c.Servers[i].Name)
	}
	for i := range c.Policies {
		names = append(names, c.Policies[i].Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// OfWorkspace names the servers that files of the workspace define.
func (c *Configuration) OfWorkspace() []string {
	var names []string
	for i := range c.Servers {
		if c.Servers[i].Origin.Source.Scope == config.Workspace {
			names = append(names, c.Servers[i].Name)
		}
	}
	return names
}

// ToolPolicy returns what the files say about a server's tools.
func (c *Configuration) ToolPolicy(name string) router.Policy {
	s, ok := c.Server(name)
	if !ok {
		if s, ok = c.Policy(name); !ok {
			return router.Policy{}
		}
	}
	p := router.Policy{
		Disabled:      s.Disabled(),
		OnlyAllow:     s.Policy.OnlyAllow,
		DisabledTools: s.Policy.DisabledTools,
		Overrides:     s.Policy.DescriptionOverrides,
	}
	for _, r := range s.Policy.Further {
		p.Further = append(p.Further, router.ToolRule(r))
	}
	if load := s.Policy.AlwaysLoad; load != nil {
		p.AlwaysLoad, p.AlwaysLoadTools = load.All, load.Tools
	}
	return p
}

// Hold returns what a server waits for; the zero cause if it may start.
func (c *Configuration) Hold(name string) protocol.Cause { return c.holds[name] }

// ModePolicy returns the policy of a mode, or the zero policy for "".
func (c *Configuration) ModePolicy(slug string) (*router.Mode, error) {
	if mode, ok := c.policies[slug]; ok {
		return mode, nil
	}
	return nil, unknownMode(slug)
}

// Approved reports whether the user lets a tool run without confirmation.
func (c *Configuration) Approved(id router.ToolID) bool {
	server, ok := c.Server(id.Server)
	if !ok {
		return false
	}
	allowed := server.Policy.AlwaysAllow
	return slices.Contains(allowed, id.Tool) || slices.Contains(allowed, "*")
}

// Describe adds the files' data of a server: where it is defined, and what it waits for.
func (c *Configuration) Describe(info *protocol.ServerInfo) {
	defined, ok := c.Server(info.Name)
	if !ok {
		return
	}
	info.File, info.Line = defined.Origin.Source.Path, defined.Origin.Line
	info.Shadowed = c.shadowedFiles(info.Name)
	info.State, info.Cause = holdState(defined), reasons.Wire(c.Hold(info.Name))
	if info.State != "" && switchedOff(defined) {
		info.State = protocol.ServerDisabled // there is nothing to ask
	}
	if defined.Invalid != nil {
		info.State, info.Error = protocol.ServerFailed, defined.Invalid.String()
	}
}

// Unset names the environment variables of a server's entry that have no value.
func (c *Configuration) Unset(name string) []string { return c.unset[name] }

// holdState returns the state of a server that waits for the user, or "".
func holdState(s config.Server) protocol.ServerState {
	switch s.Hold {
	case config.HoldTrust:
		return protocol.ServerWaitingForTrust
	case config.HoldConsent, config.HoldChanged:
		return protocol.ServerWaitingForConsent
	case config.HoldDeclined:
		return protocol.ServerDeclined
	}
	return ""
}

// switchedOff reports whether the entry that defines a server disables it.
func switchedOff(s config.Server) bool {
	return slices.ContainsFunc(s.Layers, func(e config.Entry) bool {
		return e.Origin == s.Origin && e.Policy.Disabled != nil && *e.Policy.Disabled
	})
}

// shadowedFiles lists the overridden files that define a name, in order.
func (c *Configuration) shadowedFiles(name string) []string {
	var files []string
	for _, s := range c.Shadowed {
		if s.Name == name {
			files = append(files, s.Origin.Source.Path)
		}
	}
	return files
}
