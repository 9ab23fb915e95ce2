// Package launcher keeps a path to winnowd that survives updates: a link in the
// user's folder for Winnow to the program that ran last, or a copy of one that
// lies where npm may delete it. Editors and package
// managers put each version into a folder of its own and delete the earlier
// one, and the configurations of other clients would point to nothing.
package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// privateDir is the mode of the folder: what stands in it is started.
const privateDir = 0o700

// Path is where the launcher of a user's folder for Winnow is.
func Path(userDir string) string { return filepath.Join(userDir, "bin", name) }

// Ensure makes the launcher start program, which is an absolute path, and
// returns the launcher's own. What is no link of this package stays as it is and
// is an error.
func Ensure(userDir, program string) (string, error) {
	path := Path(userDir)
	if err := os.MkdirAll(filepath.Dir(path), privateDir); err != nil {
		return "", fmt.Errorf("make the launcher: %w", err)
	}
	if isCopy(path, program) {
		return path, nil // this process was started by it
	}
	same, err := starts(path, program)
	if err == nil && !same {
		err = replace(path, program)
	}
	if err != nil {
		return "", fmt.Errorf("make the launcher: %w", err)
	}
	return path, nil
}

// Follow makes a launcher that is there start program. It makes none.
func Follow(userDir, program string) error {
	if _, err := os.Lstat(Path(userDir)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_, err := Ensure(userDir, program)
	return err
}

// isCopy reports whether the program is the launcher itself, which then is a
// copy. A link to itself would take its place.
func isCopy(path, program string) bool {
	at, err := os.Lstat(path)
	if err != nil || !at.Mode().IsRegular() {
		return false
	}
	of, err := os.Stat(program)
	return err == nil && os.SameFile(at, of)
}

// passing reports whether a program lies in the cache of npx, which npm empties
// when it likes.
func passing(program string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(program), "/"), "_npx")
}

// Program is the path of the program that runs, whatever link it was started
// by.
func Program() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the running program: %w", err)
	}
	return filepath.EvalSymlinks(path)
}
