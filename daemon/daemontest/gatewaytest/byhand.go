package gatewaytest

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// Session opens a session by hand, and returns its id.
func Session(t testing.TB, info protocol.GatewayInfoResult) string {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"hand","version":"1"}}}`
	r := Send(t, info, body, func(r *http.Request) {})
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		t.Fatalf("initialize: %s", r.Status)
	}
	return r.Header.Get("Mcp-Session-Id")
}

// Send sends a message by hand.
func Send(t testing.TB, info protocol.GatewayInfoResult, body string, edit func(*http.Request)) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, info.URL, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+info.Token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	edit(r)
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// Post sends a message of a session by hand, and returns the answer.
func Post(t testing.TB, info protocol.GatewayInfoResult, id, body string) string {
	t.Helper()
	r := Send(t, info, body, func(r *http.Request) { r.Header.Set("Mcp-Session-Id", id) })
	defer r.Body.Close()
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
