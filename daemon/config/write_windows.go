package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/robustio"
)

// writeFile replaces a file in one step. renameio does not support Windows,
// where a rename replaces a file too, though not while somebody reads it: it is
// tried again for two seconds. A symbolic link stays, and its target is
// replaced; the new file inherits the folder's permissions, and mode is unused.
func writeFile(path string, data []byte, _ fs.FileMode) (err error) {
	target, err := linkTarget(path)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+"*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return robustio.Rename(temp.Name(), target)
}
