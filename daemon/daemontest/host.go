package daemontest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/daemon/broadcast"
	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/hosttest"
	"github.com/winnow-mcp/winnow/protocol"
)

// Options describes a host.
type Options struct {
	// Workspace is the open folder; "" creates an empty one.
	Workspace string
	// Storage is the storage path; "" creates an empty one.
	Storage string
	// Home is the user's home folder; "" creates an empty one.
	Home string
	// Untrusted leaves the workspace untrusted.
	Untrusted bool
	// Capabilities are the host's capabilities.
	Capabilities protocol.ClientCapabilities
	// Answer responds to the daemon's requests; nil refuses them.
	Answer func(Message) (any, *Error)
	// Environ is the daemon's environment; nil means the test's.
	Environ func(name string) (string, bool)
	// Environment is the environment of the process ([Start]); nil means the test's.
	Environment []string
}

func (o Options) withDefaults(t testing.TB) Options {
	if o.Home == "" && o.Storage != "" {
		o.Home = o.Storage + "-home" // the same user in the next session
	}
	for _, dir := range []*string{&o.Workspace, &o.Storage, &o.Home} {
		if *dir == "" {
			*dir = t.TempDir()
		}
	}
	if o.Answer == nil {
		o.Answer = func(m Message) (any, *Error) {
			return nil, &Error{Code: protocol.CodeMethodNotFound, Message: "this host does not answer " + m.Method}
		}
	}
	return o
}

// Host drives one daemon.
type Host struct {
	hosttest.Steps

	t       testing.TB
	Options Options
	// PID is the daemon's process ID; 0 if it has no process of its own.
	PID    int
	client *client
	log    *hosttest.Log
	// news is notified at each notification and each line of the log.
	news *broadcast.Broadcast
	// wait returns the daemon's exit error.
	wait func() error
	// hangUp closes the host's end of the daemon's output.
	hangUp func()
	// judged reports that the test checks the exit itself, so Close does not.
	judged atomic.Bool

	mu    sync.Mutex
	notes []Message // guarded by mu
}

// Run serves a host within the test's process.
func Run(t testing.TB, o Options) *Host {
	t.Helper()
	return RunServer(t, o, func(log *slog.Logger, level *slog.LevelVar) Server {
		return daemon.New(daemon.Options{
			Version: "test", Log: log, LogLevel: level, Environ: o.Environ, ShutdownTime: ShutdownTime,
		})
	})
}

// ShutdownTime is used for sessions within the test's process. The two seconds are
// guaranteed, and tested, for the daemon's process only; this one is shared with other
// tests.
const ShutdownTime = hosttest.Patience / 2

// Server is a session that a host drives.
type Server interface {
	// Run serves the host until it is gone.
	Run(ctx context.Context, in io.Reader, out io.Writer) error
}

// RunServer is [Run] for something other than a whole daemon, such as a face over a fake
// engine. It logs to log, at the level that it may change.
func RunServer(t testing.TB, o Options, newServer func(log *slog.Logger, level *slog.LevelVar) Server) *Host {
	t.Helper()
	o = o.withDefaults(t)
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	h := newHost(t, o, inWriter, outReader)
	level := new(slog.LevelVar)
	level.Set(slog.LevelDebug)
	server := newServer(slog.New(slog.NewJSONHandler(h.log, &slog.HandlerOptions{Level: level})), level)
	ended := make(chan error, 1)
	go func() {
		err := server.Run(context.WithoutCancel(t.Context()), inReader, outWriter)
		_ = inReader.CloseWithError(io.EOF) // as the process's end would
		_ = outWriter.Close()
		ended <- err
	}()
	h.wait = sync.OnceValue(func() error { return <-ended })
	h.hangUp = func() { _ = outReader.Close() }
	t.Cleanup(h.Close)
	return h
}

func newHost(t testing.TB, o Options, in io.WriteCloser, out io.Reader) *Host {
	h := &Host{t: t, Options: o, news: new(broadcast.Broadcast)}
	h.Steps, h.log = hosttest.NewSteps(t, h), &hosttest.Log{News: h.news}
	h.client = &client{
		in: in, out: bufio.NewReader(out), answer: o.Answer, notified: h.note,
		waiting: map[string]chan Message{}, done: make(chan struct{}),
	}
	go h.client.read()
	return h
}

// note stores a notification.
func (h *Host) note(m Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notes = append(h.notes, m)
	h.news.Notify()
}

// Notes returns the notifications so far.
func (h *Host) Notes() []Message {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Message(nil), h.notes...)
}

// Initialize opens the session with settings that differ from the defaults; may be nil.
func (h *Host) Initialize(settings map[string]any) protocol.InitializeResult {
	h.t.Helper()
	result := Call[protocol.InitializeResult](h, protocol.MethodInitialize, h.InitializeParams(settings))
	h.Notify(protocol.MethodInitialized, protocol.Empty{})
	return result
}

