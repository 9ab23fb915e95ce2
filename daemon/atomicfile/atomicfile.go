// Package atomicfile reads and replaces files that others read and replace at
// the same time: another window's daemon, an editor, a virus scanner. Whoever
// reads a file that is replaced here sees the old text or the new one, never a
// part, also after a crash and also on Windows.
//
// Of two that replace a file at once, the later one wins; who reads before it
// writes takes [Lock] first.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Lock keeps others that call it, of this process or another, from a file until
// unlock. It makes a file beside it; the folder has to be there.
func Lock(path string) (unlock func(), err error) {
	return lockedfile.MutexAt(path + ".lock").Lock()
}

// linkTarget follows symbolic links to the file that is really written, which
// need not exist.
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
		return path, nil //nolint:nilerr // it is no link: the file is to be made
	}
	// The link leads nowhere yet. It ends somewhere: a loop is another error.
	if !filepath.IsAbs(link) {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return "", fmt.Errorf("follow %s: %w", path, err)
		}
		link = filepath.Join(dir, link)
	}
	return linkTarget(link)
}
