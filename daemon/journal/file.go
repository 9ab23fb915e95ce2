package journal

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	// name is the file that is appended to.
	name = "journal.jsonl"
	// aside matches the rotated files.
	aside = "journal-*.jsonl"
	// asideTime sorts them by name, and is valid in file names on all systems.
	asideTime = "20060102T150405.000000000"
)

// Dir returns the folder of the record in a storage path.
func Dir(storage string) string { return filepath.Join(storage, "journal") }

// Files is a [Sink] in a folder, which several processes may use at once.
type Files struct{ file file }

// NewFiles returns the record in a folder, which need not exist. A file is rotated at
// maxBytes, and maxFiles rotated ones are kept.
func NewFiles(dir string, maxBytes int64, maxFiles int) *Files {
	return &Files{file{path: filepath.Join(dir, name), maxBytes: maxBytes, maxFiles: maxFiles}}
}

// Append implements [Sink].
func (f *Files) Append(_ context.Context, entries []Entry) error {
	var lines bytes.Buffer
	for i := range entries {
		encode(&lines, &entries[i])
	}
	return f.file.append(lines.Bytes())
}

// file is the file that is appended to. It belongs to one goroutine.
//
// Libraries that rotate files expect to be the only writer, but every daemon of a storage
// folder shares the record. Each append is one write to a file opened for appending. A
// writer that finds another file at the path opens that one.
type file struct {
	path     string
	maxBytes int64
	maxFiles int
	open     *os.File
}

// append writes complete lines.
func (f *file) append(lines []byte) error {
	info, err := f.ready()
	if err != nil {
		return err
	}
	if info.Size() > 0 && info.Size()+int64(len(lines)) > f.maxBytes {
		if err := f.putAside(); err != nil {
			return err
		}
		if _, err := f.ready(); err != nil {
			return err
		}
	}
	_, err = f.open.Write(lines)
	return err
}

// ready opens the file at the path, unless it is already open.
func (f *file) ready() (fs.FileInfo, error) {
	if f.open != nil {
		now, err := os.Stat(f.path)
		ours, ourErr := f.open.Stat()
		if err == nil && ourErr == nil && os.SameFile(now, ours) {
			return ours, nil
		}
		f.close()
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return nil, err
	}
	opened, err := os.OpenFile(f.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	f.open = opened
	return opened.Stat()
}

// putAside rotates the full file, and deletes the oldest rotated ones.
func (f *file) putAside() error {
	f.close()
	dir := filepath.Dir(f.path)
	to := filepath.Join(dir, "journal-"+time.Now().UTC().Format(asideTime)+".jsonl")
	// Another process may have been first.
	if err := os.Rename(f.path, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, aside))
	if err != nil {
		return err
	}
	slices.Sort(old)
	for len(old) > f.maxFiles {
		if err := os.Remove(old[0]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		old = old[1:]
	}
	return nil
}

func (f *file) close() {
	if f.open != nil {
		_ = f.open.Close()
		f.open = nil
	}
}
