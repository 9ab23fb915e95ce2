// Package atomicfile reads and replaces files that other processes also read and replace:
// another window's daemon, an editor, a virus scanner. A reader sees the old text or the
// new one, never a part, even after a crash and on Windows.
//
// Of concurrent replacements, the last one wins. A writer that reads first must take
// [Lock].
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Lock locks a file against other callers of Lock, in any process, until unlock. It
// creates a file beside it; the folder must exist.
func Lock(path string) (unlock func(), err error) {
	return lockedfile.MutexAt(path + ".lock").Lock()
}

// linkTarget follows symbolic links to the file to write, which need not exist.
func linkTarget(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if err == nil {
		return target, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("follow %s: %w", path, err)
	}
	link, err := os.Readlink(path)
	if err != nil {
		return path, nil //nolint:nilerr // not a link: the file will be created
	}
	// A dangling link. It ends somewhere, because a loop is another error.
	if !filepath.IsAbs(link) {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return "", fmt.Errorf("follow %s: %w", path, err)
		}
		link = filepath.Join(dir, link)
	}
	return linkTarget(link)
}
