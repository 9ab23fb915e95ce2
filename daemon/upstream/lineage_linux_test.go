package upstream

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// A process whose parents are gone, in a session of its own, ends with its
// server, however that ends; the one of another server stays.
func TestLineage_Orphans(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *Manager){
		"stopped": func(t *testing.T, m *Manager) {
			if err := m.Stop("s"); err != nil {
				t.Error(err)
			}
		},
		"exits":  func(t *testing.T, m *Manager) { _, _ = tryCall(t, m, "s", "exit", "") },
		"closed": closeManager,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, other := tempFile(t, "pids"), tempFile(t, "other")
			m := newTestManager(t, Options{})
			apply(t, m,
				scriptedConfig(t, "s", upstreamtest.Script{Grandchild: "orphan", PIDFile: file}),
				scriptedConfig(t, "other", upstreamtest.Script{Grandchild: "orphan", PIDFile: other}))
			waitState(t, m, "s", Ready)
			waitState(t, m, "other", Ready)
			first := pids(t, file)
			if len(first) != 2 || gone(first[1]) {
				t.Fatalf("processes %v", first)
			}
			end(t, m)
			upstreamtest.UntilGone(t, first...)
			if name != "closed" && gone(pids(t, other)[1]) {
				t.Error("the process of another server is gone too")
			}
		})
	}
}

// TestLineage_Sweep: what a killed daemon has left behind is ended by the next
// one, and nothing of one that lives.
func TestLineage_Sweep(t *testing.T) {
	t.Parallel()
	kill, family := startDaemon(t, "orphan", 2)
	orphan := family[1]
	m := newTestManager(t, Options{})
	closeManager(t, m)
	if gone(orphan) {
		t.Fatal("the process of a daemon that lives was ended")
	}
	kill()
	closeManager(t, newTestManager(t, Options{}))
	upstreamtest.UntilGone(t, orphan)
}
