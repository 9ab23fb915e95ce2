package learned

import (
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/storage"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// file is one learned file of a workspace. The zero value is empty and stores nothing.
type file struct {
	folder storage.Folder
	name   string
	// what describes its content in errors, such as "usage log".
	what string
}

// newFile returns a file in the storage path dir; if dir is "", nothing is stored. The
// format is what with the version.
func newFile(dir, name, what string, version int) file {
	return file{storage.Folder{Dir: dir, Suffix: ".learned", Format: fmt.Sprintf("%s %d", what, version)}, name, what}
}

// keeps reports whether anything is stored.
func (f file) keeps() bool { return f.folder.Dir != "" }

// read decodes the file into v, and reports whether there is one.
func (f file) read(v any) (found bool, err error) {
	data, err := f.folder.Read(f.name)
	if err == nil && data == nil {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return false, f.unreadable(ijson.Words(err))
	}
	return true, nil
}

// unreadable returns the error for an unusable file.
func (f file) unreadable(err error) error {
	return fmt.Errorf("read the %s %s, which is begun anew: %w", f.what, f.folder.Path(f.name), err)
}

// write replaces the file by v atomically.
func (f file) write(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("save the %s: %w", f.what, err)
	}
	return f.writeBytes(data)
}

// writeBytes replaces the file atomically.
func (f file) writeBytes(data []byte) error {
	if err := f.folder.Write(f.name, data); err != nil {
		return fmt.Errorf("save the %s: %w", f.what, err)
	}
	return nil
}

// remove deletes the file.
func (f file) remove() error {
	if err := f.folder.Remove(f.name); err != nil {
		return fmt.Errorf("forget the %s: %w", f.what, err)
	}
	return nil
}
