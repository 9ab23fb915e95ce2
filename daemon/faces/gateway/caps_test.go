package gateway_test

import (
	"testing"
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
