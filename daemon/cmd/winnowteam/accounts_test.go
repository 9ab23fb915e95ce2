package main

import (
	"fmt"
	"io"
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

// testKeys is a file of keys.
const testKeys = "1 a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=\n"

// withKeys gives a team keys.
func withKeys(f *fixture) {
	f.t.Helper()
	keys := filepath.Join(f.t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte(testKeys), 0o600); err != nil {
		f.t.Fatal(err)
	}
	f.env = append(f.env, "WINNOWTEAM_KEYS="+keys)
}

// withAccounts gives a team keys, and its server accounts of users at the provider.
func withAccounts(f *fixture) {
	f.t.Helper()
	withKeys(f)
	id, secret, err := f.provider.Register(f.t.Context(), "https://team.example/connect/back")
	if err != nil {
		f.t.Fatal(err)
	}
	f.env = append(f.env, "WINNOWTEAM_CLIENT_ID="+id, "WINNOWTEAM_CLIENT_SECRET="+secret, "ACCOUNT_SECRET="+secret)
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
	t.Run("requests are counted on all replicas together", func(t *testing.T) {
		path := filepath.Join(f.dir, "team.json")
		limited := strings.Replace(f.teamFile, "{", `{"quotas":{"user":2,"groups":{"ops":1000}},`, 1)
		if err := os.WriteFile(path, []byte(limited), 0o600); err != nil {
			t.Fatal(err)
		}
		f.run("apply", filepath.Join(f.dir, "winnow.json"), filepath.Join(f.dir, "team.cedar"), path)
		for _, r := range f.replicas { // each takes up the new version when it does
			f.until("a quota is used up", func() bool {
				a := f.ask(f.call(ctx, r.address, "bob", "read_note", "his"))
				return a.status == http.StatusTooManyRequests && a.header.Get("Retry-After") != "" && strings.Contains(a.raw, "each user")
			})
		}
		taken := 0
		for n := range 10 { // a minute may begin in between
			if f.ask(f.call(ctx, f.replicas[n%2].address, "bob", "read_note", "his")).status == http.StatusOK {
				taken++
			}
		}
		if taken > 2 {
			t.Errorf("%d more were taken", taken)
		}
		answer, err := http.Get("http://" + f.replicas[0].metrics + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		for _, want := range []string{`winnowteam_call_seconds_count{outcome="ok"}`, "winnowteam_quota_refused_total", `winnowteam_requests_total{code="429"}`, "winnowteam_document_version 2"} {
			if err != nil || !strings.Contains(string(text), want) {
				t.Errorf("no %s in the metrics, %v", want, err)
			}
		}
		if strings.Contains(string(text), "alice") || strings.Contains(string(text), "notes") {
			t.Error("the metrics name somebody")
		}
		if out := f.run("apply", "--version", "1"); out != "version 3\n" {
			t.Errorf("back: %q", out)
		}
	})
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
