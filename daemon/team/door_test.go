package team

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/team/identity"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

const resource = "https://team.example/mcp"

// newDoor returns the door of a replica that is not ready, and a token for it.
func newDoor(t *testing.T, next http.HandlerFunc) (d *door, token string) {
	t.Helper()
	provider := upstreamtest.StartAuthServer(t)
	token, err := provider.Token(t.Context(), "alice", resource)
	if err != nil {
		t.Fatal(err)
	}
	applied, err := check(document{Config: "{}"})
	if err != nil {
		t.Fatal(err)
	}
	r := &replica{
		log: slog.New(slog.DiscardHandler), now: time.Now,
		verifier: identity.New(identity.Options{Issuer: provider.Issuer, Resource: resource}),
	}
	r.current.Store(applied)
	return &door{
		replica: r, quotas: quotas{have: map[string]*slice{}}, begun: make(chan struct{}), next: next,
		seen: map[principal.Principal]time.Time{{Issuer: provider.Issuer, Subject: "alice"}: time.Now()}, // nothing is noted
	}, token
}

// TestDoor_waits: a request that comes before the replica knows its servers is answered
// once it does, unless its client leaves.
func TestDoor_waits(t *testing.T) {
	t.Parallel()
	let := 0
	d, token := newDoor(t, func(http.ResponseWriter, *http.Request) { let++ })
	request := httptest.NewRequest(http.MethodPost, resource, http.NoBody)
	request.Header.Set("Authorization", "Bearer "+token)
	if _, err := d.verifier.Verify(t.Context(), token); err != nil { // later ones need no provider
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	d.admit(httptest.NewRecorder(), request.Clone(gone))
	if let != 0 {
		t.Error("a request is answered before the replica is ready")
	}
	close(d.begun)
	d.admit(httptest.NewRecorder(), request)
	if let != 1 {
		t.Error("a request is not answered though the replica is ready")
	}
}

// TestDoor_tokenStays: the token by which a request came goes no further than the door.
func TestDoor_tokenStays(t *testing.T) {
	t.Parallel()
	let := 0
	d, token := newDoor(t, func(_ http.ResponseWriter, r *http.Request) {
		let++
		if got := r.Header.Values("Authorization"); len(got) > 0 {
			t.Errorf("the header goes on: %q", got)
		}
	})
	close(d.begun)
	for _, scheme := range []string{"Bearer ", "bearer  "} {
		request := httptest.NewRequest(http.MethodPost, resource, http.NoBody)
		request.Header.Set("Authorization", scheme+token)
		d.admit(httptest.NewRecorder(), request)
	}
	if let != 2 {
		t.Errorf("%d of 2 requests are let in", let)
	}
}
