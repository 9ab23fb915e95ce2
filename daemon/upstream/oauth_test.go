package upstream

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// secretStore is a host's secret store.
type secretStore struct {
	mu      sync.Mutex
	secrets map[string]string
}

func (s *secretStore) get(_ context.Context, key string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.secrets[key], nil
}

func (s *secretStore) set(_ context.Context, key, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.secrets == nil {
		s.secrets = map[string]string{}
	}
	s.secrets[key] = value
	return nil
}

// storedCredentials is what a sign-in leaves in the secret store.
type storedCredentials struct {
	Token        transport.Token `json:"token"`
	ClientID     string          `json:"clientId"`
	ClientSecret string          `json:"clientSecret,omitempty"`
	AuthMethod   string          `json:"authMethod,omitempty"`
	Issuer       string          `json:"issuer,omitempty"`
	Challenge    []string        `json:"challenge,omitempty"`
}

// credentials reads the only secret; alter may change it.
func (s *secretStore) credentials(t *testing.T, alter func(*storedCredentials)) storedCredentials {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.secrets) != 1 {
		t.Fatalf("%d secrets are stored", len(s.secrets))
	}
	var c storedCredentials
	for key, value := range s.secrets {
		if err := json.Unmarshal([]byte(value), &c); err != nil {
			t.Fatal(err)
		}
		if alter != nil {
			alter(&c)
			encoded, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			s.secrets[key] = string(encoded)
		}
	}
	return c
}

// protectedServer is a real MCP server behind bearer tokens of a real
// authorization server.
type protectedServer struct {
	url  string
	auth *upstreamtest.AuthServer
	// mu guards refused, the token that is not accepted any more though the
	// authorization server still stands by it.
	mu      sync.Mutex
	refused string
	// moved is the issuer that is named in place of auth's.
	moved string
	// callsOnly lets everything through but calls.
	callsOnly bool
}

// issuer is the authorization server that is named.
func (p *protectedServer) issuer() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return cmp.Or(p.moved, p.auth.Issuer)
}

// move names another authorization server.
func (p *protectedServer) move(issuer string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.moved = issuer
}

// refuse makes the server refuse a token before it expires.
func (p *protectedServer) refuse(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = token
}

// accepts asks the authorization server about the token of a request.
func (p *protectedServer) accepts(r *http.Request) bool {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	p.mu.Lock()
	refused := token == "" || token == p.refused
	p.mu.Unlock()
	if p.callsOnly {
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if err != nil || !bytes.Contains(body, []byte(`"tools/call"`)) {
			return err == nil
		}
	}
	if refused {
		return false
	}
	active, audience, err := p.auth.Active(r.Context(), token)
	return err == nil && active && audience == p.url
}

func startProtected(t *testing.T) *protectedServer {
	t.Helper()
	p := &protectedServer{auth: upstreamtest.StartAuthServer(t)}
	p.serve(t)
	return p
}

