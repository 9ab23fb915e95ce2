package catalog

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/learned"
	"github.com/winnow-mcp/winnow/daemon/engine/settings"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router"
)

// Store holds the newest catalogue of each source and caches the views of them. Readers
// load an atomic pointer; builds are serialized.
type Store struct {
	options StoreOptions
	builtin *builtinModel

	// mu serialises builds and guards version.
	mu      sync.Mutex
	version int64

	bySource atomic.Pointer[map[string]*router.Catalog]

	// ahead holds the newest catalogue to prepare.
	ahead chan *router.Catalog

	// viewsMu guards views, the cached views of the newest catalogues.
	viewsMu sync.Mutex
	views   map[viewKey]*router.View
}

// StoreOptions are the inputs of a [Store].
type StoreOptions struct {
	Log      *slog.Logger
	Settings *settings.Store
	Learned  *learned.Learned
	// Families returns the families of servers that the workspace's folders suggest; may
	// be nil.
	Families func() []ranker.Family
}

// viewKey identifies a view by its immutable inputs.
type viewKey struct {
	catalog  *router.Catalog
	settings *protocol.Settings
	mode     *router.Mode
}

// NewStore returns a store without catalogues.
func NewStore(o StoreOptions) *Store {
	c := &Store{options: o, builtin: newBuiltinModel(o.Log), views: map[viewKey]*router.View{}, ahead: make(chan *router.Catalog, 1)}
	empty := map[string]*router.Catalog{}
	c.bySource.Store(&empty)
	return c
}

// publish builds the next version of a source's catalogue and makes it current.
func (c *Store) publish(in router.CatalogInput) *router.Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	in.Version, in.Count = c.version, c.options.Learned.Tokens.Count
	in.Embedder, in.Phrasings = c.builtin, c.builtin.phrasings()
	all := maps.Clone(*c.bySource.Load())
	next := router.BuildCatalog(in, all[in.Source])
	all[in.Source] = next
	c.bySource.Store(&all)
	c.forget(all)
	return next
}

// manyTools is from how many tools on a host's catalogue is prepared before a task needs
// it. A task on fewer waits less than a quarter of a second, and a session without tasks
// needs no memory for them.
const manyTools = 2000

// prepare lets [Store.Run] prepare a catalogue with many tools, unless a newer one comes.
// Calls must be serialized.
func (c *Store) prepare(catalog *router.Catalog) {
	if len(catalog.Tools) < manyTools {
		return
	}
	select {
	case <-c.ahead:
	default:
	}
	c.ahead <- catalog
}

// Run prepares catalogues with many tools until ctx ends.
func (c *Store) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case catalog := <-c.ahead:
			catalog.Prepare(func() bool { return ctx.Err() != nil })
		}
	}
}

// Replace makes with, the same version with vectors, current unless there is a newer
// version than old.
func (c *Store) Replace(old, with *router.Catalog) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := maps.Clone(*c.bySource.Load())
	if all[old.Source] != old {
		return false
	}
	all[old.Source] = with
	c.bySource.Store(&all)
	c.forget(all)
	return true
}

// forget drops the views of outdated catalogues.
func (c *Store) forget(all map[string]*router.Catalog) {
	c.viewsMu.Lock()
	defer c.viewsMu.Unlock()
	maps.DeleteFunc(c.views, func(k viewKey, _ *router.View) bool { return all[k.catalog.Source] != k.catalog })
}

// Get returns the newest catalogue of a source, and whether there is one.
func (c *Store) Get(source string) (*router.Catalog, bool) {
	catalog, ok := (*c.bySource.Load())[source]
	return catalog, ok
}

// Sources returns the names of all sources, in order.
func (c *Store) Sources() []string {
	return slices.Sorted(maps.Keys(*c.bySource.Load()))
}

// maxViews bounds the cached views. A few modes are in use, with the settings before and
// after a change.
const maxViews = 64

// View returns the view of a source under a mode: the newest catalogue, the current
// settings, and what was learned. It fails for a source without a catalogue. A class of
// users gets the same view on every machine, so without what was learned on this one.
func (c *Store) View(source string, mode *router.Mode) (*router.View, error) {
	v, err := c.bareView(source, c.options.Settings.Load(), mode)
	if err != nil {
		return nil, err
	}
	if mode != nil && mode.Class != nil {
		return v, nil
	}
	v = v.WithUsage(c.options.Learned.Uses.Usage())
	if c.options.Families != nil {
		v = v.WithFamilies(c.options.Families())
	}
	if v.Settings.Learn.Loads {
		v = v.WithMemory(c.options.Learned.Misses.Recall())
	}
	return v, nil
}

// bareView returns a view without what was learned.
func (c *Store) bareView(source string, settings *protocol.Settings, mode *router.Mode) (*router.View, error) {
	catalog, ok := c.Get(source)
	if !ok {
		return nil, failure.New(protocol.KindUnknownSource, "Hand its tools over first.",
			"there is no source %q", source)
	}
	key := viewKey{catalog, settings, mode}
	c.viewsMu.Lock()
	defer c.viewsMu.Unlock()
	if v, ok := c.views[key]; ok {
		return v, nil
	}
	if len(c.views) >= maxViews {
		clear(c.views)
	}
	v := router.NewView(catalog, settings, mode)
	c.views[key] = v
	return v, nil
}
