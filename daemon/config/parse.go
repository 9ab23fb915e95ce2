package config

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

// Limits on the size of a file, in bytes. Files of servers have a few kilobytes.
// ~/.claude.json also holds Claude Code's own growing state.
const (
	maxFileSize = 8 << 20
	maxYAMLSize = 512 << 10
)

// Parse parses the text of one source. It never fails: errors are in Problems, and Broken
// reports that nothing could be parsed.
func Parse(source Source, data []byte) File {
	d := &decoder{source: source, traits: source.Dialect.traits()}
	data, failure := readable(source.Dialect, data)
	if failure == nil {
		var file File
		if file, failure = d.file(data); failure == nil {
			file.Source, file.Problems = source, inTextOrder(d.problems)
			return file
		}
	}
	return brokenFile(source, failure)
}

// inTextOrder sorts problems by position.
func inTextOrder(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return problems
}

// brokenFile returns a file that could not be parsed.
func brokenFile(source Source, failure *syntaxError) File {
	return File{Source: source, Broken: true, Problems: []Problem{{
		Path: source.Path, Line: failure.Position.Line, Column: failure.Position.Column,
		Severity: Error, Message: failure.Message, Hint: failure.Hint,
	}}}
}

// readable checks size and encoding, and removes a byte order mark.
func readable(dialect Dialect, data []byte) ([]byte, *syntaxError) {
	if limit := sizeLimit(dialect); len(data) > limit {
		return nil, tooLarge(int64(len(data)), limit)
	}
	if bytes.HasPrefix(data, []byte{0xfe, 0xff}) || bytes.HasPrefix(data, []byte{0xff, 0xfe}) {
		return nil, unreadable(at(1, 1), "the file is UTF-16, not UTF-8", "save it with the encoding UTF-8")
	}
	data = jsonc.WithoutBOM(data)
	if offset := jsonc.InvalidUTF8(data); offset >= 0 {
		return nil, unreadable(jsonc.NewLines(data).At(offset), "the file is not valid UTF-8", "save it with the encoding UTF-8")
	}
	if len(bytes.TrimSpace(data)) == 0 {
		if dialect.traits().toml {
			return data, nil
		}
		return nil, unreadable(at(1, 1), "the file is empty", "write {} for a file that defines nothing, or delete it")
	}
	return data, nil
}

func sizeLimit(dialect Dialect) int {
	if dialect == RooModes || dialect.traits().toml {
		return maxYAMLSize
	}
	return maxFileSize
}

func tooLarge(size int64, limit int) *syntaxError {
	return &syntaxError{
		Message: fmt.Sprintf("the file has %.1f MB, and at most %g MB are read", float64(size)/(1<<20), float64(limit)/(1<<20)),
		Hint:    "remove what does not belong there, or move the servers and modes that Winnow is to read to a winnow.json",
	}
}

// file decodes valid text.
func (d *decoder) file(data []byte) (File, *syntaxError) {
	if d.source.Dialect == RooModes {
		return d.modesFile(data)
	}
	switch d.source.Dialect {
	case Lock:
		return File{Text: data}, nil
	case Followed:
		return File{}, nil
	}
	if d.traits.toml {
		lines := jsonc.NewLines(data)
		d.locate = func(p place) position { return lines.At(p.offset) }
		root, failure := parseTOML(data, lines, d.traits.serversKey)
		return d.root(root), failure
	}
	doc, failure := jsonc.Parse(data)
	if failure != nil {
		return File{}, failure
	}
	d.locate = func(p place) position { return doc.Lines.At(p.offset) }
	if d.traits.strict {
		if at, found := nonStandard(doc); found {
			d.report(Warning, at, fmt.Sprintf("%s refuses comments and trailing commas in this file", d.traits.client), "Winnow reads the file all the same; remove them for the other client")
		}
	}
	if d.source.Project != "" {
		return d.projectFile(doc), nil
	}
	root := rootNode(doc, func(key string) bool {
		return d.traits.own || key == d.traits.serversKey || key == "inputs"
	})
	if root.kind != kindObject {
		return File{}, unreadable(d.locate(root.at), fmt.Sprintf("the file must hold an object, not %s", root.kind), fmt.Sprintf(`write { %q: { … } }`, d.traits.serversKey))
	}
	file := d.root(root)
	if settings := doc.Find("settings"); d.traits.own && settings != nil {
		file.Settings = doc.Alone(*settings)
	}
	return file, nil
}

