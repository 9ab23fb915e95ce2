package gateway_test

import (
	"path/filepath"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
)

// TestGateway_resultsAreCut: no result has more characters than maxChars, however
// its tool is called, and zero cuts nothing. With a server: the engine cuts what
// the gateway passes on.
func TestGateway_resultsAreCut(t *testing.T) {
	t.Parallel()
	const whole = 9000
	for _, tt := range []struct{ limit, atMost, atLeast int }{{2000, 2000, 1000}, {0, whole, whole}} {
		h, _ := standard(t, map[string]any{"results": map[string]any{"maxChars": tt.limit}, "gateway": map[string]any{"mode": "all"}})
		c := connect(t, gatewayOf(h), "test")
		arguments := map[string]any{"bytes": whole}
		byCall, _ := callClient(t, c, "mcp_call", byName("big", arguments))
		direct, _ := callClient(t, c, "big", arguments)
		for way, text := range map[string]string{"by mcp_call": byCall, "by its name": direct} {
			if n := len([]rune(text)); n > tt.atMost || n < tt.atLeast {
				t.Errorf("maxChars %d, %s: got %d characters, want %d to %d", tt.limit, way, n, tt.atLeast, tt.atMost)
			}
		}
	}
}

// What was kept of a result goes with the session that it was kept for: the
// gateway ends the task, and the engine has the files.
func TestGateway_resultsGoWithTheSession(t *testing.T) {
	t.Parallel()
	h, _ := standard(t, map[string]any{"results": map[string]any{"maxChars": 2000}})
	kept := func() int {
		files, err := filepath.Glob(filepath.Join(h.Options.Storage, "results", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	p, stays := meet(t, h, ways()["stdio"], true), meet(t, h, ways()["stdio"], true)
	for _, c := range []*gatewaytest.Person{p, stays} {
		callClient(t, c.Client, "mcp_call", byName("big", map[string]any{"bytes": 9000}))
	}
	if n := kept(); n != 2 {
		t.Fatalf("%d results are kept, want 2", n)
	}
	_ = p.Close() // what its streams say of it is no matter
	h.Until("the result to be gone", func() bool { return kept() == 1 })
}
