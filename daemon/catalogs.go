package daemon

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/winnow-mcp/winnow/daemon/memory"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// ownSource is the source of the servers that the daemon runs.
const ownSource = ""

// catalogs holds the newest catalogue of each source. Readers load a pointer;
// builders take turns.
type catalogs struct {
	tokens  *memory.TokenCounts
	builtin *builtinModel

	// mu serialises builds and guards version.
	mu      sync.Mutex
	version int64

	bySource atomic.Pointer[map[string]*router.Catalog]

	// viewsMu guards views, which holds what requests see of the newest
	// catalogues.
	viewsMu sync.Mutex
	views   map[viewKey]*router.View
}

// viewKey names a view by the values that it was made of, which are immutable.
type viewKey struct {
	catalog  *router.Catalog
	settings *protocol.Settings
	mode     *router.Mode
}

func newCatalogs(tokens *memory.TokenCounts, builtin *builtinModel) *catalogs {
	c := &catalogs{tokens: tokens, builtin: builtin, views: map[viewKey]*router.View{}}
	empty := map[string]*router.Catalog{}
	c.bySource.Store(&empty)
	return c
}

// publish builds the next version of a source's catalogue and makes it the
// one that requests see.
func (c *catalogs) publish(in router.CatalogInput) *router.Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	in.Version, in.Count = c.version, c.tokens.Count
	in.Embedder, in.Phrasings = c.builtin, c.builtin.phrasings()
	all := maps.Clone(*c.bySource.Load())
	next := router.BuildCatalog(in, all[in.Source])
	all[in.Source] = next
	c.bySource.Store(&all)
	c.forget(all)
	return next
}

// replace makes the same version with vectors the one that requests see,
// unless a newer one is there.
func (c *catalogs) replace(old, with *router.Catalog) bool {
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

// forget drops the views of catalogues that are no longer the newest.
func (c *catalogs) forget(all map[string]*router.Catalog) {
	c.viewsMu.Lock()
	defer c.viewsMu.Unlock()
	maps.DeleteFunc(c.views, func(k viewKey, _ *router.View) bool { return all[k.catalog.Source] != k.catalog })
}

// get returns the newest catalogue of a source, or false.
func (c *catalogs) get(source string) (*router.Catalog, bool) {
	catalog, ok := (*c.bySource.Load())[source]
	return catalog, ok
}

// sources returns the names of all sources, in order.
func (c *catalogs) sources() []string {
	return slices.Sorted(maps.Keys(*c.bySource.Load()))
}

// maxViews bounds the views that are kept: a handful of modes, and the
// settings of before and after a change.
const maxViews = 64

// view returns what a request sees of a source under settings and a mode.
func (c *catalogs) view(source string, settings *protocol.Settings, mode *router.Mode) (*router.View, error) {
	catalog, ok := c.get(source)
	if !ok {
		f := fail(protocol.KindUnknownSource, "Hand its tools over by catalog/setHostTools first.",
			"there is no source %q", source)
		return nil, f
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
