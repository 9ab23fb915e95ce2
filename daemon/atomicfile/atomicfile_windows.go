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

// Write replaces a file atomically. renameio does not support Windows, where a rename
// fails while another process reads the file, so it is retried for two seconds. A
// symbolic link stays, and its target is replaced. The new file inherits the folder's
// permissions; mode is unused.
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

// Read returns the content of a file, at most limit+1 bytes. That length means that there
// is more. A concurrent replacement blocks readers briefly, so it is retried for two
// seconds.
func Read(path string, limit int) ([]byte, error) {
	data, err := robustio.ReadFile(path)
	return data[:min(len(data), limit+1)], err
}
