package vault_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/team/pg"
	"github.com/winnow-mcp/winnow/daemon/team/pg/pgtest"
	"github.com/winnow-mcp/winnow/daemon/team/vault"
)

var cluster *pgtest.Cluster

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m, &cluster)) }

// issuer is an authorization server whose refresh tokens are good once: who comes
// with one a second time loses the account, as the better ones have it.
type issuer struct {
	*httptest.Server

	mu sync.Mutex
	// next is the only refresh token that is taken, redeemed counts.
	next     string
	redeemed int
	// before is told of each request for a token before it is answered.
	before func(form url.Values)
	life   int
}

func startIssuer(t testing.TB) *issuer {
	t.Helper()
	s := &issuer{life: 3600}
	mux := http.NewServeMux()
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": s.URL, "authorization_endpoint": s.URL + "/auth", "token_endpoint": s.URL + "/token"})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		s.mu.Lock()
		before := s.before
		s.mu.Unlock()
		if before != nil {
			before(r.Form)
		}
		w.Header().Set("Content-Type", "application/json")
		s.mu.Lock()
		defer s.mu.Unlock()
		switch r.Form.Get("grant_type") {
		case "authorization_code":
			s.next = "refresh 0"
			fmt.Fprintf(w, `{"access_token":"access 0","token_type":"Bearer","refresh_token":"refresh 0","expires_in":%d}`, s.life)
		case "refresh_token":
			if r.Form.Get("refresh_token") != s.next {
				s.next = ""
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"error":"invalid_grant","error_description":"`+r.Form.Get("refresh_token")+`"}`)
				return
			}
			s.redeemed++
			s.next = fmt.Sprint("refresh ", s.redeemed)
			fmt.Fprintf(w, `{"access_token":"access %d","token_type":"Bearer","refresh_token":%q,"expires_in":3600}`, s.redeemed, s.next)
		case "urn:ietf:params:oauth:grant-type:token-exchange":
			fmt.Fprintf(w, `{"access_token":"for %s at %s","token_type":"Bearer","expires_in":3600}`, r.Form.Get("subject_token"), r.Form.Get("resource"))
		default:
			fmt.Fprintf(w, `{"access_token":"of the client","token_type":"Bearer","expires_in":3600}`)
		}
	})
	return s
}

const server, address = "notes", "https://notes.example/mcp"

var alice, bob = principal.Principal{Issuer: "https://a.example", Subject: "alice"}, principal.Principal{Issuer: "https://a.example", Subject: "bob"}

// team is a vault of each of some replicas, on one schema.
type team struct {
	t      *testing.T
	as     *issuer
	stores []*pg.Store
	vaults []*vault.Vault
}

func keys(ids ...string) []byte {
	var text strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&text, "%s %s\n", id, base64.StdEncoding.EncodeToString([]byte(strings.Repeat(id, 32)[:32])))
	}
	return []byte(text.String())
}

func newTeam(t *testing.T, n int, claim time.Duration, by string) *team {
	t.Helper()
	f := &team{t: t, as: startIssuer(t)}
	database, schema := cluster.New(t)
	for i := range n {
		store, err := pg.Open(t.Context(), pg.Options{URL: database, Schema: schema})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(store.Close)
		f.stores = append(f.stores, store)
		f.vaults = append(f.vaults, f.open(store, fmt.Sprint("replica ", i), claim, by, address, "k"))
	}
	return f
}

func (f *team) open(store *pg.Store, name string, claim time.Duration, by, at string, ids ...string) *vault.Vault {
	f.t.Helper()
	ring, err := vault.ParseRing(keys(ids...))
	if err != nil {
		f.t.Fatal(err)
	}
	return vault.New(vault.Options{
		Store: store.Credentials(), Ring: ring, Replica: name, Base: "https://team.example", Claim: claim, Log: slog.New(slog.DiscardHandler),
		Account: func(name string) (vault.Account, string, bool) {
			return vault.Account{By: by, Issuer: f.as.URL, ClientID: "gateway"}, at, name == server
		},
	})
}

// TestRing_pseudonym: what stands for a user is the same wherever the newest key is, and
// another one for another user and by another key.
func TestRing_pseudonym(t *testing.T) {
	t.Parallel()
	pseudonym := func(issuer, subject string, ids ...string) string {
		t.Helper()
		ring, err := vault.ParseRing(keys(ids...))
		if err != nil {
			t.Fatal(err)
		}
		return ring.Pseudonym(principal.Principal{Issuer: issuer, Subject: subject})
	}
	ofAlice := pseudonym("i", "alice", "k")
	if len(ofAlice) != 16 || pseudonym("i", "alice", "k", "older") != ofAlice {
		t.Errorf("alice is %q, and with an older key %q", ofAlice, pseudonym("i", "alice", "k", "older"))
	}
	for what, other := range map[string]string{
		"bob": pseudonym("i", "bob", "k"), "another issuer's": pseudonym("i alice", "", "k"), "by another key": pseudonym("i", "alice", "newer", "k"),
	} {
		if other == ofAlice || other == "" {
			t.Errorf("%s: %q", what, other)
		}
	}
	if none := (*vault.Ring)(nil).Pseudonym(principal.Principal{Issuer: "i", Subject: "alice"}); none != "" {
		t.Errorf("without keys: %q", none)
	}
}

// connect goes through the pages for the team's own account, which nobody has to be
// recognized for, and takes its credential over to a principal.
func (f *team) connect(v *vault.Vault) (back *http.Request) {
	f.t.Helper()
	page, err := v.Page(vault.Key{Principal: vault.Team, Server: server})
	if err != nil {
		f.t.Fatal(err)
	}
	return f.follow(v, page)
}

// follow goes to the authorization server by a page.
func (f *team) follow(v *vault.Vault, page string) (back *http.Request) {
	f.t.Helper()
	first := httptest.NewRecorder()
	v.ServeHTTP(first, httptest.NewRequest(http.MethodGet, page, nil))
	to, err := url.Parse(first.Header().Get("Location"))
	if err != nil || first.Code != http.StatusFound || to.Query().Get("code_challenge_method") != "S256" || to.Query().Get("resource") != address {
		f.t.Fatalf("%d, to %s: %s", first.Code, to, first.Body)
	}
	back = httptest.NewRequest(http.MethodGet, "https://team.example/connect/back?code=c&state="+url.QueryEscape(to.Query().Get("state")), nil)
	for _, cookie := range first.Result().Cookies() {
		back.AddCookie(cookie)
	}
	return back
}

func (f *team) get(v *vault.Vault, r *http.Request) *httptest.ResponseRecorder {
	f.t.Helper()
	w := httptest.NewRecorder()
	v.ServeHTTP(w, r)
	return w
}

// connected connects the team's own account, with a token of so many seconds.
func (f *team) connected(life int) {
	f.t.Helper()
	f.as.life = life
	if w := f.get(f.vaults[0], f.connect(f.vaults[0])); w.Code != http.StatusOK {
		f.t.Fatalf("%d: %s", w.Code, w.Body)
	}
}

// TestToken_once: two hundred calls on three replicas that all find one expired
// token redeem the refresh token once.
func TestToken_once(t *testing.T) {
	t.Parallel()
	f := newTeam(t, 3, 30*time.Second, vault.ByUser)
	f.connected(1) // less than the margin: expired for all
	all := make(chan struct{})
	f.as.mu.Lock()
	f.as.before = func(url.Values) { <-all } // all have come before it is answered
	f.as.mu.Unlock()
	var calls sync.WaitGroup
	for n := range 200 {
		calls.Go(func() {
			token, err := f.vaults[n%3].Token(t.Context(), vault.Team, server, "")
			if err != nil || token != "access 1" {
				t.Errorf("call %d: %q, %v", n, token, err)
			}
		})
	}
	close(all)
	calls.Wait()
	if f.as.redeemed != 1 {
		t.Errorf("redeemed %d times", f.as.redeemed)
	}
	// A server that refuses the new one makes it be renewed once more.
	for n := range 3 {
		if token, err := f.vaults[n].Token(t.Context(), vault.Team, server, "access 1"); err != nil || token != "access 2" {
			t.Errorf("refused: %q, %v", token, err)
		}
	}
	if f.as.redeemed != 2 {
		t.Errorf("redeemed %d times", f.as.redeemed)
	}
}

// TestToken_claimantGone: who has claimed a token and is gone holds up the others
// for the time of the claim, and no longer.
func TestToken_claimantGone(t *testing.T) {
	t.Parallel()
	f := newTeam(t, 2, 30*time.Second, vault.ByUser)
	f.connected(1)
	k := vault.Key{Principal: vault.Team, Server: server}
	const claim = 500 * time.Millisecond
	begun := time.Now()
	if mine, err := f.stores[0].Credentials().Claim(t.Context(), k, 1, "a replica that died", claim); err != nil || !mine {
		t.Fatal(mine, err)
	}
	var calls sync.WaitGroup
	for n := range 20 {
		calls.Go(func() {
			if token, err := f.vaults[n%2].Token(t.Context(), vault.Team, server, ""); err != nil || token != "access 1" {
				t.Errorf("%q, %v", token, err)
			}
		})
	}
	calls.Wait()
	if f.as.redeemed != 1 || time.Since(begun) < claim {
		t.Errorf("redeemed %d times, after %v", f.as.redeemed, time.Since(begun))
	}
}

// TestToken_disconnected: an account that is deleted while it is renewed does not live
// on in memory.
func TestToken_disconnected(t *testing.T) {
	t.Parallel()
	f := newTeam(t, 1, 30*time.Second, vault.ByUser)
	f.connected(1)
	f.as.mu.Lock()
	f.as.before = func(url.Values) {
		if n, err := f.stores[0].Credentials().Disconnect(t.Context(), "", server); n != 1 || err != nil {
			t.Errorf("deleted %d, %v", n, err)
		}
	}
	f.as.mu.Unlock()
	for range 2 {
		if token, err := f.vaults[0].Token(t.Context(), vault.Team, server, ""); !errors.As(err, new(*vault.NotConnected)) {
			t.Errorf("%q, %v", token, err)
		}
	}
}

// losing is a store that loses what it is given first.
type losing struct {
	pg.Credentials

	left *int
}

func (l losing) Renewed(ctx context.Context, k vault.Key, version int64, by, keyID string, sealed []byte, life time.Duration) error {
	if *l.left--; *l.left >= 0 {
		return errors.New("the database is away")
	}
	return l.Credentials.Renewed(ctx, k, version, by, keyID, sealed, life)
}

// TestToken_storedFirst: what a refresh token was redeemed for is stored before
// anybody has it, also where the database is away in between and who has asked is
// gone.
func TestToken_storedFirst(t *testing.T) {
	t.Parallel()
	f := newTeam(t, 1, 30*time.Second, vault.ByUser)
	f.connected(1)
	ring, _ := vault.ParseRing(keys("k"))
	left := 3
	v := vault.New(vault.Options{
		Store: losing{f.stores[0].Credentials(), &left}, Ring: ring, Replica: "r", Log: slog.New(slog.DiscardHandler),
		Account: func(string) (vault.Account, string, bool) {
			return vault.Account{By: vault.ByUser, Issuer: f.as.URL, ClientID: "gateway"}, address, true
		},
	})
	ctx, gone := context.WithCancel(t.Context())
	f.as.mu.Lock()
	f.as.before = func(url.Values) { gone() }
	f.as.mu.Unlock()
	if _, err := v.Token(ctx, vault.Team, server, ""); err == nil {
		t.Error("who has gone was answered")
	}
	if token, err := v.Token(t.Context(), vault.Team, server, ""); err != nil || token != "access 1" || f.as.redeemed != 1 {
		t.Errorf("%q, %v, redeemed %d times", token, err, f.as.redeemed)
	}
	if token, err := f.vaults[0].Token(t.Context(), vault.Team, server, ""); err != nil || token != "access 1" || left >= 0 {
		t.Errorf("stored is %q, %v; %d left", token, err, left)
	}
}

// TestToken_whose: a credential opens for its principal, its server at its address,
// and under its key, and nowhere else; one that is dead is asked for anew.
func TestToken_whose(t *testing.T) {
	t.Parallel()
	f := newTeam(t, 1, 30*time.Second, vault.ByUser)
	f.connected(3600)
	store := f.stores[0].Credentials()
	var none *vault.NotConnected
	for _, who := range []principal.Principal{alice, bob} {
		if token, err := f.vaults[0].Token(t.Context(), who, server, ""); !errors.As(err, &none) {
			t.Errorf("%s has %q, %v", who.Subject, token, err)
		}
	}
	kept, err := store.Credential(t.Context(), vault.Key{Principal: vault.Team, Server: server})
	if err != nil || strings.Contains(string(kept.Sealed), "refresh") {
		t.Fatalf("%q, %v", kept.Sealed, err)
	}
	// Somebody who may write the table gives a row to another user.
	for _, who := range []principal.Principal{bob, {Issuer: vault.Team.Issuer, Subject: "bob"}, {Issuer: bob.Issuer, Subject: vault.Team.Subject}} {
		if err := store.Connect(t.Context(), vault.Key{Principal: who, Server: server}, kept.KeyID, kept.Sealed, time.Hour); err != nil {
			t.Fatal(err)
		}
		if token, err := f.vaults[0].Token(t.Context(), who, server, ""); !errors.As(err, &none) {
			t.Errorf("%q has %q, %v", who, token, err)
		}
	}
	for name, v := range map[string]*vault.Vault{
		"another address": f.open(f.stores[0], "r", 30*time.Second, vault.ByUser, "https://elsewhere.example/mcp", "k"),
		"another key":     f.open(f.stores[0], "r", 30*time.Second, vault.ByUser, address, "x"),
	} {
		if token, err := v.Token(t.Context(), principal.Principal{}, server, ""); token != "" || err != nil {
			t.Errorf("%s: %q, %v", name, token, err)
		}
	}
	if token, err := f.open(f.stores[0], "r", 30*time.Second, vault.ByUser, address, "new", "k").Token(t.Context(), vault.Team, server, ""); token != "access 0" {
		t.Errorf("a key before it: %q, %v", token, err)
	}
	// Somebody else has redeemed the refresh token: nobody tries again.
	f.as.next = "another"
	for range 3 {
		_, err := f.vaults[0].Token(t.Context(), vault.Team, server, "access 0")
		if !errors.As(err, &none) || strings.Contains(err.Error(), "refresh") {
			t.Errorf("dead: %v", err)
		}
	}
	if f.as.redeemed != 0 {
		t.Error("redeemed")
	}
}

// TestPages: a page is for one browser, for a time, and once.
func TestPages(t *testing.T) {
	t.Parallel()
	f := newTeam(t, 2, 30*time.Second, vault.ByUser)
	back := f.connect(f.vaults[0])
	stranger := back.Clone(t.Context())
	stranger.Header.Del("Cookie")
	forged := back.Clone(t.Context())
	forged.URL.RawQuery = strings.Replace(forged.URL.RawQuery, "state=k.", "state=k.A", 1)
	other := back.Clone(t.Context())
	other.URL.RawQuery += "&iss=https%3A%2F%2Felsewhere.example"
	theirs := back.Clone(t.Context()) // who has begun at a page of their own
	theirs.Header.Set("Cookie", f.connect(f.vaults[1]).Header.Get("Cookie"))
	for name, r := range map[string]*http.Request{"another browser": stranger, "the browser of somebody else": theirs, "a forged state": forged, "another issuer": other} {
		if w := f.get(f.vaults[1], r); w.Code != http.StatusForbidden {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	for n, want := range []int{http.StatusOK, http.StatusForbidden} { // begun at one replica, ended at another
		if w := f.get(f.vaults[1], back); w.Code != want {
			t.Errorf("time %d: %d %s", n, w.Code, w.Body)
		}
	}
	if token, err := f.vaults[0].Token(t.Context(), principal.Principal{}, server, ""); err != nil || token != "access 0" {
		t.Errorf("%q, %v", token, err)
	}
	for _, text := range []string{"", "k", "k.", "k.AAAA", "x.AAAA"} {
		if w := f.get(f.vaults[0], httptest.NewRequest(http.MethodGet, "https://team.example/connect?for="+text, nil)); w.Code != http.StatusForbidden {
			t.Errorf("a ticket %q: %d", text, w.Code)
		}
	}
	page, _ := f.vaults[0].Page(vault.Key{Principal: vault.Team, Server: server})
	for n, r := range []*http.Request{f.follow(f.vaults[0], page), f.follow(f.vaults[1], page)} {
		if cookie := r.Cookies()[0].Name; cookie != "__Host-winnow_connect" {
			t.Errorf("the cookie %q", cookie)
		}
		if w := f.get(f.vaults[n], r); (w.Code == http.StatusOK) != (n == 0) {
			t.Errorf("browser %d of one page: %d %s", n, w.Code, w.Body)
		}
	}
	page, _ = f.vaults[0].Page(vault.Key{Principal: alice, Server: server})
	if w := f.get(f.vaults[0], httptest.NewRequest(http.MethodGet, page, nil)); w.Code != http.StatusNotFound {
		t.Errorf("a user's page where nobody can be recognized: %d", w.Code)
	}
}

// TestPages_asked: without an issuer the server is asked for its authorization server, and
// without a client ID the gateway's metadata document is the client, where that server
// takes one; else the operator reads what to register.
func TestPages_asked(t *testing.T) {
	t.Parallel()
	database, schema := cluster.New(t)
	store, err := pg.Open(t.Context(), pg.Options{URL: database, Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	ring, err := vault.ParseRing(keys("k"))
	if err != nil {
		t.Fatal(err)
	}
	for _, takes := range []bool{true, false} {
		mux := http.NewServeMux()
		asked := httptest.NewServer(mux)
		t.Cleanup(asked.Close)
		mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(map[string]any{"resource": asked.URL + "/mcp", "authorization_servers": []string{asked.URL}})
		})
		mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(map[string]any{
				"issuer": asked.URL, "authorization_endpoint": asked.URL + "/auth", "token_endpoint": asked.URL + "/token", "client_id_metadata_document_supported": takes,
			})
		})
		v := vault.New(vault.Options{
			Store: store.Credentials(), Ring: ring, Replica: "r", Base: "https://team.example", Claim: 30 * time.Second, Log: slog.New(slog.DiscardHandler),
			Account: func(string) (vault.Account, string, bool) {
				return vault.Account{By: vault.ByUser}, asked.URL + "/mcp", true
			},
		})
		get := func(address string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			v.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
			return w
		}
		page, err := v.Page(vault.Key{Principal: vault.Team, Server: server})
		if err != nil {
			t.Fatal(err)
		}
		led := get(page)
		if !takes {
			if led.Code != http.StatusBadGateway || !strings.Contains(led.Body.String(), "https://team.example/connect/back") {
				t.Errorf("it takes no documents: %d %s", led.Code, led.Body)
			}
			continue
		}
		to, err := url.Parse(led.Header().Get("Location"))
		if err != nil || !strings.HasPrefix(to.String(), asked.URL+"/auth?") {
			t.Fatalf("%d, to %s: %s", led.Code, to, led.Body)
		}
		id := to.Query().Get("client_id")
		var document struct {
			ID  string   `json:"client_id"`
			All []string `json:"redirect_uris"`
		}
		if err := json.Unmarshal(get(id).Body.Bytes(), &document); err != nil || id != "https://team.example/connect/client.json" || document.ID != id || !slices.Contains(document.All, to.Query().Get("redirect_uri")) {
			t.Errorf("%s is %+v, %v; it comes back to %s", id, document, err, to.Query().Get("redirect_uri"))
		}
	}
}

// TestToken_exchanged: a user's token is exchanged for one of the server's, for each
// user by itself; the gateway speaks for itself by the client's own account.
func TestToken_exchanged(t *testing.T) {
	t.Parallel()
	f := newTeam(t, 1, 30*time.Second, vault.ByExchange)
	for range 2 {
		for _, who := range []principal.Principal{alice, bob} {
			ctx := vault.WithBearer(t.Context(), "token of "+who.Subject)
			token, err := f.vaults[0].Token(ctx, who, server, "")
			if err != nil || token != "for token of "+who.Subject+" at "+address {
				t.Errorf("%q, %v", token, err)
			}
		}
	}
	if token, err := f.vaults[0].Token(t.Context(), principal.Principal{}, server, ""); err != nil || token != "of the client" {
		t.Errorf("%q, %v", token, err)
	}
	shared := f.open(f.stores[0], "r", 30*time.Second, vault.ByService, address, "k")
	for _, who := range []principal.Principal{alice, bob, {}} {
		if token, err := shared.Token(vault.WithBearer(t.Context(), "secret"), who, server, ""); err != nil || token != "of the client" {
			t.Errorf("%q, %v", token, err)
		}
	}
}

// TestToken_asserted: what is no assertion goes to no other authorization server, and an
// operator without a client at the users' provider is told what is missing.
func TestToken_asserted(t *testing.T) {
	t.Parallel()
	f := newTeam(t, 1, 30*time.Second, vault.ByAssertion)
	theirs := startIssuer(t)
	theirs.before = func(form url.Values) { t.Errorf("the server's authorization server is asked: %v", form) }
	ring, err := vault.ParseRing(keys("k"))
	if err != nil {
		t.Fatal(err)
	}
	for want, person := range map[string]*vault.Person{"--client-id": nil, "another kind of token": {Issuer: f.as.URL, ClientID: "gateway"}} {
		v := vault.New(vault.Options{
			Store: f.stores[0].Credentials(), Ring: ring, Replica: "r", Base: "https://team.example", Person: person, Log: slog.New(slog.DiscardHandler),
			Account: func(string) (vault.Account, string, bool) {
				return vault.Account{By: vault.ByAssertion, Issuer: theirs.URL, ClientID: "gateway"}, address, true
			},
		})
		if token, err := v.Token(vault.WithBearer(t.Context(), "secret"), alice, server, ""); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q, %v; want %s", token, err, want)
		}
	}
}

// sessionServer is a server of a revision with sessions, each of one token.
type sessionServer struct {
	mu       sync.Mutex
	sessions map[string]string // whose, by id
	begun    int
	calls    []string
	cookies  []string // with which tokens they came
}

func (s *sessionServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	token := r.Header.Get("Authorization")
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Header.Get("Cookie") != "" {
		s.cookies = append(s.cookies, token)
	}
	w.Header().Set("Set-Cookie", "who="+strings.TrimPrefix(token, "Bearer "))
	if strings.Contains(string(body), `"initialize"`) {
		s.begun++
		id := fmt.Sprint("session ", s.begun)
		s.sessions[id] = token
		w.Header().Set("Mcp-Session-Id", id)
		return
	}
	owner, ok := s.sessions[r.Header.Get("Mcp-Session-Id")]
	switch {
	case !ok:
		w.WriteHeader(http.StatusNotFound)
	case owner != token:
		w.WriteHeader(http.StatusForbidden)
	default:
		s.calls = append(s.calls, token+" "+string(body))
	}
}

// TestThrough_sessions: at a server with sessions each user has one of their own, and
// one that the server has ended is begun anew without a trace in those of others.
func TestThrough_sessions(t *testing.T) {
	t.Parallel()
	f := newTeam(t, 1, 30*time.Second, vault.ByExchange)
	up := &sessionServer{sessions: map[string]string{}}
	web := httptest.NewServer(up)
	t.Cleanup(web.Close)
	v := f.open(f.stores[0], "r", 30*time.Second, vault.ByExchange, web.URL, "k")
	type key struct{}
	through := &vault.Through{
		Vault: v, Server: server, URL: web.URL, Next: http.DefaultTransport,
		OnBehalf: func(ctx context.Context) principal.Principal {
			p, _ := ctx.Value(key{}).(principal.Principal)
			return p
		},
	}
	// send returns an answer's status, and the session that it opens.
	send := func(who principal.Principal, session, text string) (status int, opened string) {
		t.Helper()
		ctx := vault.WithBearer(context.WithValue(t.Context(), key{}, who), who.Subject)
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, web.URL, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		r.Header.Set("Cookie", "a=b")
		answer, err := through.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if own := who == (principal.Principal{}); own != (answer.Header.Get("Set-Cookie") != "") {
			t.Errorf("%q is given the cookie %q", who.Subject, answer.Header.Get("Set-Cookie"))
		}
		return answer.StatusCode, answer.Header.Get("Mcp-Session-Id")
	}
	_, session := send(principal.Principal{}, "", `{"method":"initialize"}`)
	for n := range 2 {
		for _, who := range []principal.Principal{alice, bob} {
			if status, _ := send(who, session, fmt.Sprint(who.Subject, n)); status != http.StatusOK {
				t.Errorf("%s: %d", who.Subject, status)
			}
		}
	}
	if up.begun != 3 {
		t.Errorf("%d sessions were begun", up.begun)
	}
	for id, token := range up.sessions {
		if strings.Contains(token, "alice") {
			delete(up.sessions, id)
		}
	}
	if status, _ := send(alice, session, "alice again"); status != http.StatusOK || up.begun != 4 {
		t.Errorf("after its end: %d, %d sessions were begun", status, up.begun)
	}
	if status, _ := send(bob, session, "bob again"); status != http.StatusOK || up.begun != 4 {
		t.Errorf("another user after that: %d, %d sessions were begun", status, up.begun)
	}
	if want := []string{"Bearer of the client"}; !slices.Equal(up.cookies, want) {
		t.Errorf("cookies came with %q", up.cookies)
	}
	through.URL = web.URL + "/elsewhere"
	r, err := through.RoundTrip(httptest.NewRequest(http.MethodPost, web.URL, nil))
	if err == nil {
		_ = r.Body.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("an address that has changed: %v, %v", r, err)
	}
	for _, call := range up.calls {
		if strings.Contains(call, "alice") == strings.Contains(call, " bob") {
			t.Errorf("crossed: %q", call)
		}
	}
}
