package embed

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
)

// cacheSuffix ends the names of cache files.
const cacheSuffix = ".vectors"

// cache keeps vectors on disk, a file for each provider, endpoint, model and
// dimension asked for.
// Nothing in it is precious: what is missing or damaged is embedded again.
//
// The cache belongs to one goroutine, but for clear. Several daemons may share
// its directory: files are replaced as a whole, and saving keeps what others
// saved.
type cache struct {
	// saving is held by save, which would bring back what clear deletes, and by
	// clear.
	saving sync.Mutex
	dir    string // empty keeps nothing
	// most is the most bytes that all files together may have.
	most int64
	log  *slog.Logger
}

// path returns the file for what a provider is asked for.
func (c *cache) path(asked Space) string {
	name := keyOf(asked, "")
	return filepath.Join(c.dir, hex.EncodeToString(name[:16])+cacheSuffix)
}

// load reads the vectors that are cached for a provider's space, and their
// dimension, which is 0 when there are none. It marks the file as used.
func (c *cache) load(asked Space) (dim int, all records) {
	if c.dir == "" {
		return 0, records{}
	}
	path := c.path(asked)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, records{}
	}
	if err == nil {
		dim, all, err = decodeCache(asked, data)
	}
	if err != nil {
		c.log.Warn("vectors are embedded again: their cache cannot be read", "file", path, "error", err)
		return 0, records{}
	}
	now := time.Now()
	if err := os.Chtimes(path, now, now); err != nil {
		c.log.Debug("the cache of vectors cannot be marked as used", "file", path, "error", err)
	}
	return dim, all
}

// save adds vectors to those cached for a provider's space, all marked as used
// today, and evicts what was used longest ago where there is no room. Vectors
// of another dimension than dim are of a model that is gone and are dropped.
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
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return fmt.Errorf("save vectors: %w", err)
	}
	path := c.path(asked)
	if err := atomicfile.Write(path, encodeCache(asked, dim, all), 0o600); err != nil {
		return fmt.Errorf("save vectors: %w", err)
	}
	return c.prune(path)
}

// clear deletes all that is cached, of every provider.
func (c *cache) clear() error {
	if c.dir == "" {
		return nil
	}
	c.saving.Lock()
	defer c.saving.Unlock()
	if err := os.RemoveAll(c.dir); err != nil {
		return fmt.Errorf("delete vectors: %w; delete the folder by hand", err)
	}
	return nil
}

// evict removes the records used longest ago until at most keep are left.
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

// prune deletes the files used longest ago, but never the one at path, until
// all fit into the bound.
func (c *cache) prune(path string) error {
	paths, err := filepath.Glob(filepath.Join(c.dir, "*"+cacheSuffix))
	if err != nil {
		return fmt.Errorf("prune saved vectors: %w", err)
	}
	var files []fs.FileInfo
	var total int64
	for _, one := range paths {
		if info, err := os.Stat(one); err == nil { // another daemon may have pruned it
			files = append(files, info)
			total += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, file := range files {
		if total <= c.most {
			return nil
		}
		if file.Name() == filepath.Base(path) {
			continue
		}
		if err := os.Remove(filepath.Join(c.dir, file.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("prune saved vectors: %w", err)
		}
		total -= file.Size()
	}
	return nil
}

// day counts days since 1970.
func day(t time.Time) uint32 { return uint32(t.Unix() / (24 * 60 * 60)) }
