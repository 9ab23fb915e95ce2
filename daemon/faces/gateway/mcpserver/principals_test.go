package mcpserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// perPrincipal opens a session each, and remembers for whom.
type perPrincipal struct {
	mu     sync.Mutex
	opened []Client
}

func (b *perPrincipal) Open(c Client) Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opened = append(b.opened, c)
	return &asking{}
}

// TestPrincipals crosses every handle that the gateway gives out: the id of a
// session, and the state of a question.
func TestPrincipals(t *testing.T) {
	t.Parallel()
	backend := &perPrincipal{}
	s := New(Options{Backend: backend, Name: "n", Version: "1"})
	if err := s.Listen(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	admitByName(s)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	send := func(method, who string, header map[string]string, body string) (status int, session string, m message) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL(), strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", who)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for name, value := range header {
			r.Header.Set(name, value)
		}
		answer, err := client.Do(r)
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

	status, id, _ := send(http.MethodPost, "alice", nil, hello)
	if id == "" {
		t.Fatalf("no session: status %d", status)
	}
	session := map[string]string{"Mcp-Session-Id": id}
	const ping = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	for method, body := range map[string]string{http.MethodPost: ping, http.MethodGet: "", http.MethodDelete: ""} {
		unknown, _, _ := send(method, "bob", map[string]string{"Mcp-Session-Id": "made-up"}, body)
		theirs, _, _ := send(method, "bob", session, body)
		if theirs != unknown {
			t.Errorf("%s of another's session: status %d, want that of an unknown one, %d", method, theirs, unknown)
		}
	}
	if mine, _, m := send(http.MethodPost, "alice", session, ping); mine != http.StatusOK || m.Error != nil {
		t.Errorf("her own session after that: status %d, %v", mine, m.Error)
	}

	call := func(who, more string) message {
		t.Helper()
		_, _, m := send(http.MethodPost, who, map[string]string{
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "ask",
		}, fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask","arguments":{"questions":1},%s%s}}`, more, envelope))
		return m
	}
	asked := call("alice", "")
	again := fmt.Sprintf(`"requestState":%q,"inputResponses":{"question":{"action":"accept"}},`, asked.Result.RequestState)
	if asked.Result.RequestState == "" {
		t.Fatalf("no question: %+v", asked)
	}
	if m := call("bob", again); !m.Result.IsError || !strings.Contains(m.text(), "unknown") {
		t.Errorf("a question to another is answered: %+v", m)
	}
	if m := call("alice", again); m.Result.IsError || !strings.Contains(m.text(), "tester said") {
		t.Errorf("her own question after that: %+v", m)
	}

	got := map[string]int{}
	for _, c := range backend.opened {
		got[fmt.Sprintf("%s %t", c.Principal.Subject, c.Shared)]++
	}
	if fmt.Sprint(got) != "map[alice false:1 alice true:1 bob true:1]" {
		t.Errorf("sessions were opened for %v", got)
	}
}

// admitByName lets in whoever comes as who the header says: what vouches for them
// is not what is tested.
func admitByName(s *Server) {
	s.web.http.Handler.(*guard).admit = func(h http.Header) (principal.Principal, bool) {
		return someone(h.Get("Authorization")), true
	}
}

func someone(subject string) principal.Principal {
	return principal.Principal{Issuer: "https://a.example", Subject: subject}
}

// TestPrincipals_listen: over HTTP each hears what is said to themselves alone.
func TestPrincipals_listen(t *testing.T) {
	t.Parallel()
	s := New(Options{Backend: &perPrincipal{}, Name: "n", Version: "1"})
	if err := s.Listen(); err != nil {
		t.Fatal(err)
	}
	admitByName(s)
	client := &http.Client{Transport: &http.Transport{}}
	next := map[string]func() string{}
	for _, who := range []string{"alice", "bob"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL(), strings.NewReader(
			`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true},`+envelope+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Authorization": who, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen",
		} {
			r.Header.Set(name, value)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = answer.Body.Close() })
		lines := bufio.NewScanner(answer.Body)
		next[who] = func() string {
			for lines.Scan() {
				var m message
				if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && json.Unmarshal([]byte(data), &m) == nil {
					return m.Method
				}
			}
			return fmt.Sprint("the end: ", lines.Err())
		}
		if got := next[who](); got != "notifications/subscriptions/acknowledged" {
			t.Fatalf("%s hears %s first", who, got)
		}
	}
	s.listeners.notify(someone("alice"), "notifications/tools/list_changed", nil)
	s.listeners.notify(someone("bob"), "notifications/prompts/list_changed", nil)
	for who, want := range map[string]string{"alice": "notifications/tools/list_changed", "bob": "notifications/prompts/list_changed"} {
		if got := next[who](); got != want {
			t.Errorf("%s hears %s, want %s", who, got, want)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	client.CloseIdleConnections()
}
