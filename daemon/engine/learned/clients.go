package learned

import (
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/router"
)

// maxClients bounds the clients that are remembered, each in one version. The
// one that showed something longest ago goes first.
const maxClients = 64

// Clients remembers which MCP clients list their tools again when they are notified
// that the list has changed. A client is its name and version as it tells them;
// another version has to show it anew.
type Clients struct {
	file file

	// mu guards what follows.
	mu    sync.Mutex
	known []client // the latest last
	dirty bool
}

// client is what one client was seen to do.
type client struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Refreshes bool   `json:"refreshes"`
}

// OpenClients reads what is remembered. A file that cannot be read is begun
// anew, and the error says so.
func OpenClients(storage string) (*Clients, error) {
	c := &Clients{file: newFile(storage, "clients", "list of MCP clients", 1)}
	if _, err := c.file.read(&c.known); err != nil {
		c.known = nil
		return c, err
	}
	return c, nil
}

// Record notes what a client did. What it did last counts.
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

// Refreshes returns what a client was seen to do.
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

// Clear forgets everything, the file too.
func (c *Clients) Clear() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known, c.dirty = nil, false
	return c.file.remove()
}

// Save writes the file if something has changed. It holds mu to the end, so
// that what is cleared meanwhile does not come back.
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
