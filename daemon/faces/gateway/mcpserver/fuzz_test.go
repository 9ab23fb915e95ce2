package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// owned is a session whose tools name its owner.
type owned struct {
	asking

	of string
}

func (o *owned) Tools(context.Context) ([]Tool, error) {
	return []Tool{{Name: "of_" + o.of, InputSchema: json.RawMessage(`{"type":"object"}`)}}, nil
}

// owners opens a session for each principal.
type owners struct{}

func (owners) Open(c Client) Session { return &owned{of: c.Principal.Subject} }

// answered is what a request came to.
type answered struct {
	status        int
	session, text string
}

// FuzzHandles: the id of a session, the state of a question and the cursor of a page that
// somebody makes up, or has from somebody else, show nobody another one's tools, answer
// nobody else's question and end nobody else's session.
func FuzzHandles(f *testing.F) {
	s := New(Options{Backend: owners{}, Name: "n", Version: "1"})
	handler := s.Handler()
	f.Cleanup(func() { _ = s.Close() })
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(As(r.Context(), someone(r.Header.Get("Authorization")))))
	}))
	f.Cleanup(web.Close)
	send := func(method, who, session, body string, header ...string) (a answered) {
		r, err := http.NewRequest(method, web.URL+endpoint, strings.NewReader(body))
		if err != nil {
			f.Fatal(err)
		}
		r.Header.Set("Authorization", who)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		answer, err := web.Client().Do(r)
		if err != nil { // a session that no header can have
			return answered{status: http.StatusBadRequest}
		}
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			f.Error(err)
		}
		return answered{answer.StatusCode, answer.Header.Get("Mcp-Session-Id"), string(text)}
	}
	modern := func(who, method, params string) answered {
		return send(http.MethodPost, who, "", fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":%q,"params":{%s%s}}`, method, params, envelope),
			"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", "ask")
	}
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	id := send(http.MethodPost, "alice", "", hello).session
	if w := send(http.MethodPost, "alice", id, list); id == "" || !strings.Contains(w.text, "of_alice") {
		f.Fatalf("alice's session %q: %s", id, w.text)
	}
	var asked message
	for line := range strings.Lines(modern("alice", "tools/call", `"name":"ask","arguments":{"questions":1},`).text) {
		_ = json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &asked)
	}
	state := asked.Result.RequestState
	if state == "" {
		f.Fatalf("alice is not asked: %+v", asked)
	}
	for _, text := range []string{
		"", id, state, strings.ToLower(id), id + " ", id + "," + id, "\x00", "..", "null", "0", strings.Repeat("A", 100_000), "éé", `","method":"x`, "eyJvZmZzZXQiOjB9", "MQ==", "-1",
	} {
		f.Add(text, 0, byte('A'))
	}
	for at := range id {
		f.Add("", at, byte('A'+at))
	}
	f.Fuzz(func(t *testing.T, text string, at int, with byte) {
		tamper := func(text string) string {
			if at < 0 || at >= len(text) {
				return text[:len(text)/2]
			}
			return text[:at] + string([]byte{with}) + text[at+1:]
		}
		for _, session := range []string{text, id, tamper(id)} {
			if w := send(http.MethodPost, "bob", session, list); w.status != http.StatusBadRequest && w.status != http.StatusNotFound || strings.Contains(w.text, "of_") {
				t.Errorf("a list in the session %q: HTTP %d %s", session, w.status, w.text)
			}
			if w := send(http.MethodDelete, "bob", session, ""); w.status >= http.StatusInternalServerError || w.text != "" && w.status == http.StatusOK {
				t.Errorf("the end of the session %q: HTTP %d %s", session, w.status, w.text)
			}
		}
		for _, one := range []string{text, state, tamper(state)} {
			if one == "" {
				continue // no state at all
			}
			quoted, err := json.Marshal(one)
			if err != nil {
				t.Fatal(err)
			}
			w := modern("bob", "tools/call", `"name":"ask","arguments":{"questions":1},"requestState":`+string(quoted)+`,"inputResponses":{"question":{"action":"accept"}},`)
			if body := w.text; w.status >= http.StatusInternalServerError || strings.Contains(body, "said") || strings.Contains(body, "requestState") {
				t.Errorf("the state %q: HTTP %d %s", one, w.status, body)
			}
		}
		cursor, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if w := modern("bob", "tools/list", `"cursor":`+string(cursor)+`,`); w.status >= http.StatusInternalServerError || strings.Contains(w.text, "of_alice") {
			t.Errorf("the cursor %q: HTTP %d %s", text, w.status, w.text)
		}
		if w := send(http.MethodPost, "alice", id, list); !strings.Contains(w.text, "of_alice") { // it has not ended
			t.Fatalf("alice's own session after that: HTTP %d %s", w.status, w.text)
		}
	})
}
