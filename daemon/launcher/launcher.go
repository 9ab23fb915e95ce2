// Package launcher keeps a path to winnowd that survives updates: a link in the
// user's folder for Winnow to the program that ran last, or a copy of one that
// lies where npm may delete it. Editors and package managers put each version
// into a folder of its own and delete the earlier one, and the configurations of
// other clients would point to nothing.
//
// What renews it: each start of an editor's daemon ([Follow]); an upgrade by
// Homebrew by itself, since the link is to the path that Homebrew keeps; each
// gateway that npx runs, of what was installed later ([FollowNPX]). What was
// installed last wins, whatever its version: who has npx install an earlier one
// wants that. On Windows, where links need a privilege, it is a script, and of
// what npx runs no copy is made.
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

// Find returns the launcher if there is one that works, or else the program. It
// makes nothing.
func Find(userDir, program string) string {
	path := Path(userDir)
	if _, err := os.Stat(path); err != nil {
		return program
	}
	if _, err := starts(path, program); err != nil && !isCopy(path, program) {
		return program
	}
	return path
}

// Ensure makes the launcher start program, which is an absolute path, and
// returns the launcher's own. What is neither a link nor a copy of another
// version of the program stays as it is and is an error.
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

// FollowNPX is [Follow] for a program in the cache of npx. It does nothing for any
// other program, and nothing when the launcher's program was installed later: an
// npx client may still run an old version from its cache. The modification time of
// the file, which npm sets on installing, decides.
func FollowNPX(userDir, program string) error {
	if !passing(program) {
		return nil
	}
	at, err := os.Stat(Path(userDir))
	if err != nil {
		return Follow(userDir, program) // none, or a link to nothing
	}
	of, err := os.Stat(program)
	if err != nil {
		return err
	}
	if !of.ModTime().After(at.ModTime()) {
		return nil
	}
	return Follow(userDir, program)
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
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	return lasting(path), nil
}

// lasting returns the path at which Homebrew keeps a program over upgrades, if
// it is Homebrew's: PREFIX/opt/FORMULA links to PREFIX/Cellar/FORMULA/VERSION.
// Any other path is returned as it is.
func lasting(program string) string {
	const cellar = "/Cellar/"
	prefix, rest, ok := strings.Cut(filepath.ToSlash(program), cellar)
	parts := strings.SplitN(rest, "/", 3) // formula, version, path
	if !ok || len(parts) != 3 {
		return program
	}
	kept := filepath.Join(filepath.FromSlash(prefix), "opt", parts[0], filepath.FromSlash(parts[2]))
	at, err := os.Stat(kept)
	if err != nil {
		return program
	}
	if of, err := os.Stat(program); err != nil || !os.SameFile(at, of) {
		return program
	}
	return kept
}
