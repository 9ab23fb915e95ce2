package conversations

import (
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/storage"
)

// MaxFiles is how many conversations [Files] keeps. Those written longest ago are
// deleted.
const MaxFiles = 128

// Files is a [Store] with one file per conversation in a folder that only the user may
// read. The folder is created when needed.
type Files struct{ Dir string }

func (f Files) folder() storage.Folder {
	return storage.Folder{Dir: f.Dir, Suffix: ".conversation", Format: "conversation 1", Bounds: storage.Bounds{MaxCount: MaxFiles}}
}

// Load implements [Store].
func (f Files) Load(name string) ([]byte, error) {
	data, err := f.folder().Read(name)
	if err != nil {
		return nil, fmt.Errorf("read a kept conversation: %w", err)
	}
	return data, nil
}

// Save implements [Store].
func (f Files) Save(name string, data []byte) error {
	if err := f.folder().Write(name, data); err != nil {
		return fmt.Errorf("keep a conversation: %w", err)
	}
	return nil
}

// List implements [Store].
func (f Files) List() ([]storage.Blob, error) {
	blobs, err := f.folder().List()
	if err != nil {
		return nil, fmt.Errorf("list the kept conversations: %w", err)
	}
	return blobs, nil
}

// Delete implements [Store].
func (f Files) Delete(name string) error {
	if err := f.folder().Remove(name); err != nil {
		return fmt.Errorf("delete a kept conversation: %w", err)
	}
	return nil
}

// Clear implements [Store].
func (f Files) Clear() error {
	if err := f.folder().Clear(); err != nil {
		return fmt.Errorf("delete the kept conversations: %w", err)
	}
	return nil
}
