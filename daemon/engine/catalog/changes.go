package catalog

import (
	"slices"

	"github.com/winnow-mcp/winnow/daemon/broadcast"
	"github.com/winnow-mcp/winnow/protocol"
)

// Changes notifies the host of new catalogue versions and changed server states by name,
// and wakes waiters.
type Changes struct {
	options   Options
	broadcast broadcast.Broadcast
}

// Wait returns a channel that is closed at the next change. State read after Wait returns
// misses no change.
func (c *Changes) Wait() <-chan struct{} { return c.broadcast.Wait() }

// ModeChanged wakes the waiters, because other tools are in scope.
func (c *Changes) ModeChanged() { c.broadcast.Notify() }

// LockChanged wakes the waiters. An answer about the lock on tools also applies to
// prompts, which are in no catalogue.
func (c *Changes) LockChanged() { c.broadcast.Notify() }

// tell notifies of what changed in a source.
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
