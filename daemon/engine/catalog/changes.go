package catalog

import (
	"slices"

	"github.com/winnow-mcp/winnow/daemon/broadcast"
	"github.com/winnow-mcp/winnow/protocol"
)

// Changes tells of new versions of catalogues and of servers in other states:
// the host, by name, and what waits.
type Changes struct {
	options   Options
	broadcast broadcast.Broadcast
}

// Wait returns a channel that is closed at the next change. What is looked at
// after Wait is not missed.
func (c *Changes) Wait() <-chan struct{} { return c.broadcast.Wait() }

// ModeChanged wakes who waits: other tools are in scope.
func (c *Changes) ModeChanged() { c.broadcast.Notify() }

// LockChanged wakes those who wait: an answer about the lock on tools decides
// about prompts as well, which are in no catalogue.
func (c *Changes) LockChanged() { c.broadcast.Notify() }

// tell tells of what changed in a source.
func (c *Changes) tell(source string, servers []string) {
	catalog, ok := c.options.Store.Get(source)
	if !ok {
		return
	}
	c.broadcast.Notify()
	slices.Sort(servers)
	c.options.Host.CatalogDidChange(protocol.CatalogDidChangeParams{
		Version: catalog.Version, Source: source, Servers: slices.Compact(servers),
	})
}
