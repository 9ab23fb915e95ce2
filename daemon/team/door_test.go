package team

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/team/identity"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// TestDoor_tokenStays: the token by which a request came goes no further than the door.
func TestDoor_tokenStays(t *testing.T) {
	t.Parallel()
	const resource = "https://team.example/mcp"
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
	let := 0
	d := &door{
		replica: r, quotas: quotas{have: map[string]*slice{}},
		seen: map[principal.Principal]time.Time{{Issuer: provider.Issuer, Subject: "alice"}: time.Now()}, // nothing is noted
		next: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			let++
			if got := r.Header.Values("Authorization"); len(got) > 0 {
				t.Errorf("the header goes on: %q", got)
			}
		}),
	}
	for _, scheme := range []string{"Bearer ", "bearer  "} {
		request := httptest.NewRequest(http.MethodPost, resource, http.NoBody)
		request.Header.Set("Authorization", scheme+token)
		d.admit(httptest.NewRecorder(), request)
	}
	if let != 2 {
		t.Errorf("%d of 2 requests are let in", let)
	}
}
