package team_test

import (
	"context"
	"errors"
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
	for _, account := range []string{`"by":"exchange","clientId":"c"`, `"by":"user","clientId":"c","clientSecret":"s"`} {
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

// TestServe_unwritable: a version that could not be put into force is tried again,
// and until then the replica does not take itself for one that is up to date.
func TestServe_unwritable(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	url, schema := cluster.New(t)
	store, err := pg.Open(t.Context(), pg.Options{URL: url, Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	messages := make(chan string, 1000)
	ctx, end := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		over <- team.Serve(ctx, team.Options{
			Store: store, Resource: "https://team.example/mcp", Issuer: "http://127.0.0.1:1", Version: "1", Log: slog.New(said{slog.DiscardHandler, messages}),
		}, listener)
	}()
	await := func(want string) {
		t.Helper()
		for deadline := time.After(time.Minute); ; {
			select {
			case got := <-messages:
				if got == want {
					return
				}
			case <-deadline:
				t.Fatalf("it was never said: %s", want)
			}
		}
	}
	apply := func(servers string) {
		t.Helper()
		if _, err := (team.Admin{Store: store}).ApplyFiles(ctx, servers, "", ""); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := http.Get("http://" + listener.Addr().String() + "/readyz") // answered once what is applied is in force
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	folders, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), team.Name+"-*", "user"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("folders %v, %v", folders, err)
	}
	aside := folders[0] + "-aside"
	if err := errors.Join(os.Rename(folders[0], aside), os.WriteFile(folders[0], nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	apply(`{"servers":{"two":{"url":"http://127.0.0.1:1/mcp"}}}`)
	for range 2 {
		await("what is applied cannot be followed")
	}
	if err := errors.Join(os.Remove(folders[0]), os.Rename(aside, folders[0])); err != nil {
		t.Fatal(err)
	}
	await("a new version is in force")
	end()
	if err := <-over; err != nil && !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
}
