// Package enginetest drives an engine as a face does, within the test's process and
// without a wire protocol.
//
//	h := enginetest.Start(t, enginetest.Options{Workspace: dir}, nil)
//	a := enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{Message: "…"})
//
// Each method of [Host] named as a request of package protocol makes the engine do what
// that request does. It returns the engine's own result or error. A failure ends the test
// and prints the engine's log.
package enginetest

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/winnow-mcp/winnow/daemon/broadcast"
	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/hosttest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// Main is the TestMain of packages that use this one. The test binary is also its
// servers. No goroutine may be left.
func Main(m *testing.M) {
	upstreamtest.Main()
	goleak.VerifyTestMain(m)
}

// Options describes an engine and its user.
type Options struct {
	// Workspace is the open folder; "" creates an empty one.
	Workspace string
	// Storage is the storage path; "" creates an empty one.
	Storage string
	// Home is the user's home folder; "" creates an empty one.
	Home string
	// Untrusted leaves the workspace untrusted.
	Untrusted bool
	// Environ is the daemon's environment; nil means empty.
	Environ func(name string) (string, bool)
	// Network is the host's network settings.
	Network protocol.Network
	// Now is the engine's clock; nil means time.Now.
	Now func() time.Time
	// User answers the engine's questions; nil means [host.None]. [Host] records what the
	// user is shown in any case.
	User host.Host
}

// Host is an engine with its user.
type Host struct {
	hosttest.Steps

	Options Options
	Engine  *engine.Engine

	t     testing.TB
	log   *hosttest.Log
	close func()
	// news is notified at each line of the log, and when the user is shown something.
	news *broadcast.Broadcast

	// mu guards the following fields: what the user was shown, oldest first.
	mu       sync.Mutex
	messages []protocol.ShowMessageParams
	changes  []protocol.CatalogDidChangeParams
	events   []protocol.TelemetryEventParams
}

// Start opens an engine with settings that differ from the defaults, and lets its servers
// start.
func Start(t testing.TB, o Options, settings map[string]any) *Host {
	t.Helper()
	if o.Home == "" && o.Storage != "" {
		o.Home = o.Storage + "-home" // the same user in the next session
	}
	for _, dir := range []*string{&o.Workspace, &o.Storage, &o.Home} {
		if *dir == "" {
			*dir = t.TempDir()
		}
	}
	if o.User == nil {
		o.User = host.None{}
	}
	raw, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	h := &Host{Options: o, t: t, news: new(broadcast.Broadcast)}
	h.Steps, h.log = hosttest.NewSteps(t, h), &hosttest.Log{News: h.news}
	h.Engine = engine.Open(
		engine.Options{Version: "test", Environ: o.Environ, Now: o.Now, Log: slog.New(slog.NewJSONHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))},
		&user{Host: o.User, told: h},
		&protocol.InitializeParams{
			Client:           protocol.ClientInfo{Name: "enginetest", Version: "1"},
			ProtocolVersion:  protocol.Version,
			WorkspaceFolders: []protocol.WorkspaceFolder{{URI: configtest.FileURI(o.Workspace)}},
			StoragePath:      o.Storage,
			Network:          o.Network,
			Trusted:          !o.Untrusted,
			Settings:         raw,
			Capabilities:     o.User.Capabilities(),
			UserConfigDir:    filepath.Join(o.Home, ".config", "winnow"),
			HomeDir:          o.Home,
		})
	h.close = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), hosttest.Patience)
		defer cancel()
		if err := h.Engine.Close(ctx); err != nil {
			t.Errorf("the engine ended with %v\n%s", err, h.Log())
		}
	})
	t.Cleanup(h.close)
	h.Engine.Start()
	return h
}

// Close ends the engine.
func (h *Host) Close() { h.close() }

// Log returns what the engine has logged.
func (h *Host) Log() string { return h.log.String() }

// Fatalf ends the test, with the engine's log.
func (h *Host) Fatalf(format string, args ...any) {
	h.t.Helper()
	h.t.Logf("log of the engine:\n%s", h.Log())
	h.t.Fatalf(format, args...)
}

// Until waits until ok returns true. It calls ok after each new catalogue version, when
// the user is shown something, and after each line of the log.
func (h *Host) Until(what string, ok func() bool) {
	h.t.Helper()
	deadline := time.After(hosttest.Patience)
	for {
		changed := h.Engine.Changes.Wait() // before ok, so that no change is missed
		news := h.news.Wait()
		if ok() {
			return
		}
		select {
		case <-news:
		case <-changed:
		case <-deadline:
			h.Fatalf("waited in vain for %s", what)
		}
	}
}

// Messages returns those that the user was shown.
func (h *Host) Messages() []protocol.ShowMessageParams { return kept(h, &h.messages) }

// Changes returns the catalogue changes that the user was shown.
func (h *Host) Changes() []protocol.CatalogDidChangeParams { return kept(h, &h.changes) }

// Events returns the telemetry events.
func (h *Host) Events() []protocol.TelemetryEventParams { return kept(h, &h.events) }

func kept[P any](h *Host, list *[]P) []P {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(*list)
}

// user is the engine's user. It answers as given and records what it is shown.
type user struct {
	host.Host

	told *Host
}

// ShowMessage implements [host.Host].
func (u *user) ShowMessage(p protocol.ShowMessageParams) { tell(u.told, &u.told.messages, p) }

// CatalogDidChange implements [host.Host].
func (u *user) CatalogDidChange(p protocol.CatalogDidChangeParams) {
	tell(u.told, &u.told.changes, p)
}

// Telemetry implements [host.Host].
func (u *user) Telemetry(p protocol.TelemetryEventParams) { tell(u.told, &u.told.events, p) }

func tell[P any](h *Host, list *[]P, p P) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*list = append(*list, p)
	h.news.Notify()
}
