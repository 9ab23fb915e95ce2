package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

// toolName is how files may name a tool: as its server does, which is what is
// written, or as a host that has the server too.
type toolName struct{ own, host string }

// WithHostNames returns the server with the names by which a host knows its
// tools: names maps the server's own to the host's. Edits take either, write
// the server's own, and take away both.
func (s Server) WithHostNames(names map[string]string) Server {
	s.hostNames = names
	return s
}

// tool finds how files may name a tool.
func (s Server) tool(name string) toolName {
	name = jsonText(name)
	if host, ok := s.hostNames[name]; ok {
		return toolName{name, jsonText(host)}
	}
	for own, host := range s.hostNames {
		if jsonText(host) == name {
			return toolName{jsonText(own), name}
		}
	}
	return toolName{name, name}
}

// in reports whether a list has the tool.
func (t toolName) in(names []string) bool { return slices.ContainsFunc(names, t.is) }

func (t toolName) is(name string) bool { return name == t.own || name == t.host }

// SetToolEnabled switches a tool on or off for everyone who reads the file. An
// onlyAllow that is in force is edited; else disabledTools. The change goes
// where that list is now, and a list that is nowhere yet goes to the entry that
// defines the server.
func SetToolEnabled(s Server, tool string, enabled bool) Edit {
	t := s.tool(tool)
	if o, off := s.ForbidsTool(tool); off && enabled {
		forbids := func(p Policy) bool { return !p.toolRule().admits(t) }
		at := slices.IndexFunc(s.Layers, func(e Entry) bool { return e.Origin == o.Origin && forbids(e.Policy) })
		if at >= 0 && o.Key == "disabledTools" {
			return s.editAt(at, func(entry jsonc.Object, weaker Policy) error {
				return setName(entry, o.Key, t, false, len(weaker.DisabledTools) > 0)
			})
		}
		if at >= 0 {
			return s.editAt(at, func(entry jsonc.Object, _ Policy) error { return setOnlyAllowed(entry, s.Name, t, true) })
		}
	}
	if len(s.Policy.OnlyAllow) > 0 {
		return s.edit(func(p Policy) bool { return len(p.OnlyAllow) > 0 }, func(entry jsonc.Object, _ Policy) error {
			return setOnlyAllowed(entry, s.Name, t, enabled)
		})
	}
	return s.edit(func(p Policy) bool { return p.DisabledTools != nil }, func(entry jsonc.Object, weaker Policy) error {
		return setName(entry, "disabledTools", t, !enabled, len(weaker.DisabledTools) > 0)
	})
}

// SetServerEnabled writes a server's disabled, or takes it away where a weaker
// file, or nobody, says the same.
func SetServerEnabled(s Server, enabled bool) Edit {
	has := func(p Policy) bool { return p.Disabled != nil }
	if _, off := s.ForbidsServer(); enabled && off {
		has = func(p Policy) bool { return p.Disabled != nil && *p.Disabled }
	}
	return s.edit(has, func(entry jsonc.Object, weaker Policy) error {
		says := map[byte]bool{'t': true, 'f': true}[entry.Kind("disabled")]
		switch {
		case says && (entry.Kind("disabled") == 't') == !enabled:
			return nil
		case (weaker.Disabled != nil && *weaker.Disabled) == !enabled:
			return entry.Remove("disabled")
		}
		entry.SetBool("disabled", !enabled)
		return nil
	})
}

// SetAlwaysLoad writes alwaysLoad for one tool, or for the whole server when
// tool is empty.
func SetAlwaysLoad(s Server, tool string, on bool) Edit {
	return s.editGrant(func(p Policy) bool { return p.AlwaysLoad != nil }, func(entry jsonc.Object, weaker Policy) error {
		if tool == "" {
			return setServerAlwaysLoad(entry, on, weaker.AlwaysLoad != nil)
		}
		return setToolAlwaysLoad(entry, s, s.tool(tool), on, weaker.AlwaysLoad != nil)
	})
}

// SetApproved writes a tool's alwaysAllow.
func SetApproved(s Server, tool string, approved bool) Edit {
	return s.editGrant(func(p Policy) bool { return p.AlwaysAllow != nil }, func(entry jsonc.Object, weaker Policy) error {
		if slices.Contains(s.Policy.AlwaysAllow, "*") && tool != "*" {
			if approved {
				return nil
			}
			return fmt.Errorf(`alwaysAllow of server %q holds "*", which stands for every tool: replace it by the tools that may run without asking`, s.Name)
		}
		return setName(entry, "alwaysAllow", s.tool(tool), approved, len(weaker.AlwaysAllow) > 0)
	})
}

// SetDescription writes what models read about a tool instead of the server's
// own description; empty text goes back to that.
func SetDescription(s Server, tool, text string) Edit {
	t, text := s.tool(tool), jsonText(text)
	has := func(p Policy) bool {
		_, own := p.DescriptionOverrides[t.own]
		_, host := p.DescriptionOverrides[t.host]
		return own || host
	}
	return s.editGrant(has, func(entry jsonc.Object, _ Policy) error {
		const key = "toolDescriptionOverrides"
		if text == "" && !entry.Has(key) {
			return nil
		}
		overrides, err := entry.Child(key, true)
		if err != nil {
			return err
		}
		wasEmpty := overrides.IsEmpty()
		for _, name := range []string{t.host, t.own} {
			if text == "" || name != t.own {
				if err := overrides.Remove(name); err != nil {
					return err
				}
			}
		}
		if text != "" {
			overrides.SetString(t.own, text)
		}
		if overrides.IsEmpty() && !wasEmpty {
			return entry.Remove(key)
		}
		return nil
	})
}

