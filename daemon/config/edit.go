package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

// Edit is a change to one entry of one file, a server's or a mode's. It keeps
// everything else in the file: comments, order and formatting.
type Edit struct {
	// Source is where the change belongs.
	Source Source
	// path is where the entry stands in the file, or in the source's project.
	path   []string
	change func(entry jsonc.Object) error
	// restore, when set, takes the place of both: it gives the whole file
	// another text.
	restore func(data []byte) ([]byte, error)
}

// Change is what an edit made of its file: the text just before, nil where
// there was no file, and after.
type Change struct{ Before, After []byte }

// Any reports whether the edit changed anything.
func (c Change) Any() bool { return !bytes.Equal(c.Before, c.After) }

// Restore gives a file the text that it had before an edit. A file that has
// another text than after the edit is left alone: somebody else changed it.
func Restore(source Source, made Change) Edit {
	return Edit{Source: source, restore: func(data []byte) ([]byte, error) {
		if !bytes.Equal(data, made.After) {
			return nil, errors.New("the file was changed since: what is to be undone must be undone by hand")
		}
		if made.Before == nil { // Winnow's own, which the edit made
			return []byte("{}\n"), nil
		}
		return made.Before, nil
	}}
}

// SetToolEnabled switches a tool on or off for everyone who reads the file. An
// onlyAllow that is in force is edited; else disabledTools. The change goes
// where that list is now, and a list that is nowhere yet goes to the entry that
// defines the server.
func SetToolEnabled(s Server, tool string, enabled bool) Edit {
	tool = jsonText(tool)
	if len(s.Policy.OnlyAllow) > 0 {
		return s.edit(func(p Policy) bool { return p.OnlyAllow != nil }, func(entry jsonc.Object) error {
			return setOnlyAllowed(entry, s.Name, tool, enabled)
		})
	}
	return s.edit(func(p Policy) bool { return p.DisabledTools != nil }, func(entry jsonc.Object) error {
		return setName(entry, "disabledTools", tool, !enabled)
	})
}

// SetServerEnabled writes a server's disabled.
func SetServerEnabled(s Server, enabled bool) Edit {
	return s.edit(func(p Policy) bool { return p.Disabled != nil }, func(entry jsonc.Object) error {
		entry.SetBool("disabled", !enabled)
		return nil
	})
}

// SetAlwaysLoad writes alwaysLoad for one tool, or for the whole server when
// tool is empty.
func SetAlwaysLoad(s Server, tool string, on bool) Edit {
	tool = jsonText(tool)
	return s.edit(func(p Policy) bool { return p.AlwaysLoad != nil }, func(entry jsonc.Object) error {
		if tool == "" {
			return setServerAlwaysLoad(entry, on)
		}
		return setToolAlwaysLoad(entry, s, tool, on)
	})
}

// SetApproved writes a tool's alwaysAllow.
func SetApproved(s Server, tool string, approved bool) Edit {
	tool = jsonText(tool)
	return s.edit(func(p Policy) bool { return p.AlwaysAllow != nil }, func(entry jsonc.Object) error {
		if slices.Contains(s.Policy.AlwaysAllow, "*") && tool != "*" {
			if approved {
				return nil
			}
			return fmt.Errorf(`alwaysAllow of server %q holds "*", which stands for every tool: replace it by the tools that may run without asking`, s.Name)
		}
		return setName(entry, "alwaysAllow", tool, approved)
	})
}

// SetDescription writes what models read about a tool instead of the server's
// own description; empty text goes back to that.
func SetDescription(s Server, tool, text string) Edit {
	tool, text = jsonText(tool), jsonText(text)
	has := func(p Policy) bool { _, ok := p.DescriptionOverrides[tool]; return ok }
	return s.edit(has, func(entry jsonc.Object) error {
		const key = "toolDescriptionOverrides"
		if text == "" && !entry.Has(key) {
			return nil
		}
		overrides, err := entry.Child(key, true)
		if err != nil {
			return err
		}
		if text == "" {
			return overrides.Remove(tool)
		}
		overrides.SetString(tool, text)
		return nil
	})
}

