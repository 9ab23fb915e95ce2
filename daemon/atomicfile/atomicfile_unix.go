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

// Write replaces a file atomically and keeps its permissions; mode is for a new file. A
// symbolic link stays, and its target is replaced.
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

// replace writes a private copy and renames it to the target once it is complete. It sets
// the permissions afterwards, so that an abandoned copy does not expose its content.
func replace(target string, data []byte, mode fs.FileMode) (err error) {
	mode &^= umask
	if info, err := os.Stat(target); err == nil {
		mode = info.Mode().Perm()
	}
	// The copy is beside the target, because elsewhere it could be on another file
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
	// The descriptor refers to our file even if the name is another's by then.
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

// umask is the process's umask. It can only be read by setting it, which affects every
// goroutine, so it is read before there are any.
var umask = readUmask()

func readUmask() fs.FileMode {
	mask := syscall.Umask(private ^ 0o777)
	syscall.Umask(mask)
	return fs.FileMode(mask) & fs.ModePerm
}

// Read returns the content of a file, at most limit+1 bytes. That length means that there
// is more, even for an endless file.
func Read(path string, limit int) (data []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, int64(limit)+1))
}
