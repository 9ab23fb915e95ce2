package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

// toolName holds the names of a tool in files: the server's own, which edits write, and
// that of a host with the same server.
type toolName struct{ own, host string }

// WithHostNames returns the server with a host's names of its tools. names maps the
// server's names to the host's. Edits accept both, write the server's, and remove both.
func (s Server) WithHostNames(names map[string]string) Server {
	s.hostNames = names
	return s
}

// tool returns the names of a tool in files.
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

// in reports whether a list contains the tool.
func (t toolName) in(names []string) bool { return slices.ContainsFunc(names, t.is) }

func (t toolName) is(name string) bool { return name == t.own || name == t.host }

// SetToolEnabled enables or disables a tool for all readers of the file. It edits an
// onlyAllow that is in force, else disabledTools. The change is made where that list is,
// or else in the entry that defines the server.
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

// SetServerEnabled writes a server's disabled, or removes it if the weaker files imply
// the same.
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

// SetAlwaysLoad writes alwaysLoad for one tool, or for the whole server if tool is "".
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

// SetDescription writes the description of a tool that replaces the server's; "" removes
// it.
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

// jsonText returns text as valid UTF-8, as it will read in a file.
func jsonText(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// edit makes a change in the strongest layer whose policy has the key, or else in the
// entry that defines the server. change gets the policy of the weaker layers, which
// applies if the entry has none.
func (s Server) edit(has func(Policy) bool, change func(entry jsonc.Object, weaker Policy) error) Edit {
	return s.editIn(func(e Entry) bool { return has(e.Policy) }, change)
}

// editGrant is edit for a key that grants: it skips layers whose grants do not count.
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

// editAt makes a change in a layer, or if at is -1 in the file of the definition.
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

// besides returns Winnow's own file of the same folder. It holds the rules for a server
// of a client that refuses unknown keys. A user file for all workspaces has no folder and
// is returned unchanged.
func besides(source Source) Source {
	if source.Scope != Workspace {
		return source
	}
	path := filepath.Join(source.Folder, ".vscode", "winnow.json")
	return Source{Path: path, Dialect: Winnow, Scope: Workspace, Folder: source.Folder}
}

// setName adds a tool to a list or removes it. A list that becomes empty is removed
// unless keep is set, when a weaker one would apply.
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

// setOnlyAllowed edits onlyAllow. It refuses to remove the last name, because an empty
// list would allow every tool.
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

// setServerAlwaysLoad writes alwaysLoad for all tools, and removes synonyms. keep is set
// if a weaker file also says so.
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
		return nil // there is nothing to remove
	}
	return setName(entry, "alwaysLoad", t, on, keep)
}
