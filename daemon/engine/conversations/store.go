package conversations

import "github.com/winnow-mcp/winnow/daemon/storage"

// Store stores conversations for a later process. Names are short and valid for files. It
// is called by one goroutine at a time, except for Load.
type Store interface {
	// Load returns what was saved under a name, or nil if nothing was.
	Load(name string) ([]byte, error)
	// Save stores data under a name atomically: Load returns all of it or the earlier
	// data.
	Save(name string, data []byte) error
	// Delete deletes what was saved under a name, if anything.
	Delete(name string) error
	// List returns the names with saved data, and when it was saved.
	List() ([]storage.Blob, error)
	// Clear deletes everything.
	Clear() error
}
