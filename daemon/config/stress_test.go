package config

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/robustio"
)

// TestWatcher_Stress saves, edits, moves and re-targets at the same time. In
// the end the watcher knows what is on disk, and no edit was lost.
func TestWatcher_Stress(t *testing.T) {
	t.Parallel()
	w := watchFolder(t, func(w *workspace) { w.write(ours, one("x")) })
	sources := Sources(Options{Folders: []string{w.dir}})
	s := Server{Name: "a", Origin: Origin{Source: sources[0]}}
	var all sync.WaitGroup
	all.Go(func() {
		for i := range 20 {
			if _, err := w.Edit(t.Context(), SetToolEnabled(s, fmt.Sprint("t", i), false)); err != nil {
				t.Error(err)
			}
		}
	})
	all.Go(func() {
		for i := range 50 {
			path, temp := w.path(".mcp.json"), w.path(".mcp.json.tmp")
			text := fmt.Sprintf(`{"mcpServers": {"b": {"command": "%d"}}}`, i)
			if err := os.WriteFile(temp, []byte(text), 0o644); err != nil {
				t.Error(err)
			}
			if err := robustio.Rename(temp, path); err != nil {
				t.Error(err)
			}
		}
	})
	all.Go(func() {
		for range 10 {
			if err := w.SetSources(t.Context(), sources[:1]); err != nil {
				t.Error(err)
			}
			if err := w.SetSources(t.Context(), sources); err != nil {
				t.Error(err)
			}
		}
	})
	all.Go(func() {
		for range 200 {
			for _, f := range w.Files() {
				if f.Broken {
					t.Errorf("%s is broken: %v", filepath.Base(f.Source.Path), f.Problems)
				}
			}
		}
	})
	all.Wait()
	w.await("winnow.json x, .mcp.json 49")
	if got := w.Files()[0].Entries[0].Policy.DisabledTools; len(got) != 20 {
		t.Errorf("%d of 20 edits are there: %q", len(got), got)
	}
}

// TestWatcher_EditsTakeTurns: a cancelled caller does not wait for its turn.
func TestWatcher_EditsTakeTurns(t *testing.T) {
	t.Parallel()
	w := watchFolder(t, func(w *workspace) { w.write(ours, one("x")) })
	started, release := make(chan struct{}), make(chan struct{})
	var slow sync.WaitGroup
	slow.Go(func() {
		if err := w.Watcher.do(t.Context(), func() { close(started); <-release }); err != nil {
			t.Error(err)
		}
	})
	<-started
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.SetSources(ctx, nil); err == nil {
		t.Error("took a turn out of order")
	}
	close(release)
	slow.Wait()
	w.await("winnow.json x")
}
