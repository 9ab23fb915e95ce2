package embed

import (
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func newCache(t *testing.T, most int64) (*cache, *strings.Builder) {
	t.Helper()
	var log strings.Builder
	return &cache{dir: filepath.Join(t.TempDir(), "vectors"), most: most, log: slog.New(slog.NewTextHandler(&log, nil))}, &log
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestCache_KeepsWhatOthersSaved(t *testing.T) {
	t.Parallel()
	c, _ := newCache(t, 1<<20)
	space := Space{Provider: "openai", Model: "m"}
	all := sample(space, 4, 3)
	keys := slices.Collect(maps.Keys(all))
	must(t, c.save(space, 3, records{keys[0]: all[keys[0]], keys[1]: all[keys[1]]}))
	must(t, c.save(space, 3, records{keys[2]: all[keys[2]]})) // as another daemon would
	dim, got := c.load(space)
	if dim != 3 || len(got) != 3 || !slices.Equal(got[keys[0]].vector, all[keys[0]].vector) {
		t.Errorf("dimension %d, %v", dim, got)
	}
	if got[keys[0]].day != day(time.Now()) {
		t.Errorf("day of last use %d, want today, %d", got[keys[0]].day, day(time.Now()))
	}
}

func TestCache_SpacesDoNotMix(t *testing.T) {
	t.Parallel()
	c, _ := newCache(t, 1<<20)
	space := Space{Provider: "openai", Model: "m"}
	must(t, c.save(space, 3, sample(space, 4, 3)))
	for _, other := range []Space{
		{Provider: "voyage", Model: "m"}, {Provider: "openai", Model: "n"},
		{Provider: "openai", Model: "m", Endpoint: "e"}, {Provider: "openai", Model: "m", Dim: 3},
	} {
		if dim, all := c.load(other); dim != 0 || len(all) != 0 {
			t.Errorf("%+v has %d vectors of another space", other, len(all))
		}
	}
}

func TestCache_OtherDimensionReplaces(t *testing.T) {
	t.Parallel()
	c, _ := newCache(t, 1<<20)
	space := Space{Provider: "ollama", Model: "m"}
	must(t, c.save(space, 3, sample(space, 4, 3)))
	must(t, c.save(space, 5, sample(space, 2, 5)))
	if dim, all := c.load(space); dim != 5 || len(all) != 2 {
		t.Errorf("dimension %d with %d vectors, want 5 with 2", dim, len(all))
	}
}

func TestCache_ToleratesDamage(t *testing.T) {
	t.Parallel()
	c, log := newCache(t, 1<<20)
	space := Space{Provider: "openai", Model: "m"}
	must(t, c.save(space, 3, sample(space, 4, 3)))
	data, err := os.ReadFile(c.folder().Path(blobName(space)))
	must(t, err)
	must(t, os.WriteFile(c.folder().Path(blobName(space)), data[:len(data)/2], 0o600))
	if dim, all := c.load(space); dim != 0 || len(all) != 0 {
		t.Errorf("a torn file gave %d vectors", len(all))
	}
	if !strings.Contains(log.String(), c.folder().Path(blobName(space))) || !strings.Contains(log.String(), "embedded again") {
		t.Errorf("the log does not tell: %s", log)
	}
	must(t, c.save(space, 3, sample(space, 2, 3)))
	if _, all := c.load(space); len(all) != 2 {
		t.Errorf("%d vectors after saving over a torn file, want 2", len(all))
	}
}

func TestCache_UnreadableDirectory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	c := &cache{dir: filepath.Join(file, "vectors"), most: 1 << 20, log: slog.New(slog.DiscardHandler)}
	space := Space{Provider: "openai", Model: "m"}
	if _, all := c.load(space); len(all) != 0 {
		t.Errorf("%d vectors from nowhere", len(all))
	}
	if err := c.save(space, 3, sample(space, 1, 3)); err == nil || !strings.Contains(err.Error(), "save vectors") {
		t.Errorf("save: %v", err)
	}
}

// TestCache_IsBounded fills a cache of 1,000 bytes: a record of dimension 16
// has 100, so that ten fit.
func TestCache_IsBounded(t *testing.T) {
	t.Parallel()
	c, _ := newCache(t, 1000)
	space := Space{Provider: "openai", Model: "m"}
	all := sample(space, 25, 16)
	evict(all, 10)
	for key, one := range all {
		if one.day < 15 {
			t.Errorf("record %x of day %d was kept in place of a later one", key[:2], one.day)
		}
	}
	must(t, c.save(space, 16, sample(space, 25, 16)))
	if _, all := c.load(space); len(all) != 10 {
		t.Errorf("%d records are cached, want 10", len(all))
	}
}

// TestCache_PrunesTheFileUsedLongestAgo saves three files of which two fit.
func TestCache_PrunesTheFileUsedLongestAgo(t *testing.T) {
	t.Parallel()
	c, _ := newCache(t, 2500)
	spaces := []Space{{Model: "first"}, {Model: "second"}, {Model: "third"}}
	for i, space := range spaces[:2] {
		must(t, c.save(space, 16, sample(space, 10, 16)))
		past := time.Now().Add(time.Duration(i-10) * time.Hour)
		must(t, os.Chtimes(c.folder().Path(blobName(space)), past, past))
	}
	c.load(spaces[0]) // used just now, so that the second is the oldest
	must(t, c.save(spaces[2], 16, sample(spaces[2], 10, 16)))
	for i, want := range []bool{true, false, true} {
		if _, err := os.Stat(c.folder().Path(blobName(spaces[i]))); (err == nil) != want {
			t.Errorf("file of model %s is there: %v, want %v", spaces[i].Model, err == nil, want)
		}
	}
}
