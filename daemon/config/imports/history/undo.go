package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/config/imports"
	"github.com/winnow-mcp/winnow/protocol"
)

// UndoAll undoes every move on disk, newest first, as when Winnow is uninstalled without
// an editor. It continues after a move that fails or has an unreadable record, whose
// backup stays.
func (h History) UndoAll() error {
	records, broken, err := h.List()
	failed := []error{err}
	for _, b := range broken {
		failed = append(failed, fmt.Errorf("%s: %w", b.Dir, b.Reason))
	}
	for _, r := range records {
		if err := h.undo(r); err != nil {
			failed = append(failed, fmt.Errorf("undo the import from %s: %w", r.Plan.Source.Path, err))
		}
	}
	return errors.Join(failed...)
}

func (h History) undo(r Record) error {
	source, target, _, err := PlanUndo(r)
	if err != nil {
		return err
	}
	return h.Undo(r, source, target)
}

// PlanUndo returns the changes that undo a move in both files as they are on disk now.
func PlanUndo(r Record) (source, target imports.Change, notes []protocol.ImportNote, err error) {
	sourceNow, err := read(r.Plan.Source.Path)
	if err != nil {
		return source, target, nil, err
	}
	targetNow, err := read(r.Plan.Target.Path)
	if err != nil {
		return source, target, nil, err
	}
	return imports.Undo(r.Plan, sourceNow, targetNow)
}

// Undo makes the changes of [PlanUndo], and forgets the move.
func (h History) Undo(r Record, source, target imports.Change) error {
	// The other client's file first: after a failure in between, a server is in both
	// files, not in none.
	if err := errors.Join(put(source), put(target)); err != nil {
		return err
	}
	return h.Forget(r.ID)
}

// read returns the text of a file, or nil if it does not exist.
func read(path string) (*string, error) {
	data, err := config.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text := string(data)
	return &text, nil
}

// put makes a change on disk, if it is one. A file keeps its permissions and symbolic
// link; a new one is private to the user.
func put(c imports.Change) error {
	if c.Before != nil && c.After != nil && *c.Before == *c.After {
		return nil
	}
	if c.After == nil {
		if err := os.Remove(c.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("delete %s: %w", c.Path, err)
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(c.Path), privateDir); err != nil {
		return fmt.Errorf("write %s: %w", c.Path, err)
	}
	return atomicfile.Write(c.Path, []byte(*c.After), privateFile)
}
