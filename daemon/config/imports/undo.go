package imports

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Undo returns the changes that undo a move in both files, given their current content;
// nil means no file. A file unchanged since the move gets back its former bytes. In a
// changed one, only the entries are restored and removed.
func Undo(made Plan, sourceNow, targetNow *string) (source, target Change, notes []protocol.ImportNote, err error) {
	u := undoer{made: made}
	source = Change{Path: made.Source.Path, Before: sourceNow, After: made.Source.Before}
	target = Change{Path: made.Target.Path, Before: targetNow, After: made.Target.Before}
	if sourceNow != nil && *sourceNow != *made.Source.After {
		if source.After, err = u.source(*sourceNow); err != nil {
			return source, target, u.notes, fmt.Errorf("put the servers back: %w", err)
		}
	}
	if targetNow != nil && *targetNow != *made.Target.After {
		if target.After, err = u.target(*targetNow); err != nil {
			return source, target, u.notes, fmt.Errorf("take the servers out: %w", err)
		}
	}
	return source, target, u.notes, nil
}

type undoer struct {
	made  Plan
	notes []protocol.ImportNote
}

// source restores the entries.
func (u *undoer) source(now string) (*string, error) {
	if len(u.made.Servers) == 0 {
		return &now, nil // the file may have anything where servers would be
	}
	path := u.made.Source.Path
	f, err := open(path, now)
	if err != nil {
		return nil, err
	}
	servers, err := f.root.Child(u.made.Dialect.ServersKey(), true)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, s := range u.made.Servers {
		if servers.Has(s.Name) {
			u.notes = append(u.notes, protocol.ImportNote{Kind: protocol.NoteThereAgain, Server: s.Name, Path: path})
			continue
		}
		if err := servers.Insert(s.Name, s.Entry); err != nil {
			return nil, err
		}
	}
	return f.text(), nil
}

// target removes what the move added. The user's later additions, such as a disabled
// tool, stay.
func (u *undoer) target(now string) (*string, error) {
	path := u.made.Target.Path
	f, err := open(path, now)
	if err != nil {
		return nil, err
	}
	if err := u.takeOut(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := u.takeInputs(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	u.notes = append(u.notes, protocol.ImportNote{Kind: protocol.NoteChangedSince, Path: path})
	return f.text(), nil
}

func (u *undoer) takeOut(f file) error {
	servers, ok := f.servers(ownServers)
	if !ok {
		return nil
	}
	for _, s := range u.made.Servers {
		entry, err := servers.Child(s.Name, false)
		if err != nil {
			continue // the user removed it
		}
		for _, key := range s.Keys {
			if err := entry.Remove(key); err != nil {
				return err
			}
		}
		if overrides, err := entry.Child(descriptions, false); err == nil {
			for _, tool := range s.Described {
				if err := overrides.Remove(tool); err != nil {
					return err
				}
			}
		}
		if entry.IsEmpty() {
			if err := servers.Remove(s.Name); err != nil {
				return err
			}
		}
	}
	if servers.IsEmpty() && !u.had(ownServers) {
		return f.root.Remove(ownServers)
	}
	return nil
}

// had reports whether Winnow's file had a key before the move.
func (u *undoer) had(key string) bool {
	f, err := open("", textOf(u.made.Target.Before))
	return err == nil && f.root.Has(key)
}

// takeInputs removes the inputs that were copied with the move, unless the file still
// uses them.
func (u *undoer) takeInputs(f file) error {
	for _, id := range u.made.Inputs {
		i := inputAt(f.root, id)
		if i < 0 || strings.Contains(*f.text(), "${input:"+id+"}") {
			continue
		}
		if err := f.root.RemoveElement(inputs, i); err != nil {
			return err
		}
	}
	if len(f.root.Elements(inputs)) == 0 && !u.had(inputs) {
		return f.root.Remove(inputs)
	}
	return nil
}
