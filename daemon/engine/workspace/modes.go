package workspace

import (
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// Modes holds the user's modes and the current one.
type Modes struct {
	configuration func() *Configuration
	changed       func()
	current       atomic.Pointer[string]
}

// NewModes returns the modes of a configuration. slug is the current mode. changed is
// called when it changes.
func NewModes(configuration func() *Configuration, slug string, changed func()) *Modes {
	m := &Modes{configuration: configuration, changed: changed}
	m.current.Store(&slug)
	return m
}

// Current returns the slug of the current mode; "" means none.
func (m *Modes) Current() string { return *m.current.Load() }

// Set changes the current mode.
func (m *Modes) Set(slug string) error {
	if _, err := m.configuration().ModePolicy(slug); err != nil {
		return err
	}
	m.current.Store(&slug)
	m.changed()
	return nil
}

// Policy returns the policy of a mode; "" means the current one.
func (m *Modes) Policy(slug string) (*router.Mode, error) {
	if slug == "" {
		slug = m.Current()
	}
	return m.configuration().ModePolicy(slug)
}

// None returns the policy of no mode, which admits every server.
func (m *Modes) None() *router.Mode { return m.configuration().policies[""] }

// List describes the modes.
func (m *Modes) List() protocol.ModeListResult {
	result := protocol.ModeListResult{Current: m.Current()}
	for _, mode := range m.configuration().Modes {
		info := protocol.ModeInfo{
			Slug: mode.Slug, Name: mode.Name, Description: mode.Description,
			File: mode.Origin.Source.Path, Line: mode.Origin.Line,
			AllowedMcpServers: mode.Allowed, BlockedMcpServers: mode.Blocked,
		}
		if mode.NoTools {
			none := []string{}
			info.AllowedMcpServers = &none
		}
		result.Modes = append(result.Modes, info)
	}
	return result
}

// Name returns the name of a mode, or "" if there is none with that slug.
func (m *Modes) Name(slug string) string {
	for _, mode := range m.configuration().Modes {
		if mode.Slug == slug {
			return mode.Name
		}
	}
	return ""
}

// OfAgent returns the slug of the mode that a host's agent means: by slug, else by name.
// It returns "" if there is none.
func (m *Modes) OfAgent(agent string) string {
	if agent == "" {
		return ""
	}
	modes := m.configuration().Modes
	i := slices.IndexFunc(modes, func(m config.Mode) bool { return strings.EqualFold(m.Slug, agent) })
	if i < 0 {
		i = slices.IndexFunc(modes, func(m config.Mode) bool { return strings.EqualFold(m.Name, agent) })
	}
	if i < 0 {
		return ""
	}
	return modes[i].Slug
}

// Admits returns an error if the current mode or its own switch keeps a server out of
// scope, or if the server waits for something.
func (m *Modes) Admits(server string) error {
	if err := m.InScope(server); err != nil {
		return err
	}
	if hold := m.configuration().Hold(server); hold.Kind != "" {
		return failure.New(protocol.KindUnavailable, "Let it start first.", "the server %q %s", server, reasons.Text(hold))
	}
	return nil
}

// InScope is Admits without regard to what the server waits for.
func (m *Modes) InScope(server string) error {
	mode, err := m.Policy("")
	if err != nil {
		return err
	}
	if rule := mode.ServerRule(m.configuration().ToolPolicy(server), server); rule.Kind != "" {
		return failure.New(protocol.KindOutOfScope, "Change the rule, or use another server.",
			"the server %q is out of scope: %s", server, reasons.Text(rule))
	}
	return nil
}

// ToolRule returns the cause that keeps a server's tool, which a client calls name, out
// of scope in the current mode, or the zero cause. The server need not be running.
func (m *Modes) ToolRule(id router.ToolID, name string) protocol.Cause {
	mode, err := m.Policy("")
	if err != nil { // the mode is gone: the servers' entries still apply
		mode = m.None()
	}
	return mode.NameRule(m.configuration().ToolPolicy(id.Server), id, name)
}

// policies returns the policy of each mode. An unchanged mode keeps its pointer, and with
// it what was computed for it.
func policies(c config.Config, before *Configuration) map[string]*router.Mode {
	modes := map[string]*router.Mode{"": {}}
	for _, m := range c.Modes {
		modes[m.Slug] = &router.Mode{Slug: m.Slug, Allowed: m.Allowed, Blocked: m.Blocked, NoMCP: m.NoTools}
	}
	if before != nil {
		for slug, mode := range modes {
			if old := before.policies[slug]; old != nil && reflect.DeepEqual(old, mode) {
				modes[slug] = old
			}
		}
	}
	return modes
}

func unknownMode(slug string) error {
	return failure.New(protocol.KindUnknownMode, "Use one that is defined, or define it under `modes` in .vscode/winnow.json.",
		"there is no mode %q", slug)
}
