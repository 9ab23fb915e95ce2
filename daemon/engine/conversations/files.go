package conversations

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
)

// MaxFiles is how many conversations [Files] keeps. Those written longest ago
// give way.
const MaxFiles = 128

// fileSuffix ends the names of the files.
const fileSuffix = ".json"

// Files is a [Store] of one file each in a folder, which only the user may
// read. It is made when it is needed.
type Files struct{ Dir string }

// Load implements [Store].
func (f Files) Load(name string) ([]byte, error) {
	data, err := os.ReadFile(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a kept conversation: %w", err)
	}
	return data, nil
}

// Save implements [Store].
func (f Files) Save(name string, data []byte) error {
	if err := atomicfile.WriteIn(f.Dir, filepath.Base(f.path(name)), data, 0o600); err != nil {
		return fmt.Errorf("write a conversation: %w", err)
	}
	return f.prune()
}

// Delete implements [Store].
func (f Files) Delete(name string) error { return remove(f.path(name)) }

// Clear implements [Store].
func (f Files) Clear() error {
	files, err := f.list()
	for _, file := range files {
		err = errors.Join(err, remove(filepath.Join(f.Dir, file.Name())))
	}
	return err
}

// prune deletes the files that are too many, the oldest first.
func (f Files) prune() error {
	files, err := f.list()
	if err != nil || len(files) <= MaxFiles {
		return err
	}
	slices.SortStableFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, file := range files[:len(files)-MaxFiles] {
		err = errors.Join(err, remove(filepath.Join(f.Dir, file.Name())))
	}
	return err
}

// list returns the files that are kept. Those that go meanwhile are left out.
func (f Files) list() ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(f.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the kept conversations: %w", err)
	}
	var files []fs.FileInfo
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(info.Name(), fileSuffix) {
			files = append(files, info)
		}
	}
	return files, nil
}

func (f Files) path(name string) string { return filepath.Join(f.Dir, name+fileSuffix) }

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete a kept conversation: %w", err)
	}
	return nil
}
