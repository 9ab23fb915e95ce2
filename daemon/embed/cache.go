package embed

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/storage"
)

const (
	// cacheSuffix ends the names of cache files.
	cacheSuffix = ".vectors"
	// maxCacheBytes bounds all cache files together: room for 40,000 vectors of dimension
	// 1,536.
	maxCacheBytes = 256 << 20
)

// cache stores vectors on disk, one file for each provider, endpoint, model and requested
// dimension. Missing or damaged content is embedded again.
//
// The cache belongs to one goroutine, except for clear. Several daemons may share its
// directory: files are replaced atomically, and saving merges.
type cache struct {
	// saving is held by save and by clear, so that save does not restore what clear
	// deletes.
	saving sync.Mutex
	dir    string // empty keeps nothing
	// most is the maximum size of all files together, in bytes.
	most int64
	log  *slog.Logger
}

// folder returns where the files are.
func (c *cache) folder() storage.Folder {
	return storage.Folder{Dir: c.dir, Suffix: cacheSuffix, Format: "vectors 2", Bounds: storage.Bounds{MaxBytes: c.most}}
}

// blobName names the file for what a provider is asked for.
func blobName(asked Space) string {
	key := keyOf(asked, "")
	return hex.EncodeToString(key[:16])
}

// load reads the vectors that are cached for a provider's space, and their
// dimension, which is 0 when there are none. It marks the file as used.
func (c *cache) load(asked Space) (dim int, all records) {
	folder, name := c.folder(), blobName(asked)
	data, err := folder.Read(name)
	if err == nil && data == nil {
		return 0, records{}
	}
	if err == nil {
		dim, all, err = decodeCache(asked, data)
	}
	if err != nil {
		c.log.Warn("vectors are embedded again: their cache cannot be read", "file", folder.Path(name), "error", err)
		return 0, records{}
	}
	folder.Use(name)
	return dim, all
}

// save adds vectors to the cached ones of a provider's space, all marked as used today,
// and evicts the least recently used ones if necessary. It drops vectors of another
// dimension than dim, which are from a replaced model.
func (c *cache) save(asked Space, dim int, fresh records) error {
	if c.dir == "" {
		return nil
	}
	c.saving.Lock()
	defer c.saving.Unlock()
	cached, all := c.load(asked)
	if cached != dim {
		all = records{}
	}
	today := day(time.Now())
	for key, one := range fresh {
		all[key] = record{vector: one.vector, day: today}
	}
	evict(all, int(c.most/recordSize(dim)))
	if err := c.folder().Write(blobName(asked), encodeCache(asked, dim, all)); err != nil {
		return fmt.Errorf("save vectors: %w", err)
	}
	return nil
}

// clear deletes the cached vectors of all providers.
func (c *cache) clear() error {
	c.saving.Lock()
	defer c.saving.Unlock()
	if err := c.folder().Clear(); err != nil {
		return fmt.Errorf("delete vectors: %w", err)
	}
	return nil
}

// evict removes the least recently used records until at most keep remain.
func evict(all records, keep int) {
	if len(all) <= keep {
		return
	}
	type aged struct {
		key textKey
		day uint32
	}
	order := make([]aged, 0, len(all))
	for key, one := range all {
		order = append(order, aged{key, one.day})
	}
	slices.SortFunc(order, func(a, b aged) int {
		return cmp.Or(cmp.Compare(a.day, b.day), slices.Compare(a.key[:], b.key[:]))
	})
	for _, old := range order[:len(order)-keep] {
		delete(all, old.key)
	}
}

// day counts days since 1970.
func day(t time.Time) uint32 { return uint32(t.Unix() / (24 * 60 * 60)) }
