package conversations

import "github.com/winnow-mcp/winnow/daemon/storage"

// Store keeps conversations for a later process. Its names are short, and legal
// for files. It is called by one goroutine at a time, except for Load.
type Store interface {
	// Load returns what was saved under a name; nil when nothing was.
	Load(name string) ([]byte, error)
	// Save keeps data under a name. Whoever loads it gets all of it or what was
	// there before.
	Save(name string, data []byte) error
	// Delete forgets what was saved under a name, if anything was.
	Delete(name string) error
	// List returns the names under which something is saved, with the time at which
	// it was.
	List() ([]storage.Blob, error)
	// Clear forgets everything.
	Clear() error
}
