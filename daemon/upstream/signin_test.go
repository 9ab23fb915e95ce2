package upstream

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
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

// TestSignIn_OtherIssuer: an answer that names another authorization server
// than the one that was asked is refused (RFC 9207).
func TestSignIn_OtherIssuer(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	var mixUp func(ctx context.Context, address string) error
	secrets := &secretStore{}
	m := newTestManager(t, Options{Hooks: Hooks{
		SecretGet: secrets.get, SecretSet: secrets.set,
		OpenExternal: func(ctx context.Context, address string) error { return mixUp(ctx, address) },
	}})
	apply(t, m, p.config())
	waitState(t, m, "protected", SignedOut)
	mixUp = func(_ context.Context, address string) error {
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		answer := url.Values{"code": {"stolen"}, "state": {u.Query().Get("state")}, "iss": {"https://evil.example"}}
		get(t, u.Query().Get("redirect_uri")+"?"+answer.Encode())
		return nil
	}
	if err := m.SignIn(t.Context(), "protected"); err == nil || !strings.Contains(err.Error(), "another authorization server (https://evil.example)") {
		t.Errorf("sign-in: %v", err)
	}
	mixUp = func(context.Context, string) error { return errors.New("no display") }
	if err := m.SignIn(t.Context(), "protected"); err == nil || !strings.Contains(err.Error(), "open the browser: no display") {
		t.Errorf("sign-in: %v", err)
	}
	if len(secrets.secrets) != 0 {
		t.Error("something was stored")
	}
}

// TestOptions_Defaults: the zero options can be used.
func TestOptions_Defaults(t *testing.T) {
	t.Parallel()
	o := Options{}.withDefaults()
	if o.Logger == nil || o.Logger.Enabled(t.Context(), slog.LevelError) || o.ClientVersion == "" {
		t.Errorf("options %+v", o)
	}
}
