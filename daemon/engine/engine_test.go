package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/hosttest"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// open opens an engine on a workspace whose winnow.json is config. Nothing is
// started in it.
func open(t testing.TB, h host.Host, config string) *engine.Engine {
	t.Helper()
	workspace := t.TempDir()
	if err := os.Mkdir(filepath.Join(workspace, ".vscode"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(workspace, ".vscode", "winnow.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	uri := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(workspace), "/")}
	e := engine.Open(engine.Options{Version: "test"}, h, &protocol.InitializeParams{
		WorkspaceFolders: []protocol.WorkspaceFolder{{URI: uri.String()}}, Trusted: true,
		HomeDir: t.TempDir(), UserConfigDir: t.TempDir(), StoragePath: t.TempDir(),
	})
	t.Cleanup(func() {
		if err := e.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return e
}

// recorder is a host that remembers what it is told.
type recorder struct {
	host.None
	mu       sync.Mutex
	messages []protocol.ShowMessageParams
	changes  []protocol.CatalogDidChangeParams
}

func (r *recorder) ShowMessage(p protocol.ShowMessageParams) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages = append(r.messages, p)
}

func (r *recorder) CatalogDidChange(p protocol.CatalogDidChangeParams) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes = append(r.changes, p)
}

// handOver gives the engine n tools of a host, source "host".
func handOver(t testing.TB, e *engine.Engine, n int) {
	t.Helper()
	tools := make([]protocol.HostTool, n)
	for i := range tools {
		tools[i] = protocol.HostTool{
			Server: "things", Name: fmt.Sprintf("thing_%d", i), Description: fmt.Sprintf("Does the thing number %d.", i),
			InputSchema: json.RawMessage(`{"type":"object"}`),
		}
	}
	tools[0].Name, tools[0].Description = "mail_send", "Send an e-mail to somebody."
	if result, err := e.HostTools.Set(&protocol.SetHostToolsParams{Source: "host", Tools: tools}); err != nil || result.Count != n {
		t.Fatalf("got %+v, %v, want %d tools", result, err, n)
	}
}

// done does the work of a request.
func done[R any](t testing.TB, work tasks.Work[R], err error) R {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	result, err := work()
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestEngine_task: a task from its first message to its end, without any wire.
func TestEngine_task(t *testing.T) {
	t.Parallel()
	e := open(t, host.None{}, `{}`)
	handOver(t, e, 100)
	work, err := e.Turns.Open(t.Context(), &protocol.TaskOpenParams{Message: "send an e-mail", Source: "host", WantState: true})
	a := done(t, work, err)
	if a.Mode != protocol.AttachDynamic || a.Turn != 1 || a.State == nil || len(a.Tools) == 0 || len(a.Tools) == 100 {
		t.Fatalf("got mode %s, turn %d, %d tools, state %v; want some of 100 tools, and a state", a.Mode, a.Turn, len(a.Tools), a.State)
	}
	call, err := e.Calls.Task(t.Context(), &protocol.TaskCallParams{Task: a.Task, Name: "mail_send"}, nil)
	if answer := done(t, call, err); answer.Host == nil || answer.Host.Name != "mail_send" {
		t.Errorf("got %+v, want a call that is the host's to make", answer)
	}
	if list, err := e.Inspector.List(); err != nil || len(list.Tasks) != 1 || list.Tasks[0].Task != a.Task {
		t.Errorf("got %+v, %v, want the task %s", list, err, a.Task)
	}
	if err := e.Turns.Close(a.Task); err != nil {
		t.Error(err)
	}
	_, err = e.Tasks.Get(principal.Local, a.Task)
	if data := engine.Describe(t.Context(), err); data.Kind != protocol.KindUnknownTask || data.Next == "" {
		t.Errorf("a closed task: got %v, %+v, want %s with a next step", err, data, protocol.KindUnknownTask)
	}
}

// TestEngine_order: what comes first takes effect first, also when its work is
// done later.
func TestEngine_order(t *testing.T) {
	t.Parallel()
	e := open(t, host.None{}, `{}`)
	handOver(t, e, 100)
	opened, err := e.Turns.Open(t.Context(), &protocol.TaskOpenParams{Message: "do the thing", Source: "host"})
	if err != nil {
		t.Fatal(err)
	}
	routed, err := e.Requests.Route(t.Context(), &protocol.ConversationRouteParams{
		Conversation: "chat", Source: "host", Message: "send an e-mail",
		Messages: []protocol.MessageDigest{{Role: "user", Digest: "u1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	second, err := e.Requests.Route(t.Context(), &protocol.ConversationRouteParams{
		Conversation: "chat", Source: "host", Message: "and again",
		Messages: []protocol.MessageDigest{{Role: "user", Digest: "u1"}, {Role: "assistant", Digest: "a1"}, {Role: "user", Digest: "u2"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	turns := make(chan int, 1)
	go func() {
		r, err := second()
		if err != nil {
			t.Error(err)
		}
		turns <- r.Attachment.Turn
	}()
	done(t, opened, nil)
	if first := done(t, routed, nil); first.Attachment.Turn != 1 {
		t.Errorf("the first request: got turn %d, want 1", first.Attachment.Turn)
	}
	if got := <-turns; got != 2 {
		t.Errorf("the second request: got turn %d, want 2", got)
	}
}

// TestEngine_tellsItsHost: a setting that cannot be used is told, changes
// nothing, and the catalogue's changes are told by source.
func TestEngine_tellsItsHost(t *testing.T) {
	t.Parallel()
	h := &recorder{}
	e := open(t, h, `{}`)
	before := e.Settings.Load()
	e.ChangeSettings(&protocol.DidChangeSettingsParams{Settings: json.RawMessage(`{"serchTurns":3}`)})
	if e.Settings.Load() != before {
		t.Error("an unknown setting made other settings")
	}
	handOver(t, e, 2)
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.messages) != 1 || h.messages[0].Setting != "winnow.serchTurns" || h.messages[0].Next == "" {
		t.Errorf("told %+v, want the setting winnow.serchTurns and a next step", h.messages)
	}
	if !slices.ContainsFunc(h.changes, func(p protocol.CatalogDidChangeParams) bool {
		return p.Source == "host" && slices.Equal(p.Servers, []string{"things"})
	}) {
		t.Errorf("told of %+v, want the server things of the source host", h.changes)
	}
}

// TestEngine_hostServers: a rule about a server that a host hands over later is a
// fault until then, and no longer.
func TestEngine_hostServers(t *testing.T) {
	t.Parallel()
	e := open(t, host.None{}, `{"modes":{"few":{"allowedMcpServers":["things"]}}}`)
	e.Start()
	await := func(want int) {
		t.Helper()
		for {
			changed := e.Changes.Wait()
			list, err := e.Catalog.List(&protocol.CatalogListParams{})
			if err == nil && len(list.Faults) == want {
				return
			}
			select {
			case <-changed:
			case <-time.After(time.Minute):
				t.Fatalf("the faults are %+v (%v), want %d", list.Faults, err, want)
			}
		}
	}
	await(1)
	handOver(t, e, 2)
	await(0)
}

// TestEngine_edits: an edit is in force when it returns, and can be undone.
func TestEngine_edits(t *testing.T) {
	t.Parallel()
	e := open(t, host.None{}, "{\n  // kept\n  \"servers\": {\"notes\": {\"command\": \"notes-server\"}}\n}\n")
	disabled := func() bool { return e.Workspace.Configuration().ToolPolicy("notes").Disabled }
	made, err := e.Edits.SetServerEnabled(t.Context(), "notes", false)
	if err != nil || !made.Changed || !disabled() {
		t.Errorf("got %+v, %v and disabled %t, want a change that is in force", made, err, disabled())
	}
	text, err := os.ReadFile(made.File)
	if err != nil || !strings.Contains(string(text), "// kept") {
		t.Errorf("got %q, %v, want the comment kept", text, err)
	}
	if undone, err := e.Edits.Undo(t.Context(), made.Edit); err != nil || !undone.Changed || disabled() {
		t.Errorf("got %+v, %v and disabled %t, want it taken back", undone, err, disabled())
	}
}

// TestEngine_settingsOfFiles: Winnow's own files may hold settings, the
// workspace's once it is trusted; they, and the file of -settings, are followed,
// and one that is broken changes nothing.
func TestEngine_settingsOfFiles(t *testing.T) {
	t.Parallel()
	workspace, user := t.TempDir(), t.TempDir()
	given := filepath.Join(t.TempDir(), "settings.json")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	own, project := filepath.Join(user, "winnow.json"), filepath.Join(workspace, ".vscode", "winnow.json")
	write(own, `{"settings":{"initialK":21,"searchK":22,"lock":"enforce"}}`)
	write(project, "{\n// a comment\n\"settings\":{\n\"threshold\":11,\n\"initialK\":12,\n\"lock\":\"warn\"}}")
	write(given, `{"searchK":31}`)
	h := &recorder{}
	uri := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(workspace), "/")}
	e := engine.Open(engine.Options{Version: "test"}, h, &protocol.InitializeParams{
		WorkspaceFolders: []protocol.WorkspaceFolder{{URI: uri.String()}},
		HomeDir:          t.TempDir(), UserConfigDir: user, StoragePath: t.TempDir(), SettingsFile: given, Settings: json.RawMessage(`{"searchK":31}`),
	})
	t.Cleanup(func() {
		if err := e.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	e.Start()
	want := func(threshold, initialK, searchK int) {
		t.Helper()
		deadline := time.Now().Add(hosttest.Patience)
		for {
			s := e.Settings.Load()
			if s.Threshold == threshold && s.InitialK == initialK && s.SearchK == searchK && s.Lock == protocol.LockEnforce {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("in force are %d, %d, %d and %s", s.Threshold, s.InitialK, s.SearchK, s.Lock)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	defaults := protocol.DefaultSettings()
	want(defaults.Threshold, 21, 31)
	e.GrantTrust()
	want(11, 12, 31)
	write(given, `{"searchK":32}`)
	want(11, 12, 32)
	write(given, `{"searchK":`)
	write(project, `{"settings":{"threshold":13}}`)
	want(13, 21, 32)
	write(given, `{}`)
	want(13, 21, 22)
	h.mu.Lock()
	defer h.mu.Unlock()
	conflict, broken := false, false
	for _, m := range h.messages {
		conflict = conflict || m.Setting == "winnow.lock" && m.File == project && m.Line == 6
		broken = broken || m.File == given && m.Line == 1 && m.Next != ""
	}
	if !conflict || !broken {
		t.Errorf("told are %+v", h.messages)
	}
}
