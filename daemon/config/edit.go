package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

// Edit is a change of one entry of one file, a server's or a mode's. It keeps the rest of
// the file: comments, order and formatting.
type Edit struct {
	// Source is the file to change.
	Source Source
	// path is the path of the entry in the file, or in the source's project.
	path   []string
	change func(entry jsonc.Object) error
	// restore, if set, replaces both: it returns the whole file's new text, or nil to
	// delete it.
	restore func(data []byte) ([]byte, error)
}

// Change is the result of an edit: the file's text before and after, nil if there was or
// is no file.
type Change struct{ Before, After []byte }

// Any reports whether the edit changed anything.
func (c Change) Any() bool { return !bytes.Equal(c.Before, c.After) }

// Restore restores the text that a file had before an edit, or deletes a file that the
// edit created. It fails if the file has changed since the edit.
func Restore(source Source, made Change) Edit {
	return Edit{Source: source, restore: func(data []byte) ([]byte, error) {
		if !bytes.Equal(data, made.After) {
			return nil, errors.New("the file was changed since: what is to be undone must be undone by hand")
		}
		return made.Before, nil
	}}
}

// Apply returns the changed text of the source's file. If the file does not exist, only
// Winnow's own is created, with the entry. An entry of Winnow's own file that becomes
// empty is removed.
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
	if changed, err := e.changeEntry(editor, own); err != nil {
		return nil, e.wrap(err)
	} else if !changed {
		return data, nil
	}
	return editor.Text(), nil
}

// changeEntry applies the change and reports whether there is a result to keep: an entry
// created for it that stays empty is not.
func (e Edit) changeEntry(editor *jsonc.Editor, own bool) (changed bool, err error) {
	object, err := editor.Root()
	if err != nil {
		return false, err
	}
	path := e.path
	if e.Source.Project != "" {
		path = append(e.projectPath(editor), path...)
	}
	parents := make([]jsonc.Object, 0, len(path))
	there := true
	for _, key := range path {
		parents = append(parents, object)
		there = there && object.Has(key)
		if object, err = object.Child(key, own); err != nil {
			return false, err
		}
	}
	wasEmpty := object.IsEmpty()
	if err := e.change(object); err != nil {
		return false, err
	}
	// A mode may be empty: it then allows every server.
	if !own || path[0] != Winnow.ServersKey() || !object.IsEmpty() {
		return true, nil
	}
	if !there || wasEmpty {
		return false, nil
	}
	for i := len(path) - 1; i >= 0 && object.IsEmpty(); i-- {
		object = parents[i]
		if err := object.Remove(path[i]); err != nil {
			return false, err
		}
	}
	return true, nil
}

// projectPath finds the file's spelling of the project.
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

// write applies the edit to the file on disk atomically. It does not write an unchanged
// file.
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
	if after == nil {
		if err := os.Remove(e.Source.Path); err != nil {
			return Change{}, e.wrap(err)
		}
		return made, nil
	}
	if e.Source.Dialect == Winnow {
		if err := os.MkdirAll(filepath.Dir(e.Source.Path), 0o755); err != nil {
			return Change{}, e.wrap(err)
		}
	}
	return made, atomicfile.Write(e.Source.Path, after, newFileMode(e.Source))
}

// sweepCopies removes temporary files of interrupted edits of Winnow's own files.
func sweepCopies(sources []Source) {
	for _, s := range sources {
		if s.Dialect == Winnow {
			atomicfile.Sweep(s.Path)
		}
	}
}

// newFileMode makes a user's file private; one in a workspace is shared.
func newFileMode(s Source) fs.FileMode {
	if s.Scope == User {
		return 0o600
	}
	return 0o644
}