// serve starts the MCP server.
func (p *protectedServer) serve(t *testing.T) {
	t.Helper()
	handler := mcpserver.NewStreamableHTTPServer(newToolServer())
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p.url = server.URL + "/mcp"
	metadata := server.URL + "/metadata"
	mux.HandleFunc("/metadata", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"resource": p.url, "authorization_servers": []string{p.issuer()}, "scopes_supported": []string{"tools:call"},
		})
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if !p.accepts(r) {
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", resource_metadata="`+metadata+`"`)
			http.Error(w, "a token is needed", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// newToolServer is a well-behaved MCP server made with mcp-go.
func newToolServer() *mcpserver.MCPServer {
	s := mcpserver.NewMCPServer("tools", "1.2.3", mcpserver.WithToolCapabilities(true))
	s.AddTool(mcp.NewTool("hello", mcp.WithString("name")), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("hello " + r.GetString("name", "")), nil
	})
	return s
}

func (p *protectedServer) config() Config { return Config{Name: "protected", URL: p.url} }

// TestOAuth_SignIn goes the whole way against a real authorization server: the
// refusal, discovery, dynamic registration, the browser, the code with PKCE,
// the token in the secret store and on the wire; and later without the user.
func TestOAuth_SignIn(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	secrets := &secretStore{}
	browser := &upstreamtest.Browser{}
	var opened []string
	opts := Options{StorageDir: t.TempDir(), Hooks: Hooks{
		SecretGet: secrets.get, SecretSet: secrets.set,
		OpenExternal: func(ctx context.Context, address string) error {
			opened = append(opened, address)
			return browser.Open(ctx, address)
		},
	}}
	m := newTestManager(t, opts)
	apply(t, m, p.config())
	s := waitState(t, m, "protected", SignedOut)
	if s.Status.Next == "" || len(opened) != 0 {
		t.Errorf("signed out with %+v, %d pages opened", s.Status, len(opened))
	}
	_, err := tryCall(t, m, "protected", "hello", `{}`)
	var unavailable *UnavailableError
	if !errors.As(err, &unavailable) || unavailable.State != SignedOut {
		t.Errorf("call answered %v", err)
	}

	if err := m.SignIn(t.Context(), "protected"); err != nil {
		t.Fatal(err)
	}
	waitState(t, m, "protected", Ready)
	if !strings.Contains(browser.LastPage, "signed in to protected") {
		t.Errorf("the user ends at %q", browser.LastPage)
	}
	if got := firstText(t, call(t, m, "protected", "hello", `{"name":"you"}`)); got != "hello you" {
		t.Errorf("answer %q", got)
	}
	for _, want := range []string{"code_challenge_method=S256", "resource=", "scope=tools%3Acall+offline_access", "redirect_uri=http%3A%2F%2F127.0.0.1%3A"} {
		if !strings.Contains(opened[0], want) {
			t.Errorf("the page %s does not have %s", opened[0], want)
		}
	}
	closeManager(t, m)

	// Another day: the token is there, and the user is not asked.
	m = newTestManager(t, opts)
	apply(t, m, p.config())
	waitState(t, m, "protected", Ready)
	call(t, m, "protected", "hello", `{}`)
	if len(opened) != 1 {
		t.Errorf("%d pages were opened", len(opened))
	}
	log, err := m.Log("protected")
	if token := secrets.credentials(t, nil).Token.AccessToken; err != nil || strings.Contains(log, token) {
		t.Errorf("the log (%v) has the token:\n%s", err, log)
	}
}

// signedIn returns a manager with a server that is signed in to.
func signedIn(t *testing.T, p *protectedServer) (*Manager, *secretStore) {
	t.Helper()
	secrets := &secretStore{}
	m := newTestManager(t, Options{Hooks: Hooks{
		SecretGet: secrets.get, SecretSet: secrets.set, OpenExternal: (&upstreamtest.Browser{}).Open,
	}})
	apply(t, m, p.config())
	waitState(t, m, "protected", SignedOut)
	if err := m.SignIn(t.Context(), "protected"); err != nil {
		t.Fatal(err)
	}
	waitState(t, m, "protected", Ready)
	return m, secrets
}

// restart restarts a server and waits for the state it comes to.
func restart(t *testing.T, m *Manager, name string, want State) ServerSnapshot {
	t.Helper()
	before, _ := m.Snapshot().Server(name)
	if err := m.Restart(name); err != nil {
		t.Fatal(err)
	}
	return waitFor(t, m, name, string(want)+" after a restart", func(s ServerSnapshot) bool {
		return s.Status.Generation > before.Status.Generation && s.Status.State == want
	})
}

// TestOAuth_Refresh: an expired token is renewed without the user, so is one
// that was withdrawn early; when the sign-in itself was withdrawn, the user is
// asked.
func TestOAuth_Refresh(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	m, secrets := signedIn(t, p)

	first := secrets.credentials(t, func(c *storedCredentials) { c.Token.ExpiresAt = time.Now().Add(-time.Minute) })
	restart(t, m, "protected", Ready)
	second := secrets.credentials(t, nil)
	if second.Token.AccessToken == first.Token.AccessToken || second.Token.RefreshToken == first.Token.RefreshToken {
		t.Error("the expired token was not renewed, or its refresh token not rotated")
	}

	p.refuse(second.Token.AccessToken)
	restart(t, m, "protected", Ready)
	third := secrets.credentials(t, nil)
	if third.Token.AccessToken == second.Token.AccessToken {
		t.Error("the withdrawn token was not renewed")
	}

	if err := p.auth.Revoke(t.Context(), third.ClientID, third.Token.RefreshToken); err != nil {
		t.Fatal(err)
	}
	restart(t, m, "protected", SignedOut)
	if err := m.SignIn(t.Context(), "protected"); err != nil {
		t.Fatal(err)
	}
	waitState(t, m, "protected", Ready)
}

// TestOAuth_TokenRunsOutInUse: a token that is withdrawn while the server is
// in use is renewed and the connection made again.
func TestOAuth_TokenRunsOutInUse(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	m, secrets := signedIn(t, p)
	c := secrets.credentials(t, nil)
	p.refuse(c.Token.AccessToken)
	if _, err := tryCall(t, m, "protected", "hello", `{}`); err == nil {
		t.Error("a call with a withdrawn token has an answer")
	}
	waitFor(t, m, "protected", "another connection", func(s ServerSnapshot) bool {
		return s.Status.State == Ready && secrets.credentials(t, nil).Token.AccessToken != c.Token.AccessToken
	})
	call(t, m, "protected", "hello", `{}`)
}

// TestOAuth_OnlyCallsNeedIt: a server that lists its tools for anybody is
// ready; a call asks for the sign-in, after which every connection uses it.
func TestOAuth_OnlyCallsNeedIt(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	p.callsOnly = true
	secrets := &secretStore{}
	opts := Options{StorageDir: t.TempDir(), Hooks: Hooks{
		SecretGet: secrets.get, SecretSet: secrets.set, OpenExternal: (&upstreamtest.Browser{}).Open,
	}}
	m := newTestManager(t, opts)
	apply(t, m, p.config())
	first := waitState(t, m, "protected", Ready)
	_, err := tryCall(t, m, "protected", "hello", `{}`)
	var unavailable *UnavailableError
	if !errors.As(err, &unavailable) || unavailable.State != SignedOut || unavailable.Next == "" {
		t.Errorf("call answered %v", err)
	}
	if s := waitState(t, m, "protected", Ready); s.Status.Generation != first.Status.Generation {
		t.Error("the refusal of a call ended the connection")
	}
	if err := m.SignIn(t.Context(), "protected"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, m, "protected", "a new connection", func(s ServerSnapshot) bool {
		return s.Status.State == Ready && s.Status.Generation > first.Status.Generation
	})
	call(t, m, "protected", "hello", `{}`)
	closeManager(t, m)
	m = newTestManager(t, opts)
	apply(t, m, p.config())
	call(t, m, "protected", "hello", `{}`)
}

// TestOAuth_OtherMachine: where the browser reaches this machine through the
// host, it is sent back that way.
func TestOAuth_OtherMachine(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	forwarding := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		port, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/proxy/"), "/")
		u := url.URL{Scheme: "http", Host: "127.0.0.1:" + port}
		r.URL.Path = "/" + rest
		httputil.NewSingleHostReverseProxy(&u).ServeHTTP(w, r)
	}))
	t.Cleanup(forwarding.Close)
	browser := &upstreamtest.Browser{}
	secrets := &secretStore{}
	var opened string
	m := newTestManager(t, Options{Hooks: Hooks{
		SecretGet: secrets.get, SecretSet: secrets.set,
		ExternalURL: func(_ context.Context, address string) (string, error) {
			return strings.Replace(address, "http://127.0.0.1:", forwarding.URL+"/proxy/", 1), nil
		},
		OpenExternal: func(ctx context.Context, address string) error {
			opened = address
			return browser.Open(ctx, address)
		},
	}})
	apply(t, m, p.config())
	waitState(t, m, "protected", SignedOut)
	if err := m.SignIn(t.Context(), "protected"); err != nil {
		t.Fatal(err)
	}
	waitState(t, m, "protected", Ready)
	if !strings.Contains(opened, "redirect_uri="+url.QueryEscape(forwarding.URL+"/proxy/")) {
		t.Errorf("the page %s sends the browser elsewhere", opened)
	}
	if !strings.Contains(browser.LastPage, "signed in to protected") {
		t.Errorf("the user ends at %q", browser.LastPage)
	}
}

