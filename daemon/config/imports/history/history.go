// Package history stores what is needed to undo moves of servers: a record of each, and
// both files as before it, readable by the user only. The files contain secrets; if a
// record becomes unreadable, the user can restore from them.
package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
	"github.com/winnow-mcp/winnow/daemon/config/imports"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// version is that of the records that this package writes and reads.
const version = 2

const (
	// recordFile is in the folder of each move, with the backups.
	recordFile   = "record.json"
	backupPrefix = "backup of "
	privateDir   = 0o700
	privateFile  = 0o600
	// maxRecord is the maximum size of a record, which holds both files before and after.
	maxRecord = 64 << 20
)

// ErrUnknown is returned for an unknown move, such as one already undone.
var ErrUnknown = errors.New("this import is not known: it was undone already")

// Record is a move that was made.
type Record struct {
	Version int `json:"version"`
	// ID is the name of the move's folder.
	ID       string                   `json:"id"`
	Plan     imports.Plan             `json:"plan"`
	Settings []protocol.ImportSetting `json:"settings,omitempty"`
}

// idTime is the time format of IDs, without colons, which Windows does not allow in file
// names.
const idTime = "2006-01-02T15-04-05.000000000Z"

// At returns when the move was made.
func (r *Record) At() time.Time {
	at, err := time.Parse(idTime, r.ID)
	if err != nil {
		return time.Time{}
	}
	return at
}

// Broken is a move whose record cannot be read.
type Broken struct {
	// Dir is the folder with its backups.
	Dir    string
	Reason error
}

// History holds the moves that can be undone.
type History struct{ dir string }

// In returns the history in the user's folder for Winnow.
func In(userDir string) History { return History{filepath.Join(userDir, "imports")} }

// Keep records a move before it is made.
func (h History) Keep(p imports.Plan, settings []protocol.ImportSetting, now time.Time) (Record, error) {
	r := Record{Version: version, ID: now.UTC().Format(idTime), Plan: p, Settings: settings}
	if err := os.MkdirAll(h.dir, privateDir); err != nil {
		return r, fmt.Errorf("keep a backup: %w", err)
	}
	dir := filepath.Join(h.dir, r.ID)
	if err := os.Mkdir(dir, privateDir); err != nil {
		return r, fmt.Errorf("keep a backup: %w", err)
	}
	for _, c := range []imports.Change{p.Source, p.Target} {
		if c.Before == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, backupPrefix+filepath.Base(c.Path)), []byte(*c.Before), privateFile); err != nil {
			return r, fmt.Errorf("keep a backup: %w", err)
		}
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return r, fmt.Errorf("record the import: %w", err)
	}
	return r, atomicfile.Write(filepath.Join(dir, recordFile), data, privateFile)
}

// List returns the moves that can be undone, and those whose records cannot be read;
// newest first.
func (h History) List() ([]Record, []Broken, error) {
	entries, err := os.ReadDir(h.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("list imports: %w", err)
	}
	slices.Reverse(entries)
	var records []Record
	var broken []Broken
	for _, e := range entries {
		r, err := h.Find(e.Name())
		switch {
		case err == nil:
			records = append(records, r)
		case !errors.Is(err, ErrUnknown): // it was interrupted before anything was moved
			broken = append(broken, Broken{filepath.Join(h.dir, e.Name()), err})
		}
	}
	return records, broken, nil
}

// Find returns a move by ID. It returns ErrUnknown if there is none.
func (h History) Find(id string) (Record, error) {
	var r Record
	if !isID(id) {
		return r, ErrUnknown
	}
	data, err := atomicfile.Read(filepath.Join(h.dir, id, recordFile), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return r, ErrUnknown
	}
	if err != nil {
		return r, fmt.Errorf("read the record: %w", err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("read the record: %w", ijson.Words(err))
	}
	if r.Version != version {
		return r, fmt.Errorf("it is of version %d, and this Winnow reads version %d only", r.Version, version)
	}
	if p := r.Plan; r.ID != id || p.Source.Before == nil || p.Source.After == nil || p.Target.After == nil {
		return r, errors.New("something is missing in it")
	}
	return r, nil
}

// Forget deletes the data of a move. It is not an error if there is none.
func (h History) Forget(id string) error {
	if !isID(id) {
		return ErrUnknown
	}
	if err := os.RemoveAll(filepath.Join(h.dir, id)); err != nil {
		return fmt.Errorf("forget the import: %w", err)
	}
	return nil
}

// isID reports whether a text is a plain folder name within the history.
func isID(id string) bool { return id != "." && filepath.IsLocal(id) && filepath.Base(id) == id }