// InitializeParams returns what Initialize sends.
func (h *Host) InitializeParams(settings map[string]any) protocol.InitializeParams {
	h.t.Helper()
	raw, err := json.Marshal(settings)
	if err != nil {
		h.t.Fatal(err)
	}
	return protocol.InitializeParams{
		Client:           protocol.ClientInfo{Name: "daemontest", Version: "1"},
		ProtocolVersion:  protocol.Version,
		WorkspaceFolders: []protocol.WorkspaceFolder{{URI: configtest.FileURI(h.Options.Workspace)}},
		StoragePath:      h.Options.Storage,
		Trusted:          !h.Options.Untrusted,
		Settings:         raw,
		Capabilities:     h.Options.Capabilities,
		UserConfigDir:    filepath.Join(h.Options.Home, ".config", "winnow"),
		HomeDir:          h.Options.Home,
	}
}

// Notify sends a notification.
func (h *Host) Notify(method string, params any) {
	h.t.Helper()
	if err := h.client.notify(method, params); err != nil {
		h.Fatalf("%s: %v", method, err)
	}
}

// Raw writes bytes unchanged.
func (h *Host) Raw(bytes string) {
	h.t.Helper()
	h.client.writing.Lock()
	defer h.client.writing.Unlock()
	if _, err := io.WriteString(h.client.in, bytes); err != nil {
		h.Fatalf("write: %v", err)
	}
}

// Pending is a request whose response has not been taken.
type Pending struct {
	ID     int64
	host   *Host
	method string
	reply  <-chan Message
}

// Begin sends a request without waiting.
func (h *Host) Begin(method string, params any) *Pending {
	h.t.Helper()
	id, reply, err := h.client.call(method, params)
	if err != nil {
		h.Fatalf("%s: %v", method, err)
	}
	return &Pending{id, h, method, reply}
}

// Cancel cancels the request.
func (p *Pending) Cancel() {
	p.host.t.Helper()
	p.host.Notify(protocol.MethodCancelRequest, map[string]any{"id": p.ID})
}

// Await returns the response, or the daemon's error.
func (p *Pending) Await() (json.RawMessage, error) {
	select {
	case m, ok := <-p.reply:
		if !ok {
			return nil, ErrEnded
		}
		if m.Error != nil {
			return nil, m.Error
		}
		return m.Result, nil
	case <-time.After(hosttest.Patience):
		return nil, fmt.Errorf("%s %w", p.method, ErrNotAnswered)
	}
}

// Try sends a request, and returns the daemon's error.
func Try[R any](h *Host, method string, params any) (R, error) {
	h.t.Helper()
	var result R
	raw, err := h.Begin(method, params).Await()
	if err != nil {
		return result, err
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		h.Fatalf("%s answered %s: %v", method, raw, err)
	}
	return result, nil
}

// Call sends a request; an error ends the test.
func Call[R any](h *Host, method string, params any) R {
	h.t.Helper()
	result, err := Try[R](h, method, params)
	if err != nil {
		h.Fatalf("%s: %v", method, err)
	}
	return result
}

// Refused sends a request that the daemon must refuse, and returns the error.
func (h *Host) Refused(method string, params any) *Error {
	h.t.Helper()
	raw, err := h.Begin(method, params).Await()
	var failure *Error
	if !errors.As(err, &failure) {
		h.Fatalf("%s: answered %s, %v; want an error", method, raw, err)
	}
	return failure
}

// Until waits until ok returns true. It calls ok after each notification and each line of
// the daemon's log.
func (h *Host) Until(what string, ok func() bool) {
	h.t.Helper()
	deadline := time.After(hosttest.Patience)
	for {
		news := h.news.Wait() // before ok, so that no change is missed
		if ok() {
			return
		}
		select {
		case <-news:
		case <-deadline:
			h.Fatalf("waited in vain for %s", what)
		}
	}
}

// Catalog returns the servers and tools that the daemon runs.
func (h *Host) Catalog() protocol.CatalogListResult {
	h.t.Helper()
	return Call[protocol.CatalogListResult](h, protocol.MethodCatalogList, protocol.CatalogListParams{})
}

// Consent answers a question about a server.
func (h *Host) Consent(p protocol.ServerConsentParams) {
	h.t.Helper()
	Call[protocol.Empty](h, protocol.MethodServerConsent, p)
}

// CloseInput closes the daemon's input, so that it ends. [Host.Wait] returns how.
func (h *Host) CloseInput() { _ = h.client.in.Close() }

// Close ends the daemon as if the host had died, and waits for it.
func (h *Host) Close() {
	h.CloseInput()
	select {
	case <-h.client.done:
	case <-time.After(hosttest.Patience):
		h.t.Errorf("the daemon did not end\n%s", h.Log())
		return
	}
	if err := h.wait(); err != nil && !h.judged.Load() {
		h.t.Errorf("the daemon ended with %v\n%s", err, h.Log())
	}
}

// HangUp closes both of the daemon's pipes at once, as if the host had died.
func (h *Host) HangUp() {
	h.hangUp()
	_ = h.client.in.Close()
}

// Wait returns the daemon's exit error, which the test must then check.
func (h *Host) Wait() error {
	h.judged.Store(true)
	select {
	case <-h.client.done:
	case <-time.After(hosttest.Patience):
		h.Fatalf("the daemon did not end")
	}
	return h.wait()
}

// Log returns what the daemon has logged.
func (h *Host) Log() string { return h.log.String() }

// Fatalf ends the test, with the daemon's log.
func (h *Host) Fatalf(format string, args ...any) {
	h.t.Helper()
	h.t.Logf("log of the daemon:\n%s", h.Log())
	h.t.Fatalf(format, args...)
}
