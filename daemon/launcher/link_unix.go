//go:build !windows

package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

const name = "winnowd"

// starts reports whether the launcher starts program already.
func starts(path, program string) (bool, error) {
	target, err := os.Readlink(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%s is no link: %w", path, err)
	}
	return target == program, nil
}

// replace makes the link in one step, so that nobody finds none.
func replace(path, program string) error {
	fresh := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.Symlink(program, fresh); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}