// freePort returns a port that nobody listens on. It is none of those that the
// system hands out, so that nobody gets it before it is used.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 15_000 + rand.IntN(15_000)
		listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
		return port
	}
	t.Fatal("no port is free")
	return 0
}

// TestOAuth_RegisteredByHand: a client that the user has registered is used as
// it is, with its redirect address.
func TestOAuth_RegisteredByHand(t *testing.T) {
	t.Parallel()
	p, port := startProtected(t), freePort(t)
	secrets := &secretStore{}
	var opened string
	m := newTestManager(t, Options{Hooks: Hooks{
		SecretGet: secrets.get, SecretSet: secrets.set,
		ExternalURL: func(context.Context, string) (string, error) { return "https://elsewhere.example/callback", nil },
		OpenExternal: func(ctx context.Context, address string) error {
			opened = address
			return (&upstreamtest.Browser{}).Open(ctx, address)
		},
	}})
	cfg := p.config()
	cfg.OAuth = protocol.OAuthEntry{ClientID: "by-hand", CallbackPort: port, Scopes: []string{"tools:call"}}
	apply(t, m, cfg)
	waitState(t, m, "protected", SignedOut)
	if err := m.SignIn(t.Context(), "protected"); err != nil {
		t.Fatal(err)
	}
	waitState(t, m, "protected", Ready)
	for _, want := range []string{"client_id=by-hand&", "redirect_uri=http%3A%2F%2Flocalhost%3A", "scope=tools%3Acall&"} {
		if !strings.Contains(opened, want) {
			t.Errorf("the page %s does not have %s", opened, want)
		}
	}
	if c := secrets.credentials(t, nil); c.ClientID != "by-hand" {
		t.Errorf("client %q", c.ClientID)
	}
}

