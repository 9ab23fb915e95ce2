package config

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

// winnowModes decodes `modes` of Winnow's own file.
func (d *decoder) winnowModes(v node) []Mode {
	members, _ := d.object("modes", v)
	modes := make([]Mode, 0, len(members))
	for _, m := range members {
		if mode, ok := d.winnowMode(m); ok {
			modes = append(modes, mode)
		}
	}
	return modes
}

func (d *decoder) winnowMode(m member) (Mode, bool) {
	where := d.locate(m.at)
	mode := modeDecoder{d, Mode{Slug: m.key, Name: m.key, Origin: Origin{d.source, where.Line, where.Column}}}
	if m.key == "" {
		d.report(Error, m.at, "a mode needs a slug", "write one before the colon")
		return Mode{}, false
	}
	if m.value.kind != kindObject {
		d.wrongKind(Error, "modes."+m.key, m.value, "an object")
		return Mode{}, false
	}
	for _, field := range m.value.fields(d.repeated) {
		if !mode.field(field) {
			d.unknown(field, modeKeys())
		}
	}
	return mode.mode, true
}

// modeDecoder decodes one mode.
type modeDecoder struct {
	*decoder
	mode Mode
}

// field decodes the fields common to Winnow's and Roo's modes, and reports whether m is
// one. A mode whose list of servers is unreadable has no tools, because anything else
// could allow more than intended.
func (d *modeDecoder) field(m member) bool {
	if m.value.kind == kindNull {
		return slices.Contains(modeKeys(), m.key)
	}
	ok := true
	switch m.key {
	case "name":
		d.mode.Name, _ = d.text(m.key, m.value)
	case "description":
		d.mode.Description, _ = d.text(m.key, m.value)
	case "allowedMcpServers":
		var allowed []string
		if allowed, ok = d.names(m.key, m.value); ok {
			d.mode.Allowed = &allowed
		}
	case "blockedMcpServers":
		d.mode.Blocked, ok = d.names(m.key, m.value)
	default:
		return false
	}
	d.mode.NoTools = d.mode.NoTools || !ok
	return true
}

func modeKeys() []string {
	return []string{"name", "description", "allowedMcpServers", "blockedMcpServers"}
}

// modesFile decodes .roomodes and custom_modes.yaml: YAML, or JSON.
func (d *decoder) modesFile(data []byte) (File, *syntaxError) {
	data = cleanYAML(data)
	root, failure := d.modesTree(data)
	if failure != nil {
		return File{}, failure
	}
	if root.kind != kindObject {
		return File{}, unreadable(d.locate(root.at), fmt.Sprintf("the file must hold an object, not %s", root.kind), "write customModes: and a list of modes")
	}
	var file File
	for _, m := range root.fields(d.repeated) {
		switch {
		case m.key == "customModes":
			file.Modes = d.rooModes(m.value)
		case suggest(m.key, []string{"customModes"}) != "":
			d.report(Warning, m.at, fmt.Sprintf("%q is not read in this file", m.key), "Roo Code calls it \"customModes\" here")
		}
	}
	return file, nil
}

// modesTree parses JSON as JSON, because JSON indented with tabs is not valid YAML.
func (d *decoder) modesTree(data []byte) (node, *syntaxError) {
	if trimmed := bytes.TrimSpace(data); bytes.HasPrefix(trimmed, []byte("{")) {
		if doc, failure := jsonc.Parse(data); failure == nil {
			d.locate = func(p place) position { return doc.Lines.At(p.offset) }
			return jsonNode(doc.Root), nil
		}
	}
	d.locate = func(p place) position { return p.position }
	return parseYAML(data)
}

func (d *decoder) rooModes(v node) []Mode {
	if v.kind == kindNull {
		return nil
	}
	if v.kind != kindList {
		d.wrongKind(Error, "customModes", v, "a list of modes")
		return nil
	}
	modes := make([]Mode, 0, len(v.items))
	seen := make(map[string]bool, len(v.items))
	for _, item := range v.items {
		mode, ok := d.rooMode(item)
		if ok && seen[mode.Slug] {
			d.report(Warning, item.at, fmt.Sprintf("mode %q is written twice, and the first one counts", mode.Slug), "remove one")
			ok = false
		}
		if ok {
			seen[mode.Slug] = true
			modes = append(modes, mode)
		}
	}
	return modes
}

// rooMode decodes one mode of Roo Code or Zoo Code. It ignores fields that only concern
// the agent, such as its role.
func (d *decoder) rooMode(v node) (Mode, bool) {
	where := d.locate(v.at)
	mode := modeDecoder{d, Mode{Origin: Origin{d.source, where.Line, where.Column}}}
	if v.kind != kindObject {
		d.wrongKind(Error, "customModes", v, "a list of modes")
		return Mode{}, false
	}
	groups := false
	for _, m := range v.fields(d.repeated) {
		switch m.key {
		case "slug":
			mode.mode.Slug, _ = d.text("slug", m.value)
			mode.checkSlug(m)
		case "groups":
			groups = true
			mode.mode.NoTools = mode.mode.NoTools || !mode.hasGroup(m.value, "mcp")
		default:
			mode.field(m)
		}
	}
	if mode.mode.Slug == "" {
		d.report(Error, v.at, "a mode has no slug", "add slug: and a short name of letters, digits and dashes")
		return Mode{}, false
	}
	if !groups {
		d.report(Error, v.at, fmt.Sprintf("mode %q has no groups, so it gets no MCP tools", mode.mode.Slug), "add groups: [mcp] to give it some")
		mode.mode.NoTools = true
	}
	if mode.mode.Name == "" {
		mode.mode.Name = mode.mode.Slug
	}
	return mode.mode, true
}

// slugPattern matches the slugs that Roo Code accepts.
var slugPattern = regexp.MustCompile(`^[a-zA-Z0-9-]+$`)

func (d *modeDecoder) checkSlug(m member) {
	if m.value.kind == kindString && m.value.text != "" && !slugPattern.MatchString(m.value.text) {
		d.report(Warning, m.value.at, fmt.Sprintf("Roo Code refuses the slug %q", m.value.text), "use letters, digits and dashes only")
	}
}

// hasGroup reports whether groups contains a group. An entry is a name, or a list of a
// name and its options.
func (d *modeDecoder) hasGroup(v node, group string) bool {
	if v.kind != kindList {
		d.wrongKind(Error, "groups", v, "a list of groups")
		return false
	}
	for _, item := range v.items {
		if item.kind == kindList && len(item.items) > 0 {
			item = item.items[0]
		}
		if item.kind == kindString && item.text == group {
			return true
		}
	}
	return false
}
