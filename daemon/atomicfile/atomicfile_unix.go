//go:build !windows

package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Write replaces a file in one step and keeps its permissions; mode is for a
// new one. A symbolic link stays, and its target is replaced.
func Write(path string, data []byte, mode fs.FileMode) error {
	target, err := linkTarget(path)
	if err != nil {
		return err
	}
	// The temporary file goes beside the target: elsewhere it could be readable
	// by others, or on another file system.
	if err := renameio.WriteFile(target, data, mode, renameio.WithTempDir(filepath.Dir(target))); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
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
