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

// Modes are the user's modes, of which one is the current one.
type Modes struct {
	configuration func() *Configuration
	changed       func()
	current       atomic.Pointer[string]
}

// NewModes returns the modes of a configuration; slug is the current one, and
// changed is called with another.
func NewModes(configuration func() *Configuration, slug string, changed func()) *Modes {
	m := &Modes{configuration: configuration, changed: changed}
	m.current.Store(&slug)
	return m
}

// Current returns the slug of the current mode; empty is none.
func (m *Modes) Current() string { return *m.current.Load() }

// Set makes a mode the current one.
func (m *Modes) Set(slug string) error {
	if _, err := m.configuration().ModePolicy(slug); err != nil {
		return err
	}
	m.current.Store(&slug)
	m.changed()
	return nil
}

// Policy returns the policy of a mode; an empty slug is the current one.
func (m *Modes) Policy(slug string) (*router.Mode, error) {
	if slug == "" {
		slug = m.Current()
	}
	return m.configuration().ModePolicy(slug)
}

// None is the policy of no mode: it admits every server.
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

// Name returns the name of a mode; empty where there is none of that slug.
func (m *Modes) Name(slug string) string {
	for _, mode := range m.configuration().Modes {
		if mode.Slug == slug {
			return mode.Name
		}
	}
	return ""
}

// OfAgent returns the slug of the mode that a host's agent stands for: that of
// its slug or else of its name; empty where there is none.
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

// Admits says why the current mode or its own switch keeps a server out of
// scope, or what it waits for; nil when it may be used.
func (m *Modes) Admits(server string) error {
	if err := m.InScope(server); err != nil {
		return err
	}
	if hold := m.configuration().Hold(server); hold.Kind != "" {
		return failure.New(protocol.KindUnavailable, "Let it start first.", "the server %q %s", server, reasons.Text(hold))
	}
	return nil
}

// InScope is Admits, whatever the server waits for.
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

// ToolRule returns what keeps a tool of a server, which a client calls name, out of
// scope in the current mode; the zero cause when nothing does. The server need not
// be one that runs.
func (m *Modes) ToolRule(id router.ToolID, name string) protocol.Cause {
	mode, err := m.Policy("")
	if err != nil { // the mode is gone: what the servers' entries say holds still
		mode = m.None()
	}
	return mode.NameRule(m.configuration().ToolPolicy(id.Server), id, name)
}

// policies returns the policy of each mode. A mode that did not change keeps
// its pointer, and with it what was worked out for it.
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
