// Package launcher maintains a path to winnowd that survives updates: a link in the
// user's folder for Winnow to the program that ran last, or a copy of a program that npm
// may delete. Editors and package managers install each version into its own folder and
// delete the earlier one, so that other clients' configurations would break.
//
// It is renewed by each start of an editor's daemon ([Follow]), and by each gateway that
// npx runs of a later installation ([FollowNPX]). A Homebrew upgrade needs no renewal,
// because the link is to Homebrew's stable path. The latest installation wins, whatever
// its version. On Windows, where links need a privilege, the launcher is a script, and
// programs of npx are not copied.
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

// privateDir is the mode of the folder, whose content is executed.
const privateDir = 0o700

// Path returns the path of the launcher in a user's folder for Winnow.
func Path(userDir string) string { return filepath.Join(userDir, "bin", name) }

// Find returns the launcher if there is a working one, or else the program. It creates
// nothing.
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

// Ensure makes the launcher start program, an absolute path, and returns the launcher's
// path. It returns an error for an existing file that is neither a link nor a copy of
// another version of the program, and keeps it.
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

// Follow makes an existing launcher start program. It creates none.
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
		return Follow(userDir, program) // none, or a dangling link
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

// isCopy reports whether the program is the launcher itself, which is then a copy and
// must not be replaced by a link to itself.
func isCopy(path, program string) bool {
	at, err := os.Lstat(path)
	if err != nil || !at.Mode().IsRegular() {
		return false
	}
	of, err := os.Stat(program)
	return err == nil && os.SameFile(at, of)
}

// passing reports whether a program is in the cache of npx, which npm may delete.
func passing(program string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(program), "/"), "_npx")
}

// Program returns the path of the running program, with links resolved.
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

// lasting returns Homebrew's stable path of a program, if it is Homebrew's:
// PREFIX/opt/FORMULA links to PREFIX/Cellar/FORMULA/VERSION. Any other path is returned
// unchanged.
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
