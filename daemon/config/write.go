package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// linkTarget follows symbolic links to the file that is really written, which
// need not exist.
func linkTarget(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err != nil {
		return "", fmt.Errorf("follow %s: %w", path, err)
	}
	return target, nil
}