// TestOAuth_MetadataDocument: where the authorization server reads client ID
// metadata documents, the address of one is the client ID, and nothing is
// registered.
func TestOAuth_MetadataDocument(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	secrets := &secretStore{}
	m := newTestManager(t, Options{Hooks: Hooks{
		SecretGet: secrets.get, SecretSet: secrets.set, OpenExternal: (&upstreamtest.Browser{}).Open,
	}})
	cfg := p.config()
	cfg.OAuth.ClientMetadataURL = "http://client.example/winnow.json"
	apply(t, m, cfg)
	waitState(t, m, "protected", SignedOut)
	if err := m.SignIn(t.Context(), "protected"); err == nil || !strings.Contains(err.Error(), "oauth.clientMetadataUrl of the entry is not the https address") {
		t.Errorf("sign-in with a document at http: %v", err)
	}
	cfg.OAuth.ClientMetadataURL = "https://client.example/winnow.json"
	apply(t, m, cfg)
	waitState(t, m, "protected", SignedOut)
	if err := m.SignIn(t.Context(), "protected"); err != nil {
		t.Fatal(err)
	}
	waitState(t, m, "protected", Ready)
	c := secrets.credentials(t, func(c *storedCredentials) { c.Token.ExpiresAt = time.Now().Add(-time.Minute) })
	if c.ClientID != cfg.OAuth.ClientMetadataURL || c.ClientSecret != "" || c.Issuer != p.auth.Issuer {
		t.Errorf("client %q with secret %q of %q", c.ClientID, c.ClientSecret, c.Issuer)
	}
	restart(t, m, "protected", Ready)
	if again := secrets.credentials(t, nil); again.Token.AccessToken == c.Token.AccessToken {
		t.Error("the token was not renewed")
	}
}

