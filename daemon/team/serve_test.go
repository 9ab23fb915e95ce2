package team_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/team"
	"github.com/winnow-mcp/winnow/daemon/team/pg"
	"github.com/winnow-mcp/winnow/daemon/team/pg/pgtest"
)

var cluster *pgtest.Cluster

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m, &cluster)) }

// TestServe_stale: a replica that does not know for ten seconds whether what is in
// force still is, is not ready; after a minute it answers nobody.
func TestServe_stale(t *testing.T) {
	t.Parallel()
	url, schema := cluster.New(t)
	store, err := pg.Open(t.Context(), pg.Options{URL: url, Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var ahead atomic.Int64
	ctx, end := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		over <- team.Serve(ctx, team.Options{
			Store: store, Resource: "https://team.example/mcp", Issuer: "http://127.0.0.1:1", Version: "1", Log: slog.New(slog.DiscardHandler),
			Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) },
		}, listener)
	}()
	get := func(path string) (int, string) {
		t.Helper()
		answer, err := http.Get("http://" + listener.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		text, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(text)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if status, _ := get("/readyz"); status == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it is never ready")
		}
	}
	const servers = `{"servers":{"crm":{"url":"https://crm.example/mcp"}}}`
	for _, account := range []string{`"by":"exchange","clientId":"c"`, `"by":"id-jag","clientId":"c"`, `"by":"user","clientId":"c","clientSecret":"s"`} {
		_, err := team.Admin{Store: store}.ApplyFiles(ctx, servers, "", `{"accounts":{"crm":{`+account+`}}}`)
		if err == nil || !strings.Contains(err.Error(), `write its "issuer"`) {
			t.Errorf("%s without an issuer: %v", account, err)
		}
	}
	store.Close() // from here on nothing is read
	for _, at := range []struct {
		ahead       time.Duration
		ready, asks int
	}{{0, http.StatusOK, http.StatusUnauthorized}, {11 * time.Second, http.StatusServiceUnavailable, http.StatusUnauthorized}, {time.Minute, http.StatusServiceUnavailable, http.StatusServiceUnavailable}} {
		ahead.Store(int64(at.ahead))
		if status, _ := get("/readyz"); status != at.ready {
			t.Errorf("%v later: ready is %d", at.ahead, status)
		}
		if status, text := get("/mcp"); status != at.asks {
			t.Errorf("%v later: %d %s", at.ahead, status, text)
		}
	}
	if status, text := get("/.well-known/oauth-protected-resource/mcp"); status != http.StatusOK || !strings.Contains(text, `"resource":"https://team.example/mcp"`) || !strings.Contains(text, `"authorization_servers":["http://127.0.0.1:1"]`) {
		t.Errorf("what it says of itself: %d %s", status, text)
	}
	end()
	if err := <-over; err != nil && !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
}

// said passes on what is logged.
type said struct {
	slog.Handler

	messages chan string
}

func (said) Enabled(context.Context, slog.Level) bool { return true }

func (s said) Handle(_ context.Context, r slog.Record) error {
	s.messages <- r.Message
	return nil
}

// served is a replica that runs within a test.
type served struct {
	t       *testing.T
	address string
	said    chan string
}

// serve runs a replica until the test ends.
func serve(t *testing.T, store *pg.Store, now func() time.Time) *served {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &served{t, listener.Addr().String(), make(chan string, 1000)}
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	over := make(chan error, 1)
	go func() {
		over <- team.Serve(ctx, team.Options{
			Store: store, Resource: "https://team.example/mcp", Issuer: "http://127.0.0.1:1", Version: "1", Now: now, Log: slog.New(said{slog.DiscardHandler, s.said}),
		}, listener)
	}()
	t.Cleanup(func() {
		end()
		if err := <-over; err != nil && !strings.Contains(err.Error(), "closed") {
			t.Error(err)
		}
	})
	return s
}

// ready reports whether the replica is ready; it is answered once what is applied is in
// force.
func (s *served) ready() bool {
	s.t.Helper()
	answer, err := http.Get("http://" + s.address + "/readyz")
	if err != nil {
		s.t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// await waits for the replica to say something.
func (s *served) await(want string) {
	s.t.Helper()
	for deadline := time.After(time.Minute); ; {
		select {
		case got := <-s.said:
			if got == want {
				return
			}
		case <-deadline:
			s.t.Fatalf("it was never said: %s", want)
		}
	}
}

// open opens a schema of the test's own.
func open(t *testing.T) *pg.Store {
	t.Helper()
	url, schema := cluster.New(t)
	store, err := pg.Open(t.Context(), pg.Options{URL: url, Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

func apply(t *testing.T, store *pg.Store, servers string) {
	t.Helper()
	if _, err := (team.Admin{Store: store}).ApplyFiles(t.Context(), servers, "", ""); err != nil {
		t.Fatal(err)
	}
}

// TestServe_clocksApart: replicas whose clocks are a day apart follow the same versions,
// and neither takes itself for one that does not.
func TestServe_clocksApart(t *testing.T) {
	t.Parallel()
	store := open(t)
	var all []*served
	for _, apart := range []time.Duration{-12 * time.Hour, 12 * time.Hour} {
		one := serve(t, store, func() time.Time { return time.Now().Add(apart) })
		one.ready() // what is applied from now on is new to it
		all = append(all, one)
	}
	for n := range 2 {
		apply(t, store, fmt.Sprintf(`{"servers":{"one":{"url":"http://127.0.0.1:1/mcp/%d"}}}`, n))
		for _, one := range all {
			one.await("a new version is in force")
		}
	}
	for _, one := range all {
		for deadline := time.Now().Add(time.Minute); !one.ready(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("it is never ready")
			}
		}
	}
}

// TestServe_unwritable: a version that could not be put into force is tried again,
// and until then the replica does not take itself for one that is up to date.
func TestServe_unwritable(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	store := open(t)
	one := serve(t, store, nil)
	one.ready()
	folders, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), team.Name+"-*", "user"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("folders %v, %v", folders, err)
	}
	aside := folders[0] + "-aside"
	if err := errors.Join(os.Rename(folders[0], aside), os.WriteFile(folders[0], nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	apply(t, store, `{"servers":{"two":{"url":"http://127.0.0.1:1/mcp"}}}`)
	for range 2 {
		one.await("what is applied cannot be followed")
	}
	if err := errors.Join(os.Remove(folders[0]), os.Rename(aside, folders[0])); err != nil {
		t.Fatal(err)
	}
	one.await("a new version is in force")
}
