package main

import (
	"fmt"
	"io"
	"maps"
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
	var refused string        // a token that is not taken any more
	var provider *upstreamtest.AuthServer
	server.takes = func(token, id string) bool {
		active, audience, err := provider.Active(t.Context(), token)
		mu.Lock()
		defer mu.Unlock()
		by[id] = token
		return token != refused && err == nil && active && audience == server.URL+"/mcp"
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
	// of returns by whose token a call was made.
	of := func(id string) string {
		mu.Lock()
		defer mu.Unlock()
		return by[id]
	}
	t.Run("two users, with every handle crossed", func(t *testing.T) {
		r := f.replicas[0]
		begun, release := server.holds("hers, slow")
		slow := make(chan answer, 1)
		go func() {
			a, err := f.call(ctx, r.address, "alice", "write_note", "hers, slow")
			if err != nil {
				t.Error(err)
			}
			slow <- a
		}()
		<-begun
		// The number of her request, which is that of each of his.
		for _, body := range []string{
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,` + envelope + `}}`, `{"jsonrpc":"2.0","id":1,"method":"notifications/cancelled","params":{"requestId":1}}`,
		} {
			f.ask(f.send(ctx, r.address, "bob", body, map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "notifications/cancelled"}))
		}
		if a := f.ask(f.call(ctx, r.address, "bob", "read_note", "his, meanwhile")); a.result.IsError || !strings.Contains(a.text(), "his, meanwhile") {
			t.Errorf("his call by the number of hers: %s", a.text())
		}
		release()
		if a := <-slow; a.result.IsError || !strings.Contains(a.text(), "hers, slow") {
			t.Errorf("her call, of which he wrote the number: %s", a.text())
		}
		// What she has confirmed, in a session that is not his.
		own := maps.Clone(header)
		own["Mcp-Session-Id"] = "hers"
		body := strings.Replace(body, `{"id":"1"}`, `{"id":"his, by her state"}`, 1)
		a := f.ask(f.send(ctx, r.address, "bob", fmt.Sprintf(body, `"requestState":"pages shown","inputResponses":{"page0":{"action":"accept"}},`), own))
		if a.result.IsError || a.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("his call by her state: %d %s", a.status, a.raw)
		}
		// Results that were hers: none is kept that anybody could read on.
		for _, handle := range []string{"r1", "1", "hers"} {
			said := map[string]string{}
			for _, who := range []string{"alice", "bob"} {
				a := f.ask(f.post(ctx, r.address, who, "tools/call", "mcp_call", fmt.Sprintf(`"name":"mcp_call","arguments":{"name":"mcp_result","arguments":{"result":%q}}`, handle)))
				if said[who] = a.raw; !a.result.IsError {
					t.Errorf("the result %q of %s: %s", handle, who, a.raw)
				}
			}
			if said["alice"] != said["bob"] {
				t.Errorf("the result %q: %q", handle, said)
			}
		}
		for _, id := range []string{"his", "his, meanwhile", "his, by her state"} {
			if of(id) != of("his") || of(id) == of("hers") {
				t.Errorf("%s was called by another's token", id)
			}
		}
		for who, other := range map[string]string{"alice": "bob", "bob": "alice"} {
			f.until("the calls are recorded", func() bool { return strings.Count(f.run("journal", "--subject", who), "notes/") > 2 })
			if out := f.run("journal", "--subject", who); strings.Contains(out, other) {
				t.Errorf("the calls of %s: %s", who, out)
			}
		}
	})
	t.Run("two hundred calls on one token that is not taken any more renew it once", func(t *testing.T) {
		before := of("hers")
		mu.Lock()
		refused = before
		mu.Unlock()
		var calls sync.WaitGroup
		for n := range 200 {
			calls.Go(func() {
				// One that only reads: an intent would have to be recorded within five seconds.
				a, err := f.call(ctx, f.replicas[n%2].address, "alice", "read_note", fmt.Sprint("renewed ", n))
				if err != nil || a.result.IsError {
					t.Errorf("call %d: %v %s", n, err, a.text())
				}
			})
		}
		calls.Wait()
		tokens := map[string]bool{}
		for n := range 200 {
			id := fmt.Sprint("renewed ", n)
			if tokens[of(id)] = true; server.count(id) != 1 {
				t.Errorf("%s was called %d times", id, server.count(id))
			}
		}
		if len(tokens) != 1 || tokens[before] {
			t.Errorf("the calls were made by %d tokens; the one before is among them: %t", len(tokens), tokens[before])
		}
	})
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
		for _, token := range []string{f.tokens["alice"], f.tokens["bob"], of("hers"), of("his"), of("renewed 0")} {
			if strings.Contains(r.log.String(), token) {
				t.Error("a token stands in a log")
			}
		}
	}
	if page := f.run("connect", "--resource", resource, "notes"); !strings.HasPrefix(page, "https://team.example/connect?for=") {
		t.Errorf("connect: %q", page)
	}
}

// exchanges is what a server saw of tokens, by the id of the call.
type exchanges struct {
	mu           sync.Mutex
	by, subjects map[string]string
}

// note notes a token, and reports whether a provider gave it for an audience.
func (x *exchanges) note(t *testing.T, provider *upstreamtest.AuthServer, audience, token, id string) bool {
	active, its, subject, err := provider.Whose(t.Context(), token)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.by[id], x.subjects[id] = token, subject
	return err == nil && active && its == audience
}

// byEach calls as each user at each replica, and checks that each call was made on behalf
// of its user, and not by the token with which they came.
func (x *exchanges) byEach(f *fixture) {
	f.t.Helper()
	for n, r := range f.replicas {
		for _, who := range []string{"alice", "bob"} {
			id := fmt.Sprint(who, n)
			a := f.ask(f.call(f.t.Context(), r.address, who, "read_note", id))
			x.mu.Lock()
			if a.result.IsError || x.subjects[id] != who || x.by[id] == f.tokens[who] {
				f.t.Errorf("%s was called on behalf of %q, by their own token: %t; %s", id, x.subjects[id], x.by[id] == f.tokens[who], a.text())
			}
			x.mu.Unlock()
		}
	}
}

// TestTeam_exchanged: the token by which each user comes is exchanged at a real
// provider for one of the same user's at the server, and never reaches the server.
func TestTeam_exchanged(t *testing.T) {
	t.Parallel()
	server := startServer(t, true)
	var provider *upstreamtest.AuthServer
	taken := exchanges{by: map[string]string{}, subjects: map[string]string{}}
	server.takes = func(token, id string) bool { return taken.note(t, provider, server.URL+"/mcp", token, id) }
	f := newFixture(t, 2, server, withKeys, func(f *fixture) {
		provider = f.provider
		f.env = append(f.env, "ACCOUNT_SECRET=gateway-secret")
		f.teamFile = fmt.Sprintf(`{"accounts":{"notes":{"by":"exchange","issuer":%q,"clientId":"gateway","clientSecret":"${env:ACCOUNT_SECRET}","scopes":["tools:call"]}}}`, f.provider.Issuer)
	})
	taken.byEach(f)
	if len(taken.by) != 4 {
		t.Errorf("%d calls", len(taken.by))
	}
	for _, r := range f.replicas {
		for id, token := range taken.by {
			if log := r.log.String(); strings.Contains(log, token) || strings.Contains(log, "gateway-secret") {
				t.Errorf("the token of %s, or the secret, stands in a log", id)
			}
		}
	}
}

// TestTeam_asserted: the token by which each user comes becomes an assertion of who they
// are at their own provider, and that one a token at the provider of the server, which
// never sees the user's token. Where that does not trust the provider, no call is made.
func TestTeam_asserted(t *testing.T) {
	t.Parallel()
	server := startServer(t, true)
	var theirs *upstreamtest.AuthServer
	taken := exchanges{by: map[string]string{}, subjects: map[string]string{}}
	server.takes = func(token, id string) bool { return taken.note(t, theirs, server.URL+"/mcp", token, id) }
	const account = `{"accounts":{"notes":{"by":"id-jag","issuer":%q,"clientId":"gateway","clientSecret":"${env:ACCOUNT_SECRET}","scopes":["tools:call"]}}}`
	f := newFixture(t, 2, server, withKeys, func(f *fixture) {
		theirs = upstreamtest.StartAuthServer(t, f.provider.Issuer)
		f.env = append(f.env, "WINNOWTEAM_CLIENT_ID=gateway", "WINNOWTEAM_CLIENT_SECRET=gateway-secret", "ACCOUNT_SECRET=gateway-secret")
		f.teamFile = fmt.Sprintf(account, theirs.Issuer)
	})
	taken.byEach(f)
	stranger := upstreamtest.StartAuthServer(t)
	if err := os.WriteFile(filepath.Join(f.dir, "team.json"), fmt.Appendf(nil, account, stranger.Issuer), 0o600); err != nil {
		t.Fatal(err)
	}
	f.run("apply", filepath.Join(f.dir, "winnow.json"), filepath.Join(f.dir, "team.cedar"), filepath.Join(f.dir, "team.json"))
	f.until("a provider that does not trust that of the users refuses", func() bool {
		a := f.ask(f.call(t.Context(), f.replicas[0].address, "alice", "read_note", "refused"))
		return a.result.IsError && strings.Contains(a.text(), "invalid_grant")
	})
	for _, r := range f.replicas {
		for _, text := range append([]string{"gateway-secret"}, f.tokens["alice"], f.tokens["bob"], taken.by["alice0"], "eyJ") { // eyJ begins a JWT
			if strings.Contains(r.log.String(), text) {
				t.Errorf("a token, an assertion or the secret stands in a log")
			}
		}
	}
}
