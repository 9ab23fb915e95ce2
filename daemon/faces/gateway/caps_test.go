package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// cacheHints are what MCP 2026-07-28 wants in each result that may be kept.
type cacheHints struct {
	TTLMs      *int64  `json:"ttlMs"`
	CacheScope *string `json:"cacheScope"`
}

// askModern sends a request of MCP 2026-07-28 by hand.
func askModern(t *testing.T, info protocol.GatewayInfoResult, method string) cacheHints {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"hand","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	r := send(t, info, body, func(r *http.Request) {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", method)
	})
	defer r.Body.Close()
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Result *cacheHints `json:"result"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Result == nil {
		t.Fatalf("%s: got %s: %s (%v)", method, r.Status, raw, err)
	}
	return *answer.Result
}

// TestGateway_cacheHints: each list says how long it may be kept, and by whom:
// the servers are one user's. A client with a session is told of changes, and
// gets no such word.
func TestGateway_cacheHints(t *testing.T) {
	t.Parallel()
	h, _ := standard(t, nil)
	info := gatewayOf(h)
	for method, ttl := range map[string]int64{
		"server/discover": 60_000, "tools/list": 60_000, "resources/list": 0, "resources/templates/list": 0, "prompts/list": 0,
	} {
		hints := askModern(t, info, method)
		if hints.TTLMs == nil || *hints.TTLMs != ttl || hints.CacheScope == nil || *hints.CacheScope != "private" {
			raw, _ := json.Marshal(hints)
			t.Errorf("%s: got %s, want ttlMs %d and cacheScope private", method, raw, ttl)
		}
	}
	if text := post(t, info, session(t, info), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); !strings.Contains(text, "mcp_search") || strings.Contains(text, "ttlMs") {
		t.Errorf("of an older revision: got %s, want the list without ttlMs", text)
	}
}

// TestGateway_resultsAreCut: no result has more characters than maxChars, however
// its tool is called, and zero cuts nothing.
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
