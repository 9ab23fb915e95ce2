package proxy

import (
	"net/http"
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
	kept.ID = "call_1__vscode-1763876543"
	if got := callID(wire.Chat, &kept); got != "call_1" {
		t.Errorf("got %q, want the id as the provider gave it, before VS Code kept it", got)
	}
}

// Of two calls that ask for the same, the later one is another.
func TestCallIDs(t *testing.T) {
	call := wire.Call{ID: "c1", Name: "list", Arguments: []byte(`{}`)}
	again := callIDs{format: wire.Gemini, seen: map[string]int{}}
	if a, b := again.next(&call), again.next(&call); a == b {
		t.Errorf("Gemini: got %q twice", a)
	}
	chat := callIDs{format: wire.Chat, seen: map[string]int{}}
	if got := chat.next(&call); got != "c1" {
		t.Errorf("chat: got %q, want the provider's id", got)
	}
}

// VS Code's ids of a request and of a message say nothing of the conversation.
func TestSessionOf(t *testing.T) {
	header := http.Header{}
	header.Set("X-Agent-Task-Id", "of the request")
	header.Set("X-Interaction-Id", "of the message")
	if got := sessionOf(header); got != "" {
		t.Errorf("got %q, want none", got)
	}
	header.Set("session_id", "Codex's")
	if got := sessionOf(header); got != "Codex's" {
		t.Errorf("got %q, want Codex's", got)
	}
}