// TestOAuth_OtherIssuer: when the server names another authorization server
// than the one that was signed in to, that one is sent nothing of ours: the
// user has to sign in again.
func TestOAuth_OtherIssuer(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	m, secrets := signedIn(t, p)
	mux := http.NewServeMux()
	other := httptest.NewServer(mux)
	t.Cleanup(other.Close)
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer": other.URL, "authorization_endpoint": other.URL + "/authorize", "token_endpoint": other.URL + "/token",
			"response_types_supported": []string{"code"},
		})
	})
	mux.HandleFunc("/token", func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		t.Errorf("the other server was sent %s", body)
	})
	p.move(other.URL)
	c := secrets.credentials(t, func(c *storedCredentials) { c.Token.ExpiresAt = time.Now().Add(-time.Minute) })
	restart(t, m, "protected", SignedOut)

	p.move(c.Issuer)
	restart(t, m, "protected", Ready)
}

// TestOAuth_Unreachable: a refresh that does not reach the authorization
// server is a failure to try again, and not the end of the sign-in.
func TestOAuth_Unreachable(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	m, secrets := signedIn(t, p)
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	secrets.credentials(t, func(c *storedCredentials) { c.Token.ExpiresAt = time.Now().Add(-time.Minute) })
	cfg := p.config()
	cfg.OAuth.AuthServerMetadataURL = dead.URL
	apply(t, m, cfg)
	s := waitState(t, m, "protected", Failed)
	if !strings.Contains(s.Status.Error, "renew the token") || s.Status.RetryAt.IsZero() {
		t.Errorf("status %+v", s.Status)
	}
}

// TestOAuth_DeniedAndCancelled: a user who refuses, or never comes back, ends
// the sign-in and nothing else.
func TestOAuth_DeniedAndCancelled(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	open := make(chan func(context.Context, string) error, 1)
	secrets := &secretStore{}
	m := newTestManager(t, Options{Hooks: Hooks{
		SecretGet: secrets.get, SecretSet: secrets.set,
		OpenExternal: func(ctx context.Context, address string) error { return (<-open)(ctx, address) },
	}})
	apply(t, m, p.config())
	waitState(t, m, "protected", SignedOut)

	denying := &upstreamtest.Browser{Deny: true}
	open <- denying.Open
	var refused *SignInError
	if err := m.SignIn(t.Context(), "protected"); !errors.As(err, &refused) || !strings.Contains(err.Error(), "access_denied") || refused.Next == "" {
		t.Errorf("a refused sign-in ended with %v", err)
	}
	if !strings.Contains(denying.LastPage, "was not signed in") {
		t.Errorf("the user ends at %q", denying.LastPage)
	}

	ctx, cancel := context.WithCancel(t.Context())
	open <- func(context.Context, string) error {
		// A second sign-in has to wait for the first.
		if err := m.SignIn(ctx, "protected"); err == nil || !strings.Contains(err.Error(), "already under way") {
			t.Errorf("a second sign-in ended with %v", err)
		}
		cancel()
		return nil
	}
	if err := m.SignIn(ctx, "protected"); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled sign-in ended with %v", err)
	}
	waitState(t, m, "protected", SignedOut)
}

// TestOAuth_AuthorizationHeader: an entry with its own Authorization header is
// not signed in to, and says why it fails, without the header.
func TestOAuth_AuthorizationHeader(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	m := newTestManager(t, Options{})
	cfg := p.config()
	cfg.Headers = map[string]string{"authorization": "Bearer abcdef-secret"}
	apply(t, m, cfg)
	s := waitState(t, m, "protected", Failed)
	if !strings.Contains(s.Status.Error, "Authorization header") || strings.Contains(s.Status.Error, "abcdef") || !s.Status.RetryAt.IsZero() {
		t.Errorf("status %+v", s.Status)
	}
}
