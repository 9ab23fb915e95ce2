package learned

import (
	"fmt"
	"testing"

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
	if err := m.Save(); err != nil {
		t.Errorf("saved in memory: %v", err)
	}
}
