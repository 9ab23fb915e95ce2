package learned

import (
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/router"
)

// maxClients bounds the stored clients, each in one version. The one recorded longest ago
// is dropped first.
const maxClients = 64

// Clients records which MCP clients list their tools again after a list-changed
// notification. A client is identified by its name and version; each version is observed
// separately.
type Clients struct {
	file file

	// mu guards the following fields.
	mu    sync.Mutex
	known []client // latest last
	dirty bool
}

// client is the observed behaviour of one client.
type client struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Refreshes bool   `json:"refreshes"`
}

// OpenClients reads the stored clients. If the file is unreadable, it starts empty and
// the error says so.
func OpenClients(storage string) (*Clients, error) {
	c := &Clients{file: newFile(storage, "clients", "list of MCP clients", 1)}
	if _, err := c.file.read(&c.known); err != nil {
		c.known = nil
		return c, err
	}
	return c, nil
}

// Record records what a client did, in place of earlier records.
func (c *Clients) Record(name, version string, refreshes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := client{name, version, refreshes}
	if n := len(c.known); n > 0 && c.known[n-1] == seen {
		return
	}
	c.known = slices.DeleteFunc(c.known, func(k client) bool { return k.Name == name && k.Version == version })
	c.known = append(c.known, seen)
	c.known = c.known[max(0, len(c.known)-maxClients):]
	c.dirty = true
}

// Refreshes returns the recorded behaviour of a client.
func (c *Clients) Refreshes(name, version string) router.Refreshes {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.known, func(k client) bool { return k.Name == name && k.Version == version })
	switch {
	case i < 0:
		return router.RefreshesUnknown
	case c.known[i].Refreshes:
		return router.RefreshesYes
	}
	return router.RefreshesNo
}

// Clear deletes all records and the file.
func (c *Clients) Clear() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known, c.dirty = nil, false
	return c.file.remove()
}

// Save writes the file if something has changed. It holds mu throughout, so that a
// concurrent Clear is not undone.
func (c *Clients) Save() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.dirty {
		return nil
	}
	if err := c.file.write(c.known); err != nil {
		return err
	}
	c.dirty = false
	return nil
}