// jsonText returns text as it will read in a file, where only UTF-8 can be.
func jsonText(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// edit places a change in the strongest layer whose policy has what is changed,
// or else in the entry that defines the server. The change is told what the
// weaker layers say, which holds where the entry says nothing.
func (s Server) edit(has func(Policy) bool, change func(entry jsonc.Object, weaker Policy) error) Edit {
	return s.editIn(func(e Entry) bool { return has(e.Policy) }, change)
}

// editGrant is edit of what an entry grants: a layer that grants nothing is left
// out.
func (s Server) editGrant(has func(Policy) bool, change func(entry jsonc.Object, weaker Policy) error) Edit {
	return s.editIn(func(e Entry) bool { return s.Grants(e) && has(e.Policy) }, change)
}

func (s Server) editIn(has func(Entry) bool, change func(entry jsonc.Object, weaker Policy) error) Edit {
	at := slices.IndexFunc(s.Layers, has)
	if at < 0 {
		at = slices.IndexFunc(s.Layers, func(e Entry) bool { return e.Origin.Source == s.Origin.Source })
	}
	return s.editAt(at, change)
}

// editAt places a change in a layer; at -1 in the file of the definition.
func (s Server) editAt(at int, change func(entry jsonc.Object, weaker Policy) error) Edit {
	source := s.Origin.Source
	if at >= 0 {
		source = s.Layers[at].Origin.Source
	}
	stronger := at + 1
	if !source.Dialect.TakesRules() {
		source, stronger = besides(source), 0
	}
	var weaker Policy
	for _, e := range s.Layers[stronger:] {
		p := e.Policy
		if !s.Grants(e) {
			p = p.limits()
		}
		weaker = weaker.over(p)
	}
	return Edit{
		Source: source, path: []string{source.Dialect.ServersKey(), s.Name},
		change: func(entry jsonc.Object) error {
			if !source.Dialect.TakesRules() {
				return fmt.Errorf("%s takes no rule of Winnow's: write it to an entry %q of your winnow.json", source.Dialect.Client(), s.Name)
			}
			return change(entry, weaker)
		},
	}
}

// besides returns Winnow's own file of the same folder, where rules go for a
// server of a client that refuses a file with a key that it does not know. What
// the user has in every workspace is of no folder, and stays.
func besides(source Source) Source {
	if source.Scope != Workspace {
		return source
	}
	path := filepath.Join(source.Folder, ".vscode", "winnow.json")
	return Source{Path: path, Dialect: Winnow, Scope: Workspace, Folder: source.Folder}
}

// setName has a tool in a list, or not. A list that is empty by that goes,
// unless keep is set: without it a weaker one would hold.
func setName(entry jsonc.Object, key string, t toolName, present, keep bool) error {
	names, err := entry.Names(key)
	if err != nil || t.in(names) == present {
		return err
	}
	if present {
		return entry.AddName(key, t.own)
	}
	for _, name := range []string{t.own, t.host} {
		if err := entry.RemoveName(key, name); err != nil {
			return err
		}
	}
	if !keep && entry.IsEmptyList(key) {
		return entry.Remove(key)
	}
	return nil
}

// setOnlyAllowed edits onlyAllow. Its last name cannot go: an empty list is the
// same as none, and would allow every tool.
func setOnlyAllowed(entry jsonc.Object, server string, t toolName, enabled bool) error {
	names, err := entry.Names("onlyAllow")
	switch {
	case err != nil:
		return err
	case len(names) == 0:
		return fmt.Errorf("onlyAllow of server %q has changed meanwhile: try again", server)
	case !enabled && !slices.ContainsFunc(names, func(name string) bool { return !t.is(name) }):
		return fmt.Errorf("%q is the last tool that onlyAllow of server %q lists, and an empty list would allow all: disable the server instead", t.own, server)
	}
	return setName(entry, "onlyAllow", t, enabled, true)
}

// setServerAlwaysLoad writes alwaysLoad for all tools, and takes away the other
// ways to say the same. keep is set when a weaker file would say so, too.
func setServerAlwaysLoad(entry jsonc.Object, on, keep bool) error {
	if on {
		entry.SetBool("alwaysLoad", true)
		return nil
	}
	for _, key := range []string{"deferred", "deferTools"} {
		if err := entry.Remove(key); err != nil {
			return err
		}
	}
	if keep {
		entry.SetBool("alwaysLoad", false)
		return nil
	}
	return entry.Remove("alwaysLoad")
}

func setToolAlwaysLoad(entry jsonc.Object, s Server, t toolName, on, keep bool) error {
	if load := s.Policy.AlwaysLoad; load != nil && load.All {
		if on {
			return nil
		}
		return fmt.Errorf("alwaysLoad of server %q is true for all its tools: switch it off, then list the tools that should stay", s.Name)
	}
	if kind := entry.Kind("alwaysLoad"); on && (kind == 'f' || kind == 't') {
		entry.SetEmptyList("alwaysLoad")
	}
	if kind := entry.Kind("alwaysLoad"); kind == 'f' || kind == 't' {
		return nil // there is nothing to take out
	}
	return setName(entry, "alwaysLoad", t, on, keep)
}
