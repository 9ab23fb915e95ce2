// Package storage stores named blobs in a folder that only the user may read: servers'
// lists, vectors, results, conversations, learned data.
//
// A blob is replaced atomically, so that a crash, or another daemon on the same folder,
// leaves the old or the new one. A header has its format, version and checksum: a damaged
// blob or one of another version is a separate error and affects only itself. The folder
// is bounded, and cleared in one place. All data here can be lost: it is recreated
// (lists, vectors) or dispensable (learned data, tools of a chat). The user's decisions
// (consents) and the backups of their files are not stored here.
package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
)

// Bounds limits a folder; 0 means no limit. The least recently used blobs are deleted,
// but never the one being written.
type Bounds struct {
	// MaxCount limits the number of blobs, MaxBytes their total size.
	MaxCount int
	MaxBytes int64
	// MaxAge is how long an unused blob is kept.
	MaxAge time.Duration
}

// Folder is a folder of blobs with one suffix. Without a Dir it is empty and stores
// nothing. Safe for concurrent use, also by several processes.
type Folder struct {
	Dir string
	// Format names the format and version of the blobs, such as "manifest 3". A blob of
	// another format is not read.
	Format string
	// Suffix is the extension of the files; other files in the folder are not touched.
	Suffix string
	Bounds Bounds
}

// Path returns the file of a blob, for messages.
func (f Folder) Path(name string) string { return filepath.Join(f.Dir, name+f.Suffix) }

// Read returns a blob, or nil if there is none. It returns [ErrUnusable] for a damaged
// blob or one of another format.
func (f Folder) Read(name string) ([]byte, error) {
	if f.Dir == "" {
		return nil, nil
	}
	data, err := atomicfile.Read(f.Path(name), maxBlob)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case len(data) > maxBlob:
		return nil, fmt.Errorf("%w: it is larger than %d MB", ErrUnusable, maxBlob>>20)
	}
	return f.unwrap(data)
}

// Use marks a blob as used now. If that fails, the blob may be deleted and recreated
// later.
func (f Folder) Use(name string) {
	if f.Dir != "" {
		now := time.Now()
		_ = os.Chtimes(f.Path(name), now, now)
	}
}

// Write replaces a blob, and deletes those beyond the bounds.
func (f Folder) Write(name string, data []byte) error {
	if f.Dir == "" {
		return nil
	}
	if err := atomicfile.WriteIn(f.Dir, name+f.Suffix, f.wrap(data), 0o600); err != nil {
		return err
	}
	if f.Bounds == (Bounds{}) {
		return nil
	}
	return f.prune(name)
}

// Lock locks a blob against other processes that also lock it, for reading, changing and
// writing.
func (f Folder) Lock(name string) (unlock func(), err error) {
	if f.Dir == "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return nil, err
	}
	return atomicfile.Lock(f.Path(name))
}

// Prune deletes the blobs beyond the bounds.
func (f Folder) Prune() error { return f.prune("") }

// Remove deletes a blob, if there is one.
func (f Folder) Remove(name string) error {
	if f.Dir == "" {
		return nil
	}
	return remove(f.Path(name))
}

// Clear deletes all blobs, and the folder if it is then empty.
func (f Folder) Clear() error {
	blobs, err := f.List()
	errs := []error{err}
	for _, blob := range blobs {
		errs = append(errs, f.Remove(blob.Name))
	}
	_ = os.Remove(f.Dir) // fails if there are other files, which stay
	return errors.Join(errs...)
}

// Blob describes a blob without its content.
type Blob struct {
	Name string
	Size int64
	Used time.Time
}

// List returns the blobs, least recently used first. It skips those deleted meanwhile.
func (f Folder) List() ([]Blob, error) {
	if f.Dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(f.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var blobs []Blob
	for _, entry := range entries {
		name, ours := strings.CutSuffix(entry.Name(), f.Suffix)
		if !ours || strings.HasPrefix(name, ".") { // files being written begin with a dot
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			blobs = append(blobs, Blob{name, info.Size(), info.ModTime()})
		}
	}
	slices.SortStableFunc(blobs, func(a, b Blob) int { return a.Used.Compare(b.Used) })
	return blobs, nil
}

// Misplaced returns the names of entries that are not files, such as folders or links.
// Nothing can be read or written there.
func (f Folder) Misplaced() []string {
	entries, _ := os.ReadDir(f.Dir) // List reports errors
	var names []string
	for _, entry := range entries {
		name, ours := strings.CutSuffix(entry.Name(), f.Suffix)
		if ours && !strings.HasPrefix(name, ".") && !entry.Type().IsRegular() {
			names = append(names, name)
		}
	}
	return names
}

// prune deletes the blobs beyond the bounds, except the blob keep.
func (f Folder) prune(keep string) error {
	blobs, err := f.List()
	if err != nil {
		return err
	}
	var size int64
	for _, blob := range blobs {
		size += blob.Size
	}
	var errs []error
	for i, blob := range blobs {
		count := len(blobs) - i
		old := f.Bounds.MaxAge > 0 && time.Since(blob.Used) > f.Bounds.MaxAge
		full := f.Bounds.MaxCount > 0 && count > f.Bounds.MaxCount || f.Bounds.MaxBytes > 0 && size > f.Bounds.MaxBytes
		if !old && !full {
			break // all others were used later
		}
		if blob.Name == keep {
			continue
		}
		errs = append(errs, f.Remove(blob.Name))
		size -= blob.Size
	}
	return errors.Join(errs...)
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; delete the file by hand", err)
	}
	return nil
}
