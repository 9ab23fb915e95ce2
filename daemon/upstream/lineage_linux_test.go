package upstream

import (
	"fmt"
	"os"
	"strings"
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

// TestCgroup: a process that has left its session with an empty environment ends
// with its server, where cgroups may be made; the one of another server stays.
func TestCgroup(t *testing.T) {
	t.Parallel()
	needCgroup(t)
	file, other := tempFile(t, "pids"), tempFile(t, "other")
	m := newTestManager(t, Options{})
	apply(t, m,
		scriptedConfig(t, "s", upstreamtest.Script{Grandchild: "bare", PIDFile: file}),
		scriptedConfig(t, "other", upstreamtest.Script{Grandchild: "bare", PIDFile: other}))
	waitState(t, m, "s", Ready)
	waitState(t, m, "other", Ready)
	if err := m.Stop("s"); err != nil {
		t.Fatal(err)
	}
	upstreamtest.UntilGone(t, pids(t, file)...)
	if gone(pids(t, other)[1]) {
		t.Error("the process of another server is gone too")
	}
}

// needCgroup skips a test where a server has no cgroup of its own.
func needCgroup(t *testing.T) {
	t.Helper()
	file := tempFile(t, "probe")
	m := newTestManager(t, Options{})
	apply(t, m, scriptedConfig(t, "probe", upstreamtest.Script{PIDFile: file}))
	waitState(t, m, "probe", Ready)
	groups, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pids(t, file)[0]))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(groups), "/winnow-") {
		t.Skipf("no cgroup can be made here: %s", groups)
	}
}

// TestWatcher: what a killed daemon leaves behind ends at once, without another
// one. The mark in the environment is enough, and so is the cgroup. It runs alone: the
// managers of other tests end what they find, too.
func TestWatcher(t *testing.T) { //nolint:paralleltest // see above
	for _, grandchild := range []string{"orphan", "bare"} {
		t.Run(grandchild, func(t *testing.T) { //nolint:paralleltest // see above
			if grandchild == "bare" {
				needCgroup(t)
			}
			kill, family := startDaemon(t, grandchild, 2)
			if gone(family[1]) {
				t.Fatal("the process of a daemon that lives is gone")
			}
			kill()
			upstreamtest.UntilGone(t, family...)
		})
	}
}

// TestLineage_lives: what another daemon ends when it starts is nothing of one
// that lives.
func TestLineage_lives(t *testing.T) {
	t.Parallel()
	kill, family := startDaemon(t, "orphan", 2)
	defer kill()
	closeManager(t, newTestManager(t, Options{}))
	if gone(family[1]) {
		t.Fatal("the process of a daemon that lives was ended")
	}
}
