//go:build !windows

package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/google/renameio/v2"
)

// Write replaces a file in one step and keeps its permissions; mode is for a
// new one. A symbolic link stays, and its target is replaced.
func Write(path string, data []byte, mode fs.FileMode) error {
	target, err := linkTarget(path)
	if err != nil {
		return err
	}
	sweep(target, time.Now())
	if err := replace(target, data, mode); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// replace writes a copy that only the user may read, and gives it the name of
// the target once it is complete, and then its permissions: a copy that is left
// behind does not show what is in it.
func replace(target string, data []byte, mode fs.FileMode) (err error) {
	mode &^= umask
	if info, err := os.Stat(target); err == nil {
		mode = info.Mode().Perm()
	}
	// The copy goes beside the target: elsewhere it could be on another file
	// system.
	copied, err := renameio.NewPendingFile(target, renameio.WithTempDir(filepath.Dir(target)), renameio.WithPermissions(private))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, copied.Cleanup()) }()
	if _, err := copied.Write(data); err != nil {
		return err
	}
	if mode == private {
		return copied.CloseAtomicallyReplace()
	}
	// The descriptor leads to our file also when another has its name by then.
	file, err := os.Open(copied.Name())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := copied.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return file.Chmod(mode)
}

// umask is what the process takes from the permissions of new files. It can only
// be read by setting it, which counts for every goroutine: it is read before
// there are any.
var umask = readUmask()

func readUmask() fs.FileMode {
	mask := syscall.Umask(private ^ 0o777)
	syscall.Umask(mask)
	return fs.FileMode(mask) & fs.ModePerm
}

// Read returns what a file holds, but no more than limit bytes and one: that
// many say that there are more, also of a file that grows without end.
func Read(path string, limit int) (data []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, int64(limit)+1))
}
