package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/broadcast"
	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// fakeEngine is an engine that starts no server and reads no file: a test says
// which servers there are, what they answer and what has changed. What a task
// is shown is the router's own work, which is pure.
type fakeEngine struct {
	busyUntil time.Time
	life      context.Context //nolint:containedctx // the engine's own lifetime, as of the one itself
	changed   broadcast.Broadcast
	listeners sync.Map // of func(upstream.Announcement)

	// call answers a call that the router lets through; request a request to a
	// server. They are set before the first client.
	call    func(ctx context.Context, d router.Decision, c calls.Call) (*protocol.TaskCallResult, error)
	request func(ctx context.Context, r upstream.Request) (json.RawMessage, error)
	// noView is why there is no view; nil where there is one.
	noView error

	// mu guards what follows. state is what [fakeEngine.change] changes.
	mu sync.Mutex
	state
	opened      int
	closed      []string
	remembered  map[string]bool
	shown       []protocol.ShowMessageParams
	calls       []calls.Call
	requests    []upstream.Request
	subscribers []any
	roots       [][]string
}

// state is what a fake engine says of the world.
type state struct {
	settings protocol.Settings
	mode     router.Mode
	folders  []workspace.Folder
	servers  []fakeServer
	// starting: a server is about to be ready.
	starting bool
}

// fakeServer is a server of a fake engine.
type fakeServer struct {
	router.ServerInput

	// Down: it does not run. Unknown: it is about to be ready for the first time.
	Down, Unknown bool
	// Asleep: it was stopped because nothing used it.
	Asleep bool
	// Hold is what it waits for.
	Hold upstream.Hold
	// Can are the capabilities that it declares.
	Can []string
	// Says are its instructions.
	Says string
	// Lists are its resources, templates and prompts, by the method. One that is
	// not there is refused.
	Lists map[string][]string
	// Withheld are prompts that may not be used. They are in no list.
	Withheld []string
}

// newEngine returns an engine of these servers, whose tools are more than are
// listed without being asked for.
func newEngine(t testing.TB, servers ...fakeServer) *fakeEngine {
	life, end := context.WithCancel(context.Background())
	t.Cleanup(end)
	f := &fakeEngine{life: life, remembered: map[string]bool{}}
	f.settings, f.servers = protocol.DefaultSettings(), servers
	f.settings.Threshold = 1
	f.call = func(_ context.Context, d router.Decision, c calls.Call) (*protocol.TaskCallResult, error) {
		return calls.TextResult(d.ID.String()+" "+string(c.Arguments), false), nil
	}
	f.request = func(context.Context, upstream.Request) (json.RawMessage, error) { return json.RawMessage(`{}`), nil }
	return f
}

// serverOf is a server that runs and has these tools.
func serverOf(name string, tools ...string) fakeServer {
	s := fakeServer{ServerInput: router.ServerInput{Name: name}}
	for _, one := range tools {
		s.Tools = append(s.Tools, json.RawMessage(tool(one, "Does "+one+".")))
	}
	return s
}

// change changes what the engine says, and tells the face.
func (f *fakeEngine) change(how func(s *state)) {
	f.mu.Lock()
	f.state.servers = slices.Clone(f.state.servers)
	how(&f.state)
	f.mu.Unlock()
	f.changed.Notify()
}

// now is what the engine says.
func (f *fakeEngine) now() state {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state
}

// server returns what there is of a server; the zero value where there is none.
func (f *fakeEngine) server(name string) (fakeServer, bool) {
	servers := f.now().servers
	i := slices.IndexFunc(servers, func(s fakeServer) bool { return s.Name == name })
	if i < 0 {
		return fakeServer{}, false
	}
	return servers[i], true
}

// announce passes on what a server announces.
func (f *fakeEngine) announce(a upstream.Announcement) {
	f.listeners.Range(func(_, listener any) bool {
		listener.(func(upstream.Announcement))(a)
		return true
	})
}

// OpenTask implements [gateway.Tasks].
func (f *fakeEngine) OpenTask(c mcpserver.Client) *tasks.Entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened++
	return &tasks.Entry{Principal: c.Principal, ID: fmt.Sprint("task-", f.opened), Shared: c.Shared}
}

// WorksIn implements [gateway.Tasks].
func (f *fakeEngine) WorksIn(_ context.Context, _ *tasks.Entry, roots []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.roots = append(f.roots, roots)
}

// CloseTask implements [gateway.Tasks].
func (f *fakeEngine) CloseTask(e *tasks.Entry) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = append(f.closed, e.ID)
	return nil
}

// View implements [gateway.Tasks].
func (f *fakeEngine) View(*tasks.Entry, *router.Task) (*router.View, error) {
	if f.noView != nil {
		return nil, f.noView
	}
	now := f.now()
	in := router.CatalogInput{Source: protocol.OwnSource, Count: func(text string) int { return len(text) }}
	for _, s := range now.servers {
		if s.Hold.Kind != "" {
			s.Unavailable = s.Hold.Text
		}
		in.Servers = append(in.Servers, s.ServerInput)
	}
	return router.NewView(router.BuildCatalog(in, nil), &now.settings, &now.mode), nil
}

// Call implements [gateway.Tasks]: mcp_load attaches, and other names are looked
// up by the router.
func (f *fakeEngine) Call(ctx context.Context, e *tasks.Entry, c calls.Call) (*protocol.TaskCallResult, error) {
	f.mu.Lock()
	f.calls = append(f.calls, c)
	f.mu.Unlock()
	t, _, _ := e.Snapshot()
	v, err := f.View(e, &t)
	if err != nil {
		return nil, err
	}
	if c.Name == router.LoadName {
		r, err := calls.ReadRequest(c.Arguments)
		if err != nil {
			return nil, err
		}
		next, loaded := v.Load(t, r)
		e.Change(next)
		return calls.TextResult(loaded.Text, false), nil
	}
	if router.IsMetaTool(c.Name) {
		return calls.TextResult(c.Name, false), nil
	}
	next, d, err := v.Call(t, c.Name)
	if err != nil {
		return nil, err
	}
	e.Change(next)
	result, err := f.call(ctx, d, c)
	if result != nil {
		result.Server, result.Tool = d.ID.Server, d.ID.Tool
	}
	return result, err
}

// Silent implements [gateway.Tasks]: none of the servers prints anything.
func (f *fakeEngine) Silent(string) bool { return true }

// ProcessorTime implements [gateway.Tasks]: servers work until busyUntil.
func (f *fakeEngine) ProcessorTime(string) uint64 {
	return uint64(min(time.Now().UnixNano(), f.busyUntil.UnixNano())) //nolint:gosec // after 1970
}

// UnknownServers implements [gateway.Tasks].
func (f *fakeEngine) UnknownServers() []string {
	var names []string
	for _, s := range f.now().servers {
		if s.Unknown {
			names = append(names, s.Name)
		}
	}
	return names
}

// Starting implements [gateway.Tasks].
func (f *fakeEngine) Starting() bool { return f.now().starting }

// Refreshes implements [gateway.Tasks].
func (f *fakeEngine) Refreshes(client, version string) router.Refreshes {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch does, known := f.remembered[client+" "+version]; {
	case !known:
		return router.RefreshesUnknown
	case does:
		return router.RefreshesYes
	}
	return router.RefreshesNo
}

// RecordRefreshes implements [gateway.Tasks].
func (f *fakeEngine) RecordRefreshes(client, version string, refreshes bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.remembered[client+" "+version] = refreshes
}
