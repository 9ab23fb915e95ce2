package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/team/identity"
	"github.com/winnow-mcp/winnow/daemon/team/pg"
	"github.com/winnow-mcp/winnow/daemon/team/vault"
)

// Name is the command's name.
const Name = "winnowteam"

// Options configures a replica.
type Options struct {
	// Store is the database that all replicas share.
	Store *pg.Store
	// Resource is the gateway's public address, shared by all replicas, which tokens name
	// as their audience. Its path is the endpoint's.
	Resource string
	// Issuer is the accepted OpenID provider. GroupsClaim is the claim with the groups;
	// "" means `groups`.
	Issuer, GroupsClaim string
	// ClientID and ClientSecret are the gateway's credentials at the provider, for the
	// pages where users connect accounts. Without an ID there are no pages.
	ClientID, ClientSecret string
	// Ring seals the accounts; nil stores none.
	Ring *vault.Ring
	// Metrics, if not nil, is the listener for metrics.
	Metrics net.Listener
	// Version is sent to clients and servers.
	Version string
	Log     *slog.Logger
	// Environ looks up `${env:NAME}` of servers' entries.
	Environ func(name string) (string, bool)
	// Now returns the time; nil means time.Now.
	Now func() time.Time

	base string
}

// Times of the HTTP server; those within a request are the gateway's.
const (
	headerTime   = 10 * time.Second
	waitTime     = 2 * time.Minute
	shutdownTime = 10 * time.Second
	// leaveTime is how long a replica that ends still takes requests, while it says that it
	// is not ready: a balancer has to hear of it first, since a connection that nobody has
	// accepted breaks when the listener closes.
	leaveTime = time.Second
	maxBody   = 32 << 20
	// seenEvery is how often a user's presence is recorded.
	seenEvery = time.Hour
	// maxSeen bounds the cached users.
	maxSeen = 10_000
)

// Serve answers the clients of a listener until ctx ends.
func Serve(ctx context.Context, o Options, listener net.Listener) error {
	resource, base, err := baseOf(o.Resource)
	if err != nil {
		return err
	}
	o.base = base
	if o.Now == nil {
		o.Now = time.Now
	}
	dir, err := os.MkdirTemp("", Name+"-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	r, err := openReplica(ctx, o.Store, o, dir)
	if err != nil {
		return err
	}
	life, end := context.WithCancel(ctx)
	r.follow(life)
	handler, err := r.face.Handler()
	d := &door{
		replica: r, resource: resource, options: o, next: handler, begun: make(chan struct{}), seen: map[principal.Principal]time.Time{},
		quotas: quotas{keeping: o.Store.Keeping(), have: map[string]*slice{}},
	}
	if err == nil {
		r.following.Go(func() {
			r.awaitServers(life)
			d.ready.Store(true)
			close(d.begun)
		})
		if o.Metrics != nil {
			web := &http.Server{Handler: r.metrics.Handler(), ReadHeaderTimeout: headerTime}
			r.following.Go(func() { _ = web.Serve(o.Metrics) })
			context.AfterFunc(life, func() { _ = web.Close() })
		}
		err = d.serve(ctx, listener)
	}
	end()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	return errors.Join(err, r.close(ctx))
}

// door authenticates requests.
type door struct {
	*replica

	resource *url.URL
	options  Options
	next     http.Handler
	ready    atomic.Bool
	// begun is closed when the replica is ready for the first time. Requests that come
	// earlier wait for it: a balancer sends some to a replica that it has not found away
	// before it was started again.
	begun  chan struct{}
	quotas quotas

	// mu guards seen, which holds when each user's presence was last recorded.
	mu     sync.Mutex
	seen   map[principal.Principal]time.Time
	noting sync.WaitGroup
}

// serve answers requests until ctx ends, and completes those in progress.
func (d *door) serve(ctx context.Context, listener net.Listener) error {
	web := &http.Server{
		Handler: d.metrics.Count(d), ReadHeaderTimeout: headerTime, IdleTimeout: waitTime,
		ErrorLog: slog.NewLogLogger(d.log.Handler(), slog.LevelDebug),
	}
	over := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		if d.ready.Swap(false) {
			time.Sleep(leaveTime)
		}
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime/2)
		defer cancel()
		err := web.Shutdown(ending)
		if errors.Is(err, context.DeadlineExceeded) { // clients' streams do not end by themselves
			err = web.Close()
		}
		over <- err
	})
	err := web.Serve(listener)
	if !stop() {
		err = <-over
	}
	d.noting.Wait()
	return err
}

