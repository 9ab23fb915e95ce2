// Package enginetest drives an engine as a face does, in the process of the
// test and without any wire.
//
//	h := enginetest.Start(t, enginetest.Options{Workspace: dir}, nil)
//	a := enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{Message: "…"})
//
// A method of [Host] that is named as a request of package protocol has the
// engine do what that request asks for; in place of its answer on the wire there
// is the engine's own result, or its error. A failure ends the test and prints
// the engine's log.
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

// Main is the TestMain of packages that use this one: the test's program is
// also its servers, and no goroutine may be left.
func Main(m *testing.M) {
	upstreamtest.Main()
	goleak.VerifyTestMain(m)
}

// Options describe an engine and its user.
type Options struct {
	// Workspace is the folder that is open; "" makes an empty one.
	Workspace string
	// Storage is the storage path; "" makes an empty one.
	Storage string
	// Home is the user's home folder; "" makes an empty one.
	Home string
	// Untrusted leaves the workspace untrusted.
	Untrusted bool
	// Environ is the daemon's environment; nil is an empty one.
	Environ func(name string) (string, bool)
	// Network is what the host says of the network.
	Network protocol.Network
	// Now is the engine's clock; nil is time.Now.
	Now func() time.Time
	// User answers what the engine asks; nil is [host.None]. What the user is
	// told is kept by [Host] in any case.
	User host.Host
}

// Host is an engine, and the user that it has.
type Host struct {
	hosttest.Steps

	Options Options
	Engine  *engine.Engine

	t     testing.TB
	log   *hosttest.Log
	close func()
	// news is called with each line of the log, and whenever the user is told
	// something.
	news *broadcast.Broadcast

	// mu guards what follows: what the user was shown, oldest first.
	mu       sync.Mutex
	messages []protocol.ShowMessageParams
	changes  []protocol.CatalogDidChangeParams
	events   []protocol.TelemetryEventParams
}

// Start opens an engine with the settings that differ from their defaults, and
// lets its servers start.
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

// Until waits until ok, which is asked again after each new version of a
// catalogue, whenever the user is shown something, and after each line of the
// log.
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

// Messages are those that the user was shown.
func (h *Host) Messages() []protocol.ShowMessageParams { return kept(h, &h.messages) }

// Changes are those of catalogues that the user was shown.
func (h *Host) Changes() []protocol.CatalogDidChangeParams { return kept(h, &h.changes) }

// Events are those of telemetry.
func (h *Host) Events() []protocol.TelemetryEventParams { return kept(h, &h.events) }

func kept[P any](h *Host, list *[]P) []P {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(*list)
}

// user is the engine's user: who was given answers, and what was shown is kept.
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