// jsonText returns text as it will read in a file, where only UTF-8 can be.
func jsonText(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// edit places a change in the strongest layer whose policy has what is changed,
// or else in the entry that defines the server.
func (s Server) edit(has func(Policy) bool, change func(jsonc.Object) error) Edit {
	source := s.Origin.Source
	if i := slices.IndexFunc(s.Layers, func(e Entry) bool { return has(e.Policy) }); i >= 0 {
		source = s.Layers[i].Origin.Source
	}
	return Edit{Source: source, path: []string{source.Dialect.traits().serversKey, s.Name}, change: change}
}

// setName has a name in a list, or not.
func setName(entry jsonc.Object, key, name string, present bool) error {
	if present {
		return entry.AddName(key, name)
	}
	return entry.RemoveName(key, name)
}

// setOnlyAllowed edits onlyAllow. Its last name cannot go: an empty list is the
// same as none, and would allow every tool.
func setOnlyAllowed(entry jsonc.Object, server, tool string, enabled bool) error {
	names, err := entry.Names("onlyAllow")
	switch {
	case err != nil:
		return err
	case len(names) == 0:
		return fmt.Errorf("onlyAllow of server %q has changed meanwhile: try again", server)
	case !enabled && !slices.ContainsFunc(names, func(name string) bool { return name != tool }):
		return fmt.Errorf("%q is the last tool that onlyAllow of server %q lists, and an empty list would allow all: disable the server instead", tool, server)
	}
	return setName(entry, "onlyAllow", tool, enabled)
}

// setServerAlwaysLoad writes alwaysLoad for all tools, and takes away the other
// ways to say the same.
func setServerAlwaysLoad(entry jsonc.Object, on bool) error {
	if !on {
		for _, key := range []string{"deferred", "deferTools"} {
			if err := entry.Remove(key); err != nil {
				return err
			}
		}
	}
	entry.SetBool("alwaysLoad", on)
	return nil
}

func setToolAlwaysLoad(entry jsonc.Object, s Server, tool string, on bool) error {
	if load := s.Policy.AlwaysLoad; load != nil && load.All {
		if on {
			return nil
		}
		return fmt.Errorf("alwaysLoad of server %q is true for all its tools: switch it off, then list the tools that should stay", s.Name)
	}
	if kind := entry.Kind("alwaysLoad"); kind == 'f' || kind == 't' {
		entry.SetEmptyList("alwaysLoad")
	}
	return setName(entry, "alwaysLoad", tool, on)
}

// Apply returns the changed text of the source's file. A file that does not
// exist has no text; Winnow's own is made then, and an entry in it too.
func (e Edit) Apply(data []byte) ([]byte, error) {
	if e.restore != nil {
		text, err := e.restore(data)
		if err != nil {
			return nil, e.wrap(err)
		}
		return text, nil
	}
	own := e.Source.Dialect == Winnow
	if own && len(bytes.TrimSpace(jsonc.WithoutBOM(data))) == 0 {
		data = []byte("{}\n")
	}
	editor, failure := jsonc.NewEditor(data)
	if failure != nil {
		return nil, e.wrap(fmt.Errorf("line %d, column %d: %s", failure.Position.Line, failure.Position.Column, failure.Message))
	}
	entry, err := e.entry(editor, own)
	if err != nil {
		return nil, e.wrap(err)
	}
	if err := e.change(entry); err != nil {
		return nil, e.wrap(err)
	}
	return editor.Text(), nil
}

// entry finds what is to be changed.
func (e Edit) entry(editor *jsonc.Editor, create bool) (jsonc.Object, error) {
	object, err := editor.Root()
	path := e.path
	if e.Source.Project != "" {
		path = append(e.projectPath(editor), path...)
	}
	for _, key := range path {
		if err == nil {
			object, err = object.Child(key, create)
		}
	}
	return object, err
}

// projectPath finds how the file spells the project.
func (e Edit) projectPath(editor *jsonc.Editor) []string {
	keys := projectKeys(e.Source.Project)
	for _, key := range keys {
		if editor.Find("projects", key) != nil {
			return []string{"projects", key}
		}
	}
	return []string{"projects", keys[0]}
}

func (e Edit) wrap(err error) error { return fmt.Errorf("edit %s: %w", e.Source.Path, err) }

// write applies the edit to the file on disk, in one step. A file that would
// not change is not written.
func (e Edit) write() (Change, error) {
	before, err := readFile(e.Source.Path, sizeLimit(e.Source.Dialect))
	if err != nil && !isAbsent(err) {
		return Change{}, e.wrap(err)
	}
	after, err := e.Apply(before)
	made := Change{Before: before, After: after}
	if err != nil || !made.Any() {
		return made, err
	}
	if e.Source.Dialect == Winnow {
		if err := os.MkdirAll(filepath.Dir(e.Source.Path), 0o755); err != nil {
			return Change{}, e.wrap(err)
		}
	}
	return made, atomicfile.Write(e.Source.Path, after, newFileMode(e.Source))
}

// newFileMode keeps a user's file to the user; one in a workspace is shared.
func newFileMode(s Source) fs.FileMode {
	if s.Scope == User {
		return 0o600
	}
	return 0o644
}
