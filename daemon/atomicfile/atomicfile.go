// Package atomicfile reads and replaces files that others read and replace at
// the same time: another window's daemon, an editor, a virus scanner. Whoever
// reads a file that is replaced here sees the old text or the new one, never a
// part, also after a crash and also on Windows.
//
// It holds no locks: of two that replace a file at once, the later one wins.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

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
