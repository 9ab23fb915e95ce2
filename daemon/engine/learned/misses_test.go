package learned

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router"
)

// TestMisses_isBounded: it holds the latest misses, each once, and none of a
// message that says nothing.
func TestMisses_isBounded(t *testing.T) {
	t.Parallel()
	m, err := OpenMisses("")
	if err != nil {
		t.Fatal(err)
	}
	a := []router.ToolID{{Server: "s", Tool: "a"}}
	m.Record("", a)
	m.Record("could you please", a)
	if len(m.misses) != 0 {
		t.Fatalf("messages that say nothing left %+v", m.misses)
	}
	for i := range ranker.MaxMisses + 10 {
		m.Record(fmt.Sprintf("message zq%d", i), a)
	}
	m.Record("message zq20", a)
	if len(m.misses) != ranker.MaxMisses {
		t.Errorf("%d misses are kept", len(m.misses))
	}
	if last := m.misses[len(m.misses)-1]; fmt.Sprint(last.Words) != fmt.Sprint(ranker.Prints(m.key, "message zq20")) {
		t.Errorf("the latest is %+v", last)
	}
	if err := m.Save(); err != nil || len(m.misses) != ranker.MaxMisses {
		t.Errorf("saved in memory: got %d misses, %v, want %d", len(m.misses), err, ranker.MaxMisses)
	}
}

// TestLearned_twoWindows: what either of two windows of a workspace learns is
// there at the next start, and what one clears the other does not bring back.
func TestLearned_twoWindows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	type window struct {
		misses *Misses
		uses   *Uses
	}
	open := func() window {
		m, err := OpenMisses(dir)
		if err != nil {
			t.Fatal(err)
		}
		u, err := OpenUses(dir, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return window{m, u}
	}
	learn := func(w window, tool string) {
		id := router.ToolID{Server: "s", Tool: tool}
		w.misses.Record("message about "+tool, []router.ToolID{id})
		w.uses.Record(id)
		if err := errors.Join(w.misses.Save(), w.uses.Save()); err != nil {
			t.Fatal(err)
		}
	}
	knows := func(w window) string {
		var tools []string
		for _, m := range w.misses.misses {
			tools = append(tools, m.Tool)
		}
		for _, u := range w.uses.uses {
			tools = append(tools, u.Tool)
		}
		return strings.Join(tools, " ")
	}
	learn(open(), "zebra") // so that both have one key
	first, second := open(), open()
	learn(first, "okapi")
	learn(second, "quagga")
	learn(first, "gnu")
	if got, want := knows(open()), "zebra okapi quagga gnu zebra okapi quagga gnu"; got != want {
		t.Errorf("at the next start: got %q, want %q", got, want)
	}
	if err := errors.Join(first.misses.Clear(), first.uses.Clear()); err != nil {
		t.Fatal(err)
	}
	learn(second, "kudu")
	if got, want := knows(open()), "kudu kudu"; got != want {
		t.Errorf("after one has cleared it: got %q, want %q", got, want)
	}
}
