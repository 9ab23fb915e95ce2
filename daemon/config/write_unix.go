//go:build !windows

package config

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// writeFile replaces a file in one step and keeps its permissions; mode is for
// a new one. A symbolic link stays, and its target is replaced.
func writeFile(path string, data []byte, mode fs.FileMode) error {
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
