// Package storage keeps blobs under names in a folder that only the user may
// read: what servers listed, vectors, results, conversations, what is learned.
//
// A blob is replaced as a whole or not at all, so that a crash, or another
// window's daemon on the same folder, leaves the old one or the new one. A
// header says what is in it, in which version, and its checksum: a blob that is
// damaged or of another version is an error of its own, and costs only itself.
// The folder is bounded, and all of it is cleared in one place. Nothing here is
// precious: what is lost is made again (lists, vectors) or done without (what was
// learned, which tools a chat had). What the user has decided (consents) and the
// backups of their files are not kept here.
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

// Bounds are what a folder may hold; 0 is no bound. What was used longest ago
// gives way, but never the blob that is being written.
type Bounds struct {
	// MaxCount is the most blobs, MaxBytes the most that all of them have.
	MaxCount int
	MaxBytes int64
	// MaxAge is how long a blob is kept that is not used.
	MaxAge time.Duration
}

// Folder is a folder of blobs with one suffix. Without a Dir it holds nothing
// and keeps nothing. It is safe for concurrent use, also by several processes.
type Folder struct {
	Dir string
	// Format names what is in the blobs, and its version, such as "manifest 3".
	// A blob of another format is not read.
	Format string
	// Suffix ends the names of the files; others in the folder are not touched.
	Suffix string
	Bounds Bounds
}

// Path returns the file of a blob, for messages.
func (f Folder) Path(name string) string { return filepath.Join(f.Dir, name+f.Suffix) }

// Read returns a blob; nil when there is none. One that is damaged or of another
// format is an [ErrUnusable].
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

// Use marks a blob as used now, so that it is kept. If that fails, the blob is
// made again one day.
func (f Folder) Use(name string) {
	if f.Dir != "" {
		now := time.Now()
		_ = os.Chtimes(f.Path(name), now, now)
	}
}

// Write replaces a blob, and deletes those that the bounds do not admit any
// more.
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

// Lock keeps other processes from a blob that is read, changed and written, if
// they lock it too.
func (f Folder) Lock(name string) (unlock func(), err error) {
	if f.Dir == "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return nil, err
	}
	return atomicfile.Lock(f.Path(name))
}

// Prune deletes the blobs that the bounds do not admit.
func (f Folder) Prune() error { return f.prune("") }

// Remove deletes a blob, if there is one.
func (f Folder) Remove(name string) error {
	if f.Dir == "" {
		return nil
	}
	return remove(f.Path(name))
}

// Clear deletes all blobs, and the folder where nothing else is in it.
func (f Folder) Clear() error {
	blobs, err := f.List()
	errs := []error{err}
	for _, blob := range blobs {
		errs = append(errs, f.Remove(blob.Name))
	}
	_ = os.Remove(f.Dir) // it fails where something else is in it, which stays
	return errors.Join(errs...)
}

// Blob is what is known of a blob without reading it.
type Blob struct {
	Name string
	Size int64
	Used time.Time
}

// List returns the blobs, the one used longest ago first. Those that go
// meanwhile are left out.
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
		if !ours || strings.HasPrefix(name, ".") { // a dot begins what is being written
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			blobs = append(blobs, Blob{name, info.Size(), info.ModTime()})
		}
	}
	slices.SortStableFunc(blobs, func(a, b Blob) int { return a.Used.Compare(b.Used) })
	return blobs, nil
}

// Misplaced returns the names at which something lies that is no file, such as a
// folder or a link: nothing can be read or written there.
func (f Folder) Misplaced() []string {
	entries, _ := os.ReadDir(f.Dir) // List reports what fails
	var names []string
	for _, entry := range entries {
		name, ours := strings.CutSuffix(entry.Name(), f.Suffix)
		if ours && !strings.HasPrefix(name, ".") && !entry.Type().IsRegular() {
			names = append(names, name)
		}
	}
	return names
}

// prune deletes what the bounds do not admit, but for the blob keep.
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
