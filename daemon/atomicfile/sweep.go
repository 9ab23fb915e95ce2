package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// private is the mode of a copy during writing.
const private = 0o600

// abandoned is the age from which a copy has no writer: writing one takes milliseconds.
const abandoned = time.Minute

// Sweep removes the copies of a file that killed processes left beside it. The file
// itself need not exist.
func Sweep(path string) {
	if target, err := linkTarget(path); err == nil {
		sweep(target, time.Now())
	}
}

// sweep removes abandoned copies. Those that cannot be removed are left for the next
// call.
func sweep(target string, now time.Time) {
	dir, err := os.Open(filepath.Dir(target))
	if err != nil {
		return
	}
	defer func() { _ = dir.Close() }()
	// Names only, because a folder may hold thousands of files and be swept for each.
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if !isCopy(name, filepath.Base(target)) {
			continue
		}
		path := filepath.Join(filepath.Dir(target), name)
		info, err := os.Lstat(path)
		if err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > abandoned {
			_ = os.Remove(path)
		}
	}
}

// isCopy reports whether name is a copy of a file: a dot, the file's name and a random
// number.
func isCopy(name, file string) bool {
	const fewest = 6 // digits of a number that is likely to be random
	rest, dot := strings.CutPrefix(name, ".")
	number, copied := strings.CutPrefix(rest, file)
	return dot && copied && len(number) >= fewest && strings.Trim(number, "0123456789") == ""
}

// WriteIn is [Write] in a folder that is created, for the user only, if needed. It is not
// an error if the folder is cleared meanwhile.
func WriteIn(dir, name string, data []byte, mode fs.FileMode) error {
	const tries = 3
	for range tries {
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			err = Write(filepath.Join(dir, name), data, mode)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