// metadataPath is the path of protected resource metadata (RFC 9728); the path of the
// resource follows.
const metadataPath = "/.well-known/oauth-protected-resource"

// ServeHTTP implements http.Handler.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/healthz":
		_, _ = fmt.Fprintln(w, "alive")
	case r.URL.Path == "/readyz" && d.ready.Load() && d.stale() < staleAfter:
		_, _ = fmt.Fprintln(w, "ready")
	case r.URL.Path == "/readyz":
		http.Error(w, "not ready", http.StatusServiceUnavailable)
	case r.URL.Path == metadataPath, r.URL.Path == metadataPath+strings.TrimSuffix(d.resource.Path, "/"):
		d.metadata(w)
	case d.vault != nil && (r.URL.Path == vault.PagesPath || strings.HasPrefix(r.URL.Path, vault.PagesPath+"/")):
		d.vault.ServeHTTP(w, r)
	case r.URL.Path != d.resource.Path:
		http.NotFound(w, r)
	case d.stale() > refuseAfter:
		// A user who was admitted before may not be any more.
		unavailable(w, "The database cannot be reached; try again later")
	case len(r.Header.Values("Origin")) > 0:
		http.Error(w, "Origin is not allowed", http.StatusForbidden)
	default:
		d.admit(w, r)
	}
}

// metadata answers with the metadata of RFC 9728.
func (d *door) metadata(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"resource": d.options.Resource, "authorization_servers": []string{d.options.Issuer}, "bearer_methods_supported": []string{"header"},
	})
}

// admit forwards the requests of authenticated users.
func (d *door) admit(w http.ResponseWriter, r *http.Request) {
	values := r.Header.Values("Authorization")
	var token string
	if len(values) == 1 {
		if scheme, rest, _ := strings.Cut(values[0], " "); strings.EqualFold(scheme, "Bearer") {
			token = strings.TrimSpace(rest)
		}
	}
	if token == "" {
		d.refuse(w, "")
		return
	}
	who, err := d.verifier.Verify(r.Context(), token)
	switch {
	case errors.Is(err, identity.ErrAway):
		d.log.Warn("a token could not be verified", "error", err)
		unavailable(w, "The authorization server cannot be reached; try again later")
		return
	case err != nil:
		d.refuse(w, `, error="invalid_token"`)
		return
	}
	select {
	case <-d.begun:
	case <-r.Context().Done():
		return
	}
	d.note(who)
	r.Header.Del("Authorization") // it is not forwarded, see [vault.WithBearer]
	now := d.current.Load()
	if refusal, wait := d.within(r.Context(), now, who); refusal != "" {
		d.metrics.Refused()
		w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())+1))
		http.Error(w, refusal, http.StatusTooManyRequests)
		return
	}
	ctx := mcpserver.AsOneOf(d.traces.FromHeader(r.Context(), r.Header), who.Principal, now.policies.ClassOf(who.Subject, who.Groups))
	if now.exchanges {
		ctx = vault.WithBearer(ctx, token)
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	d.next.ServeHTTP(w, r.WithContext(ctx))
}

// refuse tells a client where to get a token.
func (d *door) refuse(w http.ResponseWriter, why string) {
	metadata := url.URL{Scheme: d.resource.Scheme, Host: d.resource.Host, Path: metadataPath + strings.TrimSuffix(d.resource.Path, "/")}
	w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer resource_metadata=%q%s", metadata.String(), why))
	http.Error(w, "A bearer token for this server is needed", http.StatusUnauthorized)
}

// unavailable asks a client to retry.
func unavailable(w http.ResponseWriter, text string) {
	w.Header().Set("Retry-After", "5")
	http.Error(w, text, http.StatusServiceUnavailable)
}

// note records a user's presence, in the background.
func (d *door) note(who identity.Identity) {
	now := d.now()
	d.mu.Lock()
	defer d.mu.Unlock()
	if now.Sub(d.seen[who.Principal]) < seenEvery {
		return
	}
	if len(d.seen) >= maxSeen {
		clear(d.seen)
	}
	d.seen[who.Principal] = now
	d.noting.Go(func() {
		err := d.store.See(context.Background(), pg.Person{Issuer: who.Issuer, Subject: who.Subject, Name: who.Name, Groups: who.Groups})
		if err != nil {
			d.log.Warn("it is not noted who was there", "error", err)
		}
	})
}
