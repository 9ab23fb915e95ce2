// Package history keeps what is needed to undo moves of servers: a record of
// each, and both files as they were before it, for the user alone to read. The
// files hold secrets, and a record that cannot be read any more leaves them to
// copy from.
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
	// recordFile is in the folder of each move, beside the backups.
	recordFile   = "record.json"
	backupPrefix = "backup of "
	privateDir   = 0o700
	privateFile  = 0o600
	// maxRecord bounds a record, which holds two files before and after.
	maxRecord = 64 << 20
)

// ErrUnknown is the error of a move that is not there, such as one that was
// undone already.
var ErrUnknown = errors.New("this import is not known: it was undone already")

// Record is a move that was made.
type Record struct {
	Version int `json:"version"`
	// ID is the name of the move's folder.
	ID       string                   `json:"id"`
	Plan     imports.Plan             `json:"plan"`
	Settings []protocol.ImportSetting `json:"settings,omitempty"`
}

// idTime is how the time of a move is its id: without colons, which Windows does
// not allow.
const idTime = "2006-01-02T15-04-05.000000000Z"

// At is when the move was made.
func (r *Record) At() time.Time {
	at, err := time.Parse(idTime, r.ID)
	if err != nil {
		return time.Time{}
	}
	return at
}

// Broken is a move whose record cannot be read.
type Broken struct {
	// Dir has its backups.
	Dir    string
	Reason error
}

// History is the moves that can be undone.
type History struct{ dir string }

// In returns the history that is kept in the user's folder for Winnow.
func In(userDir string) History { return History{filepath.Join(userDir, "imports")} }

// Keep records a move that is about to be made.
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

// List returns the moves that can be undone, and those that could be if their
// records could be read; the newest first.
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
		case !errors.Is(err, ErrUnknown): // that one was cut off before anything was moved
			broken = append(broken, Broken{filepath.Join(h.dir, e.Name()), err})
		}
	}
	return records, broken, nil
}

// Find returns the move of an id; ErrUnknown when there is none.
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

// Forget deletes what was kept of a move; it is no error when nothing was.
func (h History) Forget(id string) error {
	if !isID(id) {
		return ErrUnknown
	}
	if err := os.RemoveAll(filepath.Join(h.dir, id)); err != nil {
		return fmt.Errorf("forget the import: %w", err)
	}
	return nil
}

// isID reports whether a text can name a folder of the history, and nothing
// else on the disk.
func isID(id string) bool { return id != "." && filepath.IsLocal(id) && filepath.Base(id) == id }
