package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/broadcast"
	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// fakeEngine is an engine that starts no server and reads no file: a test says
// which servers there are, what they answer and what has changed. What a task
// is shown is the router's own work, which is pure.
type fakeEngine struct {
	life      context.Context
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
func (f *fakeEngine) OpenTask() *tasks.Entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened++
	return &tasks.Entry{ID: "task-" + string(rune('a'+f.opened))}
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

// Snapshot implements [gateway.Servers].
func (f *fakeEngine) Snapshot() *upstream.Snapshot {
	var snapshot upstream.Snapshot
	for _, s := range f.now().servers {
		one := upstream.ServerSnapshot{Name: s.Name, Instructions: s.Says, Hold: s.Hold}
		if one.Status.State = upstream.Ready; s.Down || s.Unknown || s.Hold.Kind != "" {
			one.Status.State = upstream.Configured
		}
		can := map[string]struct{}{}
		for _, capability := range s.Can {
			can[capability] = struct{}{}
		}
		one.Capabilities, _ = json.Marshal(can) // always encodes
		snapshot.Servers = append(snapshot.Servers, one)
	}
	return &snapshot
}

// InScope implements [gateway.Servers].
func (f *fakeEngine) InScope(server string) error {
	mode := f.now().mode
	if cause := mode.ServerRule(router.Policy{}, server); cause.Kind != "" {
		return failure.New(protocol.KindOutOfScope, "Change the rule.", "the server %q is out of scope", server)
	}
	return nil
}

// Admits implements [gateway.Servers].
func (f *fakeEngine) Admits(server string) error {
	if s, _ := f.server(server); s.Hold.Kind != "" {
		return failure.New(protocol.KindUnavailable, "Let it start first.", "the server %q %s", server, s.Hold.Text)
	}
	return f.InScope(server)
}

// Instructions implements [gateway.Servers].
func (f *fakeEngine) Instructions(_, said string) string { return said }

// ListAll implements [gateway.Servers].
func (f *fakeEngine) ListAll(_ context.Context, server, method, _ string) ([]json.RawMessage, error) {
	s, _ := f.server(server)
	list, has := s.Lists[method]
	if !has {
		return nil, errors.New("the server lists nothing")
	}
	var raw []json.RawMessage
	for _, one := range list {
		var entry struct{ Name string }
		if err := json.Unmarshal([]byte(one), &entry); err != nil {
			return nil, err
		}
		if !slices.Contains(s.Withheld, entry.Name) {
			raw = append(raw, json.RawMessage(one))
		}
	}
	return raw, nil
}

// PromptAllowed implements [gateway.Servers].
func (f *fakeEngine) PromptAllowed(_ context.Context, server, name string) error {
	if s, _ := f.server(server); slices.Contains(s.Withheld, name) {
		return failure.New(protocol.KindOutOfScope, "Approve it.", "the prompt %q waits for your approval", name).OfServer(server)
	}
	return nil
}

// PromptsTold implements [gateway.Servers].
func (f *fakeEngine) PromptsTold(server string) string {
	s, _ := f.server(server)
	told, _ := json.Marshal(s.Withheld) // always encodes
	return string(told)
}

// Request implements [gateway.Servers].
func (f *fakeEngine) Request(ctx context.Context, r upstream.Request) (json.RawMessage, error) {
	f.mu.Lock()
	f.requests = append(f.requests, r)
	f.mu.Unlock()
	return f.request(ctx, r)
}

// asked returns the requests of a method that servers got, `server params` each,
// with the members in alphabetical order.
func (f *fakeEngine) asked(method string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var asked []string
	for _, r := range f.requests {
		if r.Method != method {
			continue
		}
		var params any
		_ = json.Unmarshal(r.Params, &params) // what is none is shown as null
		sorted, _ := json.Marshal(params)     // what was decoded encodes
		asked = append(asked, r.Server+" "+string(sorted))
	}
	return asked
}

// Subscribe implements [gateway.Servers].
func (f *fakeEngine) Subscribe(_ context.Context, server, _ string, session any) error {
	if _, there := f.server(server); !there {
		return &upstream.UnknownServerError{Server: server}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subscribers = append(f.subscribers, session)
	return nil
}

// Unsubscribe implements [gateway.Servers].
func (f *fakeEngine) Unsubscribe(_ context.Context, _, _ string, session any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subscribers = slices.DeleteFunc(f.subscribers, func(one any) bool { return one == session })
	return nil
}

// Listen implements [gateway.Servers].
func (f *fakeEngine) Listen(listener func(upstream.Announcement)) (stop func()) {
	key := new(int)
	f.listeners.Store(key, listener)
	return func() { f.listeners.Delete(key) }
}

// Life implements [gateway.Workspace].
func (f *fakeEngine) Life() context.Context { return f.life }

// Changes implements [gateway.Workspace].
func (f *fakeEngine) Changes() <-chan struct{} { return f.changed.Wait() }

// Settings implements [gateway.Workspace].
func (f *fakeEngine) Settings() *protocol.Settings {
	now := f.now()
	return &now.settings
}

// Folders implements [gateway.Workspace].
func (f *fakeEngine) Folders() []workspace.Folder { return f.now().folders }

// Configures implements [gateway.Workspace].
func (f *fakeEngine) Configures(server string) bool {
	_, there := f.server(server)
	return there
}

// ShowMessage implements [gateway.Workspace].
func (f *fakeEngine) ShowMessage(m protocol.ShowMessageParams) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shown = append(f.shown, m)
}

// newFace returns a face of a fake engine. It is to be closed.
func newFace(f *fakeEngine) *gateway.Face {
	return gateway.New(f, gateway.Options{
		Version: "test", Program: func() string { return "winnowd" }, Log: slog.New(slog.DiscardHandler), Environ: os.LookupEnv,
	})
}

// faceOf serves clients on a fake engine until the end of the test.
func faceOf(t testing.TB, f *fakeEngine) *gateway.Face {
	face := newFace(f)
	t.Cleanup(func() {
		if err := face.Close(); err != nil {
			t.Errorf("the face ends with %v", err)
		}
	})
	return face
}

// join connects a client of that name over streams. One that is plain supports
// nothing that can be asked.
func join(t testing.TB, face *gateway.Face, name string, plain bool) *gatewaytest.Person {
	t.Helper()
	return gatewaytest.Join(t, streams(t, face), name, plain)
}

// streams is the transport of a client over streams.
func streams(t testing.TB, face *gateway.Face) transport.Interface {
	t.Helper()
	fromClient, toFace := io.Pipe()
	fromFace, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := face.ServePipe(context.WithoutCancel(t.Context()), fromClient, toClient)
		_ = toClient.Close() // of a pipe never fails
		ended <- err
	}()
	t.Cleanup(func() {
		_ = toFace.Close() // of a pipe never fails
		if err := <-ended; err != nil {
			t.Errorf("the session ends with %v", err)
		}
	})
	return transport.NewIO(fromFace, toFace, nil)
}

// answerTo returns what is answered to one request of a client with a session,
// as it is on the wire.
func answerTo(t testing.TB, face *gateway.Face, method, params string) string {
	t.Helper()
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"hand","version":"1"}}}`
	return written(t, face, 2, hello, `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":%q,"params":%s}`, method, params))
}

// written writes all lines at once, and returns the answer to the one of an id.
func written(t testing.TB, face *gateway.Face, id int, lines ...string) string {
	t.Helper()
	var out strings.Builder
	if err := face.ServePipe(t.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var answer struct{ ID int }
		if json.Unmarshal([]byte(line), &answer) == nil && answer.ID == id {
			return line
		}
	}
	t.Fatalf("no answer in %s", out.String())
	return ""
}

// notified returns the methods of the notifications that a client has got since
// it was asked last, when nothing is under way any more.
func notified(p *gatewaytest.Person) []string {
	synctest.Wait()
	var methods []string
	for len(p.Told) > 0 {
		methods = append(methods, (<-p.Told).Method)
	}
	return methods
}

// listChanged is told of a list of tools that has changed.
const listChanged = mcp.MethodNotificationToolsListChanged
