package main

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// toTeam leads requests to the address of the team to a replica, as its balancer
// does.
type toTeam string

func (to toTeam) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == "team.example" {
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host = "http", string(to)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// withAccounts gives a team keys, and its server accounts of users at the provider.
func withAccounts(f *fixture) {
	f.t.Helper()
	id, secret, err := f.provider.Register(f.t.Context(), "https://team.example/connect/back")
	if err != nil {
		f.t.Fatal(err)
	}
	keys := filepath.Join(f.t.TempDir(), "keys")
	text := "1 " + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))) + "\n"
	if err := os.WriteFile(keys, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	f.env = append(f.env, "WINNOWTEAM_KEYS="+keys, "WINNOWTEAM_CLIENT_ID="+id, "WINNOWTEAM_CLIENT_SECRET="+secret, "ACCOUNT_SECRET="+secret)
	f.teamFile = fmt.Sprintf(`{"accounts":{"notes":{"by":"user","issuer":%q,"clientId":%q,"clientSecret":"${env:ACCOUNT_SECRET}","scopes":["tools:call"]}}}`, f.provider.Issuer, id)
}

// TestTeam_accounts: each user calls by an account of theirs, which they connect at a
// page that recognizes them, with a real provider; what one connects at one replica
// counts at all, and for nobody else.
func TestTeam_accounts(t *testing.T) {
	t.Parallel()
	server := startServer(t, true)
	var mu sync.Mutex
	by := map[string]string{} // tokens by the id of their call
	var provider *upstreamtest.AuthServer
	server.takes = func(token, id string) bool {
		active, audience, err := provider.Active(t.Context(), token)
		mu.Lock()
		defer mu.Unlock()
		by[id] = token
		return err == nil && active && audience == server.URL+"/mcp"
	}
	f := newFixture(t, 2, server, func(f *fixture) { provider = f.provider }, withAccounts)
	ctx := t.Context()
	browser := func(login string) *upstreamtest.Browser {
		return &upstreamtest.Browser{Login: login, Transport: toTeam(f.replicas[1].address)}
	}
	pages := map[string]string{}
	for _, who := range []string{"alice", "bob"} {
		a := f.ask(f.call(ctx, f.replicas[0].address, who, "read_note", "early"))
		if pages[who] = regexp.MustCompile(`https://team\.example/connect\?for=\S+`).FindString(a.text()); !a.result.IsError || pages[who] == "" {
			t.Fatalf("without an account: %s", a.text())
		}
	}
	if len(by) != 0 {
		t.Error("the server was called without an account")
	}
	// A client that can show pages is asked to.
	knows := strings.Replace(envelope, `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{"url":{}}}`, 1)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mcp_call","arguments":{"name":"read_note","arguments":{"id":"1"}},%s` + knows + "}}"
	header := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "mcp_call"}
	asked := f.ask(f.send(ctx, f.replicas[0].address, "alice", fmt.Sprintf(body, ""), header))
	if !strings.Contains(asked.raw, `"input_required"`) || !strings.Contains(asked.raw, `"mode":"url"`) {
		t.Errorf("a client that shows pages is told %s", asked.raw)
	}
	// Somebody else who follows the address connects nothing.
	thief := browser("mallory")
	if err := thief.Open(ctx, pages["alice"]); err == nil || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("another user: %v %s", err, thief.LastPage)
	}
	alice := browser("alice")
	if err := alice.Open(ctx, pages["alice"]); err != nil || !strings.Contains(alice.LastPage, "is connected") {
		t.Fatalf("%v %s", err, alice.LastPage)
	}
	again := f.ask(f.send(ctx, f.replicas[1].address, "alice", fmt.Sprintf(body, `"requestState":"pages shown","inputResponses":{"page0":{"action":"accept"}},`), header))
	if again.result.IsError || server.count("1") != 1 {
		t.Errorf("made again: %s", again.raw)
	}
	for _, r := range f.replicas {
		if a := f.ask(f.call(ctx, r.address, "alice", "write_note", "hers")); a.result.IsError {
			t.Errorf("connected: %s", a.text())
		}
		if a := f.ask(f.call(ctx, r.address, "bob", "read_note", "his")); !strings.Contains(a.text(), "/connect?for=") {
			t.Errorf("bob, where alice has connected: %s", a.text())
		}
	}
	if err := browser("bob").Open(ctx, pages["bob"]); err != nil {
		t.Fatal(err)
	}
	if a := f.ask(f.call(ctx, f.replicas[0].address, "bob", "read_note", "his")); a.result.IsError {
		t.Errorf("bob: %s", a.text())
	}
	mu.Lock()
	if by["hers"] == by["his"] || by["hers"] == "" || by["his"] == f.tokens["bob"] {
		t.Errorf("by the tokens %q", by)
	}
	mu.Unlock()
	if out := f.run("disconnect", "--subject", "alice", "notes"); out != "deleted 1\n" {
		t.Errorf("disconnect: %q", out)
	}
	for _, r := range f.replicas {
		f.until("the account is gone", func() bool {
			return strings.Contains(f.ask(f.call(ctx, r.address, "alice", "read_note", "late")).text(), "/connect?for=")
		})
		for _, token := range append([]string{f.tokens["alice"], f.tokens["bob"]}, by["hers"], by["his"]) {
			if strings.Contains(r.log.String(), token) {
				t.Error("a token stands in a log")
			}
		}
	}
	if page := f.run("connect", "--resource", resource, "notes"); !strings.HasPrefix(page, "https://team.example/connect?for=") {
		t.Errorf("connect: %q", page)
	}
}
