package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/robustio"
)

// Write replaces a file in one step. renameio does not support Windows, where a
// rename replaces a file too, though not while somebody reads it: it is tried
// again for two seconds. A symbolic link stays, and its target is replaced; the
// new file inherits the folder's permissions, and mode is unused.
func Write(path string, data []byte, _ fs.FileMode) (err error) {
	target, err := linkTarget(path)
	if err != nil {
		return err
	}
	sweep(target, time.Now())
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

// Read returns what a file holds, but no more than limit bytes and one: that
// many say that there are more. Somebody who is just replacing the file keeps
// others out for a moment, so it is tried again for two seconds.
func Read(path string, limit int) ([]byte, error) {
	data, err := robustio.ReadFile(path)
	return data[:min(len(data), limit+1)], err
}
