package identity_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/team/identity"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

const resource = "https://team.example/mcp"

// TestVerify takes the tokens of a real OpenID provider that are for this
// resource, until they expire, and no others.
func TestVerify(t *testing.T) {
	t.Parallel()
	provider := upstreamtest.StartAuthServer(t)
	now := time.Now()
	v := identity.New(identity.Options{Issuer: provider.Issuer, Resource: resource, Now: func() time.Time { return now }})
	token, err := provider.Token(t.Context(), "alice", resource)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // verified, and remembered
		who, err := v.Verify(t.Context(), token)
		if err != nil || who.Issuer != provider.Issuer || who.Subject != "alice" || who.Name != "alice" || strings.Join(who.Groups, " ") != "staff ops" {
			t.Fatalf("%+v, %v", who, err)
		}
	}
	elsewhere, err := provider.Token(t.Context(), "alice", "https://team.example/other")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(token, ".")
	body, signature, _ := strings.Cut(rest, ".")
	for name, bad := range map[string]string{
		"of another resource": elsewhere, "none": "", "opaque": "abc", "without a signature": head + "." + body + ".",
		"without an algorithm": "eyJhbGciOiJub25lIn0." + body + ".", "of other claims": head + "." + body[:len(body)-4] + "AAAA." + signature,
	} {
		_, err := v.Verify(t.Context(), bad)
		if !errors.Is(err, identity.ErrToken) {
			t.Errorf("a token %s: %v", name, err)
		}
		if err != nil && len(bad) > 10 && strings.Contains(err.Error(), bad) {
			t.Errorf("the token stands in the error %v", err)
		}
	}
	now = now.Add(2 * time.Hour)
	if _, err := v.Verify(t.Context(), token); !errors.Is(err, identity.ErrToken) {
		t.Errorf("an expired token: %v", err)
	}
}

// TestVerify_away tells a token that is none from one about which nobody can be
// asked.
func TestVerify_away(t *testing.T) {
	t.Parallel()
	v := identity.New(identity.Options{Issuer: "http://127.0.0.1:1", Resource: resource})
	if _, err := v.Verify(t.Context(), "abc"); !errors.Is(err, identity.ErrAway) {
		t.Errorf("got %v", err)
	}
}

// TestVerify_opaque: of a token that cannot be read the provider is asked, and its
// word counts for half a minute, so that one that was withdrawn is taken no longer.
func TestVerify_opaque(t *testing.T) {
	t.Parallel()
	provider := upstreamtest.StartAuthServer(t)
	const opaque = "https://other.example/mcp" // such tokens are no JWTs there
	now := time.Now()
	o := identity.Options{Issuer: provider.Issuer, Resource: opaque, ClientID: "resource", ClientSecret: "resource-secret", Now: func() time.Time { return now }}
	v := identity.New(o)
	token, err := provider.Token(t.Context(), "alice", opaque)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if who, err := v.Verify(t.Context(), token); err != nil || who.Subject != "alice" || who.Issuer != provider.Issuer {
			t.Fatalf("%+v, %v", who, err)
		}
	}
	elsewhere, err := provider.Token(t.Context(), "alice", "https://else.example/mcp")
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{"of another resource": elsewhere, "made up": "abc", "of other letters": token[:len(token)-1] + "~"} {
		if who, err := v.Verify(t.Context(), bad); !errors.Is(err, identity.ErrToken) {
			t.Errorf("a token %s: %+v, %v", name, who, err)
		}
	}
	if err := provider.Withdraw(t.Context(), "alice", token); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Verify(t.Context(), token); err != nil {
		t.Errorf("within half a minute: %v", err)
	}
	now = now.Add(time.Minute)
	if who, err := v.Verify(t.Context(), token); !errors.Is(err, identity.ErrToken) {
		t.Errorf("withdrawn: %+v, %v", who, err)
	}
	o.ClientID = ""
	if _, err := identity.New(o).Verify(t.Context(), token); !errors.Is(err, identity.ErrToken) {
		t.Errorf("where nobody can be asked: %v", err)
	}
}

// cut is a transport that can be cut.
type cut struct{ off *bool }

func (c cut) RoundTrip(r *http.Request) (*http.Response, error) {
	if *c.off {
		return nil, errors.New("the network is away")
	}
	return http.DefaultTransport.RoundTrip(r)
}

// TestVerify_keysAway: while the provider is away tokens are verified by the keys
// that are known, also ones that nobody has shown before.
func TestVerify_keysAway(t *testing.T) {
	t.Parallel()
	provider := upstreamtest.StartAuthServer(t)
	off := false
	v := identity.New(identity.Options{Issuer: provider.Issuer, Resource: resource, Client: &http.Client{Transport: cut{&off}}})
	for _, who := range []string{"alice", "bob"} {
		token, err := provider.Token(t.Context(), who, resource)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := v.Verify(t.Context(), token); err != nil || got.Subject != who {
			t.Errorf("%+v, %v", got, err)
		}
		off = true
	}
	// The head names a key that nobody knows: the provider would have to be asked.
	const head = "eyJhbGciOiJSUzI1NiIsImtpZCI6Im5ldyJ9"
	token, _ := provider.Token(t.Context(), "alice", resource)
	_, rest, _ := strings.Cut(token, ".")
	if _, err := v.Verify(t.Context(), head+"."+rest); !errors.Is(err, identity.ErrAway) {
		t.Errorf("by a new key: %v", err)
	}
}
