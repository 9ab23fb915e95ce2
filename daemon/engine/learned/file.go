package learned

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
)

// file is a JSON file of what was learned in a workspace. The zero value is
// none: it reads as empty and keeps nothing.
type file struct {
	path string
	// what names its content in errors, such as "usage log".
	what string
}

// newFile names a file in the storage path; without one it is none.
func newFile(storage, name, what string) file {
	if storage == "" {
		return file{}
	}
	return file{path: filepath.Join(storage, name), what: what}
}

// read decodes the file into v, and reports whether there is one.
func (f file) read(v any) (found bool, err error) {
	if f.path == "" {
		return false, nil
	}
	data, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return false, f.unreadable(err)
	}
	return true, nil
}

// unreadable says that the file is of no use.
func (f file) unreadable(err error) error {
	return fmt.Errorf("read the %s %s, which is begun anew: %w", f.what, f.path, err)
}

// write replaces the file by v, at once or not at all.
func (f file) write(v any) error {
	if f.path == "" {
		return nil
	}
	data, err := json.Marshal(v)
	if err == nil {
		err = atomicfile.WriteIn(filepath.Dir(f.path), filepath.Base(f.path), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("save the %s: %w", f.what, err)
	}
	return nil
}

// remove deletes the file.
func (f file) remove() error {
	if f.path == "" {
		return nil
	}
	if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the %s: %w; delete the file by hand", f.what, err)
	}
	return nil
}
