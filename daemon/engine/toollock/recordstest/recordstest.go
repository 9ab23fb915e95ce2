// Package recordstest tests implementations of [toollock.Records].
package recordstest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/trust/lock"
	"github.com/winnow-mcp/winnow/protocol"
)

// Conform tests an implementation. open returns an empty one and a second one over the
// same storage.
func Conform(t *testing.T, open func(t *testing.T) (first, again toollock.Records)) {
	t.Helper()
	t.Run("a record comes back whole", func(t *testing.T) {
		t.Parallel()
		first, again := open(t)
		for _, folder := range []string{"", "/w"} {
			if _, err := first.Merge(record(folder, "a", map[string]int64{"x": 1})); err != nil {
				t.Fatal(err)
			}
		}
		all, err := again.All()
		if err != nil || len(all) != 2 || again.Damaged("", "a") {
			t.Fatalf("%d records, %v", len(all), err)
		}
		item := all[0].Items["tool:x"]
		if string(item.Raw) != raw("x", 1) || item.At != 1 || all[0].Server != "a" || !all[0].Knows(protocol.LockTool) {
			t.Errorf("got %+v", all[0])
		}
	})
	t.Run("the later items of two records stay", func(t *testing.T) {
		t.Parallel()
		first, again := open(t)
		if _, err := first.Merge(record("", "a", map[string]int64{"x": 5, "y": 1})); err != nil {
			t.Fatal(err)
		}
		merged, err := again.Merge(record("", "a", map[string]int64{"x": 3, "y": 2, "z": 1}))
		if err != nil || at(merged) != "x5 y2 z1" {
			t.Errorf("merged is %s, %v", at(merged), err)
		}
		all, err := first.All()
		if err != nil || len(all) != 1 || at(all[0]) != "x5 y2 z1" {
			t.Errorf("kept are %d, %v", len(all), err)
		}
	})
	t.Run("two that write at once lose nothing", func(t *testing.T) {
		t.Parallel()
		first, again := open(t)
		var writing sync.WaitGroup
		for i, records := range []toollock.Records{first, again} {
			writing.Go(func() {
				for n := range 10 {
					if _, err := records.Merge(record("", "a", map[string]int64{fmt.Sprintf("t%d-%d", i, n): 1})); err != nil {
						t.Error(err)
					}
				}
			})
		}
		writing.Wait()
		all, err := first.All()
		if err != nil || len(all) != 1 || len(all[0].Items) != 20 {
			t.Errorf("%d records, %v: %+v", len(all), err, all)
		}
	})
}

// raw returns a tool as its server sends it.
func raw(name string, at int64) string {
	return fmt.Sprintf(`{"name":%q,"description":"<b>&\u2028 %d","inputSchema":{"type":"object"}}`, name, at)
}

// record returns a record of a server whose tools changed at the given times.
func record(folder, server string, tools map[string]int64) *lock.Record {
	r := &lock.Record{Version: lock.Version, Folder: folder, Server: server, Known: []protocol.LockKind{protocol.LockTool, protocol.LockResources}, Items: map[lock.Key]lock.Item{}}
	for name, at := range tools {
		_, entry, err := lock.Tool([]byte(raw(name, at)))
		if err != nil {
			panic(err)
		}
		r.Items[lock.KeyOf(protocol.LockTool, name)] = lock.First(entry, []byte(raw(name, at)), at)
	}
	return r
}

// at returns when the tools x, y and z of a record changed.
func at(r *lock.Record) string {
	return fmt.Sprintf("x%d y%d z%d", r.Items["tool:x"].At, r.Items["tool:y"].At, r.Items["tool:z"].At)
}
