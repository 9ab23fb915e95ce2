package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
)

// get fetches a page of a callback listener.
func get(t *testing.T, address string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	response, err := tr.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// TestCallback: only the answer that carries our state ends the wait.
func TestCallback(t *testing.T) {
	t.Parallel()
	l, err := listenCallback(0, "<b>name</b>")
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if !strings.HasPrefix(l.redirect(), "http://127.0.0.1:") {
		t.Errorf("redirect to %s", l.redirect())
	}
	for _, early := range []string{"?state=&code=c", "?code=c", "?state=x&code=c"} {
		if status, _ := get(t, l.redirect()+early); status != http.StatusBadRequest {
			t.Errorf("before a state is expected %s gives HTTP %d", early, status)
		}
	}
	l.expect("right")
	if status, body := get(t, l.redirect()+"?state=wrong&code=stolen"); status != http.StatusBadRequest || !strings.Contains(body, "not an answer") {
		t.Errorf("another state gives HTTP %d: %s", status, body)
	}
	if status, _ := get(t, strings.Replace(l.redirect(), "/callback", "/other", 1)); status != http.StatusNotFound {
		t.Errorf("another page gives HTTP %d", status)
	}
	status, body := get(t, l.redirect()+"?state=right&code=good")
	if status != http.StatusOK || !strings.Contains(body, "signed in to &lt;b&gt;name") || strings.Contains(body, "<b>") {
		t.Errorf("HTTP %d: %s", status, body)
	}
	// A reload of the page is no second answer.
	get(t, l.redirect()+"?state=right&code=again")
	answer, err := l.wait(t.Context())
	if err != nil || answer.Get("code") != "good" {
		t.Errorf("answer %v, %v", answer, err)
	}
}

// TestCallback_Ends: a refusal and the end of the context end the wait.
func TestCallback_Ends(t *testing.T) {
	t.Parallel()
	l, err := listenCallback(0, "name")
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	l.expect("s")
	_, body := get(t, l.redirect()+"?state=s&error=access_denied&error_description=no+way")
	if !strings.Contains(body, "was not signed in") {
		t.Errorf("page %s", body)
	}
	if answer, err := l.wait(t.Context()); err != nil || answer.Get("error") != "access_denied" {
		t.Errorf("answer %v, %v", answer, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errRefused)
	if _, err := l.wait(ctx); !errors.Is(err, errRefused) {
		t.Errorf("wait: %v", err)
	}
}

// TestCallback_Port: a fixed port is the one that is listened on, and taken by
// one sign-in at a time.
func TestCallback_Port(t *testing.T) {
	t.Parallel()
	first, err := listenCallback(0, "a")
	if err != nil {
		t.Fatal(err)
	}
	defer first.close()
	u, err := url.Parse(first.redirect())
	if err != nil {
		t.Fatal(err)
	}
	var port int
	if err := json.Unmarshal([]byte(u.Port()), &port); err != nil {
		t.Fatal(err)
	}
	if second, err := listenCallback(port, "b"); err == nil {
		second.close()
		t.Error("two listen on one port")
	} else if !strings.Contains(err.Error(), "listen for the browser's answer") {
		t.Errorf("error %v", err)
	}
}

// TestCheckAnswer: an answer of another server's counts for nothing, also when
// it is a refusal.
func TestCheckAnswer(t *testing.T) {
	t.Parallel()
	quiet, loud := authServer{Issuer: "https://as"}, authServer{Issuer: "https://as", NamesItself: true}
	tests := map[string]struct {
		answer string
		from   authServer
		want   string
	}{
		"fine":                      {"code=c&iss=https://as", loud, ""},
		"does not name itself":      {"code=c", quiet, ""},
		"names itself all the same": {"code=c&iss=https://as", quiet, ""},
		"another":                   {"code=c&iss=https://evil", quiet, "another authorization server (https://evil)"},
		"another refuses":           {"error=no&iss=https://evil", loud, "another authorization server (https://evil)"},
		"should name itself":        {"code=c", loud, "does not say that it comes from https://as"},
		"refused":                   {"error=access_denied&error_description=no+way&iss=https://as", loud, "access_denied: no way"},
		"refused, and says no more": {"error=access_denied", quiet, "refused: access_denied"},
	}
	for name, test := range tests {
		answer, err := url.ParseQuery(test.answer)
		if err != nil {
			t.Fatal(err)
		}
		err = checkAnswer(answer, test.from)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// TestLoadSession: what the secret store can hold.
func TestLoadSession(t *testing.T) {
	t.Parallel()
	good := `{"token":{"access_token":"abcdef","refresh_token":"ghijkl"},"clientId":"c","clientSecret":"mnopqr"}`
	tests := map[string]struct {
		get   func(context.Context, string) (string, error)
		found bool
		want  error
	}{
		"no store":    {nil, false, nil},
		"nothing":     {func(context.Context, string) (string, error) { return "", nil }, false, nil},
		"not ours":    {func(context.Context, string) (string, error) { return "{]", nil }, false, nil},
		"no token":    {func(context.Context, string) (string, error) { return `{"clientId":"c"}`, nil }, false, nil},
		"credentials": {func(context.Context, string) (string, error) { return good, nil }, true, nil},
		"failure":     {func(context.Context, string) (string, error) { return "", errRefused }, false, errRefused},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redact := &clean.Redactor{}
			s, err := Load(t.Context(), Account{Name: "n", Redact: redact}, Hooks{SecretGet: test.get})
			if (s != nil) != test.found || !errors.Is(err, test.want) {
				t.Errorf("session %v, %v", s, err)
			}
			if test.found && redact.Text("abcdef ghijkl mnopqr") != "[redacted] [redacted] [redacted]" {
				t.Error("the credentials are not secret")
			}
		})
	}
}

// TestSession_Token: a token counts as expired a little early, and a new one
// is stored.
func TestSession_Token(t *testing.T) {
	t.Parallel()
	var stored string
	s := &Session{account: Account{Redact: &clean.Redactor{}}, hooks: Hooks{SecretSet: func(_ context.Context, _, value string) error {
		stored = value
		return nil
	}}}
	if _, err := s.GetToken(t.Context()); !errors.Is(err, transport.ErrNoToken) {
		t.Errorf("no token: %v", err)
	}
	tests := map[string]struct {
		lifetime, left time.Duration
		expired        bool
	}{
		"fresh":       {time.Hour, time.Hour, false},
		"at its end":  {time.Hour, 20 * time.Second, true},
		"over":        {time.Hour, -time.Second, true},
		"short lived": {10 * time.Second, 5 * time.Second, false},
		"unlimited":   {0, 0, false},
	}
	for name, test := range tests {
		token := &transport.Token{AccessToken: "token-" + name, ExpiresIn: int64(test.lifetime / time.Second)}
		if test.lifetime > 0 {
			token.ExpiresAt = time.Now().Add(test.left)
		}
		if err := s.SaveToken(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		got, err := s.GetToken(t.Context())
		if err != nil || got.IsExpired() != test.expired {
			t.Errorf("%s: expired %t (%v)", name, got.IsExpired(), err)
		}
		if !strings.Contains(stored, "token-"+name) || s.account.Redact.Text(token.AccessToken) != "[redacted]" {
			t.Errorf("%s: stored %s", name, stored)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.GetToken(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	s.hooks.SecretSet = func(context.Context, string, string) error { return errRefused }
	if err := s.SaveToken(t.Context(), &transport.Token{}); !errors.Is(err, errRefused) {
		t.Errorf("store refused: %v", err)
	}
	s.hooks.SecretSet = nil
	if err := s.SaveToken(t.Context(), &transport.Token{AccessToken: "kept"}); err != nil {
		t.Errorf("without a store: %v", err)
	}
}

// TestSession_NothingToRefresh: without a refresh token the user has to sign
// in.
func TestSession_NothingToRefresh(t *testing.T) {
	t.Parallel()
	s := &Session{account: Account{URL: "http://h", Redact: &clean.Redactor{}, Client: func() (*http.Client, func(), error) { return nil, nil, errRefused }}}
	if ok, err := s.Refresh(t.Context()); ok || err != nil {
		t.Errorf("refreshed %t, %v", ok, err)
	}
	s.creds.Token.RefreshToken = "r"
	if ok, err := s.Refresh(t.Context()); ok || !errors.Is(err, errRefused) {
		t.Errorf("refreshed %t, %v", ok, err)
	}
}

// TestSecretKey: two servers at one address have two keys, which name neither.
func TestSecretKey(t *testing.T) {
	t.Parallel()
	a, b := secretKeyFor(Account{Name: "work", URL: "http://h"}), secretKeyFor(Account{Name: "home", URL: "http://h"})
	if a == b || strings.Contains(a, "work") || !strings.HasPrefix(a, "oauth.") {
		t.Errorf("keys %q and %q", a, b)
	}
}

// TestLoad_principals: what one principal has signed in to is nobody else's, and
// the user of the machine stays signed in across versions.
func TestLoad_principals(t *testing.T) {
	t.Parallel()
	kept := map[string]string{}
	hooks := Hooks{
		SecretGet: func(_ context.Context, key string) (string, error) { return kept[key], nil },
		SecretSet: func(_ context.Context, key, value string) error { kept[key] = value; return nil },
	}
	users := []principal.Principal{principal.Local, {}, {Issuer: "https://a.example", Subject: "local"}, {Issuer: "https://b.example", Subject: "local"}}
	account := func(p principal.Principal) Account {
		return Account{Principal: p, Name: "work", URL: "http://h", Redact: &clean.Redactor{}}
	}
	for i, p := range users {
		for _, later := range users[i:] {
			if s, err := Load(t.Context(), account(later), hooks); s != nil || err != nil {
				t.Errorf("%+v has credentials before they sign in: %v", later, err)
			}
		}
		if err := (&Session{account: account(p), hooks: hooks}).SaveToken(t.Context(), &transport.Token{AccessToken: p.Key("token")}); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range users {
		if s, err := Load(t.Context(), account(p), hooks); err != nil || s == nil || s.creds.Token.AccessToken != p.Key("token") {
			t.Errorf("%+v does not get their own credentials: %v, %v", p, s, err)
		}
	}
	if kept["oauth.7048a347f0a37ce3a2de141eaa4cc1d4"] == "" {
		t.Error("the user of the machine has another key than in older versions")
	}
}

// TestResourceURL: what is sent as the resource is the address alone.
func TestResourceURL(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://h/mcp?key=1#x": "https://h/mcp", "https://h": "https://h", "http://[::1": "http://[::1",
	} {
		if got := resourceURL(in); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}

var errRefused = errors.New("connection refused")
