//go:build !windows

package launcher

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

const name = "winnowd"

// starts reports whether the launcher already starts program.
func starts(path, program string) (bool, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		return target == program && !passing(program), err
	case !info.Mode().IsRegular() || !sameProgram(path, program):
		return false, fmt.Errorf("%s is no launcher of Winnow's; move it away", path)
	}
	of, err := os.Stat(program)
	return err == nil && passing(program) && of.Size() == info.Size() && of.ModTime().Equal(info.ModTime()), err
}

// sameProgram reports whether two files are versions of the same Go program.
func sameProgram(a, b string) bool {
	x, errX := buildinfo.ReadFile(a)
	y, errY := buildinfo.ReadFile(b)
	return errX == nil && errY == nil && x.Path != "" && x.Path == y.Path
}

// replace creates the launcher atomically.
func replace(path, program string) error {
	fresh := fmt.Sprintf("%s.%d", path, os.Getpid())
	put := os.Symlink
	if passing(program) {
		put = copyProgram
	}
	if err := put(program, fresh); err != nil {
		return errors.Join(err, os.RemoveAll(fresh))
	}
	return os.Rename(fresh, path)
}

// copyProgram copies a program with its modification time, which identifies the copy.
func copyProgram(program, to string) (err error) {
	from, err := os.Open(program)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, privateDir)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	return errors.Join(err, out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}
