package proxy

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
)

// A client may give Gemini's calls ids of its own, and write their arguments
// otherwise: they are the same calls still.
func TestCallID(t *testing.T) {
	streamed := wire.Call{Name: "one", Arguments: []byte(`{"a":1,"b":[2]}`)}
	kept := wire.Call{ID: "one-17", Name: "one", Arguments: []byte("{ \"a\": 1, \"b\": [2] }")}
	if a, b := callID(wire.Gemini, &streamed), callID(wire.Gemini, &kept); a != b || a == "" {
		t.Errorf("got %q and %q, want one id", a, b)
	}
	other := wire.Call{Name: "one", Arguments: []byte(`{"a":2}`)}
	if a, b := callID(wire.Gemini, &streamed), callID(wire.Gemini, &other); a == b {
		t.Errorf("got %q for two calls", a)
	}
	if got := callID(wire.Messages, &kept); got != "one-17" {
		t.Errorf("got %q, want the provider's id", got)
	}
}