// projectFile decodes the servers of one project of ~/.claude.json and ignores the rest.
func (d *decoder) projectFile(doc *jsonc.Document) File {
	var file File
	for _, key := range projectKeys(d.source.Project) {
		if v := doc.Find("projects", key, d.traits.serversKey); v != nil {
			file.Entries = d.entries(jsonNode(*v))
			return file
		}
	}
	return file
}

// root decodes the outermost object.
func (d *decoder) root(root node) File {
	var file File
	found := false
	members := root.fields(d.repeated)
	for _, m := range members {
		switch {
		case m.key == d.traits.serversKey:
			found = true
			file.Entries = d.entries(m.value)
		case m.key == "inputs" && d.traits.inputs:
			file.Inputs = d.inputs(m.value)
		case m.key == "modes" && d.traits.own:
			file.Modes = d.winnowModes(m.value)
		case m.key == "endpoints" && d.traits.own:
			file.Endpoints = d.endpoints(m)
		case m.key == "settings" && d.traits.own: // package settings reads it
		case d.traits.own && m.key != "$schema":
			hint := didYouMean(m.key, []string{"servers", "modes", "inputs", "endpoints", "settings"})
			if m.key == "mcpServers" {
				hint = `here it is called "servers"`
			}
			d.report(Warning, m.at, fmt.Sprintf("unknown key %q is not read", m.key), hint)
		}
	}
	if !found && !d.traits.own {
		d.misnamedServers(members)
	}
	return file
}

// misnamedServers reports servers under the root key of another dialect or a misspelled
// one. Other keys of such a file belong to its client.
func (d *decoder) misnamedServers(members []member) {
	for _, m := range members {
		if slices.Contains([]string{"servers", "mcpServers"}, m.key) || suggest(m.key, []string{d.traits.serversKey}) != "" {
			d.report(Warning, m.at, fmt.Sprintf("%q is not read in this file", m.key), fmt.Sprintf("%s calls it %q here", d.traits.client, d.traits.serversKey))
		}
	}
}

// entries decodes the server entries.
func (d *decoder) entries(v node) []Entry {
	members, _ := d.object(d.traits.serversKey, v)
	list := make([]Entry, 0, len(members))
	for _, m := range members {
		if d.named(m) {
			list = append(list, d.decodeEntry(m))
		}
	}
	return list
}

// maxServerName is the most bytes of a server's name, which is shown in lists, messages
// and names of tools.
const maxServerName = 256

// named reports whether an entry has a usable name. One without is skipped; the others
// are kept.
func (d *decoder) named(m member) bool {
	switch {
	case strings.TrimSpace(m.key) == "":
		d.report(Error, m.at, "a server needs a name", "write one before the colon")
	case len(m.key) > maxServerName:
		d.report(Error, m.at, fmt.Sprintf("the name of a server has %d bytes, and at most %d are allowed", len(m.key), maxServerName), "give it a shorter name")
	default:
		return true
	}
	return false
}

// projectKeys returns the spellings of a folder in ~/.claude.json: unchanged, and with
// forward slashes on Windows.
func projectKeys(folder string) []string {
	slashed := string(bytes.ReplaceAll([]byte(folder), []byte(`\`), []byte("/")))
	if slashed == folder {
		return []string{folder}
	}
	return []string{folder, slashed}
}

// decodeEntry decodes the entry called m.key. It always returns one, so that the user
// sees the server and why it does not run.
func (d *decoder) decodeEntry(m member) Entry {
	where := d.locate(m.at)
	e := &entryDecoder{decoder: d, given: map[string]place{}}
	e.entry = Entry{Name: m.key, Origin: Origin{d.source, where.Line, where.Column}}
	d.server = m.key
	defer func() { d.server = "" }()

	switch {
	case m.value.kind != kindObject:
		e.fail(m.value.at, fmt.Sprintf("server %q must be an object, not %s", m.key, m.value.kind), `write { "command": … } or { "url": … }`)
	default:
		members := m.value.fields(d.repeated)
		if d.traits.opencode {
			members = fromOpencode(members)
		}
		if d.traits.toml {
			members = fromCodex(members)
		}
		e.fields(members)
		e.check(m.at)
	}
	e.entry.Invalid = e.fatal
	return e.entry
}
