package mcpserver

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestStateless: a client of a version with sessions is served by two servers in
// turn, of which neither gave it anything to remember; nothing is asked of it.
func TestStateless(t *testing.T) {
	t.Parallel()
	backend := &perPrincipal{}
	var urls []string
	for range 2 {
		s := New(Options{Backend: backend, Name: "n", Version: "1", Stateless: true})
		handler := s.Handler()
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			handler.ServeHTTP(w, r.WithContext(As(r.Context(), someone(r.Header.Get("Authorization")))))
		}))
		t.Cleanup(func() {
			web.Close()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		urls = append(urls, web.URL+endpoint)
	}
	// send returns an answer's status, the session that it opens, and its message.
	send := func(n int, method, body string, header ...string) (status int, session string, m message) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, urls[n%2], strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "alice")
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			_ = json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &m)
		}
		return answer.StatusCode, answer.Header.Get("Mcp-Session-Id"), m
	}
	status, session, m := send(0, http.MethodPost, hello)
	if status != http.StatusOK || session != "" || m.Error != nil {
		t.Fatalf("initialize: %d, session %q, %v", status, session, m.Error)
	}
	if status, _, _ := send(1, http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); status != http.StatusAccepted {
		t.Errorf("initialized: %d", status)
	}
	// Not even as a request: the library goes by the method, and knows all users' by "".
	if status, _, m := send(1, http.MethodPost, `{"jsonrpc":"2.0","id":5,"method":"notifications/cancelled","params":{"requestId":3}}`); status != http.StatusAccepted || m.Error != nil {
		t.Errorf("cancelled: %d, %v", status, m.Error)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		if status, _, _ := send(1, method, ""); status != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, status)
		}
	}
	const call = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask","arguments":{"questions":1`
	if status, _, m := send(1, http.MethodPost, call+`}}}`); status != http.StatusOK || !m.Result.IsError || !strings.Contains(m.text(), "puts no questions") {
		t.Errorf("a call that asks: %d, %+v", status, m)
	}
	_, _, m = send(0, http.MethodPost, call+"},"+envelope+"}}", "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "ask")
	if m.Result.RequestState != "" || !strings.Contains(m.text(), "puts no questions") {
		t.Errorf("a call without a session asks: %+v", m)
	}
	if len(backend.opened) != 2 || !backend.opened[0].Shared || !backend.opened[1].Shared {
		t.Errorf("opened are %+v", backend.opened)
	}
}
