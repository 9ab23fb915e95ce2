package terminal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/faces/terminal"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

func TestMain(m *testing.M) {
	upstreamtest.Main()
	goleak.VerifyTestMain(m)
}

// notes are a server's tools of which one may write.
var notes = []string{
	`{"name":"echo","description":"Returns a note.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`,
	`{"name":"bare","description":"Deletes a note.","inputSchema":{"type":"object"}}`,
	`{"name":"fail","description":"Fails by its own account.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`,
}

// options returns what the commands work on: a workspace with a server of
// notes, one that cannot start and one that is switched off, and what is
// written.
func options(t *testing.T) (*terminal.Options, *bytes.Buffer) {
	t.Helper()
	command, args, env := upstreamtest.Program(t, upstreamtest.Script{Tools: notes})
	config, err := json.Marshal(map[string]any{"servers": map[string]any{
		"notes":  map[string]any{"command": command, "args": args, "env": env},
		"broken": map[string]any{"command": "no-such-program"},
		"off":    map[string]any{"command": "no-such-program", "disabled": true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	workspace := t.TempDir()
	if err := os.Mkdir(filepath.Join(workspace, ".vscode"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(workspace, ".vscode", "winnow.json"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	uri := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(workspace), "/")}
	out := &bytes.Buffer{}
	return &terminal.Options{
		Initialize: protocol.InitializeParams{
			WorkspaceFolders: []protocol.WorkspaceFolder{{URI: uri.String()}}, Trusted: true,
			HomeDir: t.TempDir(), UserConfigDir: t.TempDir(), StoragePath: t.TempDir(),
		},
		Timeout: time.Minute, ShutdownTime: time.Minute, Log: slog.New(slog.DiscardHandler), Out: out,
		Confirm: func(c terminal.Confirmation) error {
			if c.SaysItReads {
				return nil
			}
			return errors.New("not confirmed: " + c.Call)
		},
		Running: func() (bool, error) { return false, nil },
	}, out
}

// eo are an engine's options with the environment that servers need.
var eo = engine.Options{Version: "test", Environ: os.LookupEnv}

// holds fails unless a text holds each of some others.
func holds(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("got %q, want %q in it", got, w)
		}
	}
}

func TestServers(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	o.Start = true
	if err := terminal.Servers(t.Context(), eo, o, "", true); err != nil {
		t.Fatal(err)
	}
	holds(t, out.String(), "notes   ready     3", "broken  failed", "off     disabled", "  echo", `broken: "no-such-program"`, "winnowd doctor says what to do")
}

func TestServers_json(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	o.JSON, o.Start = true, true
	if err := terminal.Servers(t.Context(), eo, o, "notes", true); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Servers []protocol.ServerInfo
		Tools   []protocol.ToolInfo
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Servers) != 1 || got.Servers[0].State != protocol.ServerReady || len(got.Tools) != 3 {
		t.Fatalf("got %+v, want the server notes and its 3 tools", got)
	}
	if s := got.Servers[0]; s.PID == 0 || s.Memory < 1<<20 || s.MemoryAt < s.RunsSince {
		t.Errorf("got %+v, want its process and the memory that it holds", s)
	}
}

func TestWhy(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	o.Initialize.Settings, o.Start = json.RawMessage(`{"threshold":1,"initialK":1}`), true
	if err := terminal.Why(t.Context(), eo, o, "delete my note", ""); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	holds(t, got, "1 of 3 tools attached", "bare  notes", "Not considered: broken (failed)")
	if strings.Contains(got, "echo") {
		t.Errorf("got %q, want only the attached tool", got)
	}
}

func TestWhy_not(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	o.Initialize.Settings, o.Start = json.RawMessage(`{"threshold":1,"initialK":1}`), true
	if err := terminal.Why(t.Context(), eo, o, "delete my note", "notes/echo"); err != nil {
		t.Fatal(err)
	}
	holds(t, out.String(), "echo", "Others fit better.")
}

// Without -start nothing is started: what is known of earlier runs is shown, and
// what is not is said.
func TestServers_known(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	show := func() string {
		t.Helper()
		out.Reset()
		if err := terminal.Servers(t.Context(), eo, o, "", false); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	holds(t, show(), "notes   configured", "Not known yet: broken, notes.")
	if err := terminal.Call(t.Context(), eo, o, "notes/echo", nil); err != nil {
		t.Fatal(err)
	}
	holds(t, show(), "notes   known       3", "Not known yet: broken.")
	out.Reset()
	for message, first := range map[string]string{"delete my note": "bare  notes", "return my note": "echo  notes"} {
		out.Reset()
		if err := terminal.Why(t.Context(), eo, o, message, ""); err != nil {
			t.Fatal(err)
		}
		holds(t, out.String(), "3 of 3 tools attached", "this is how they rank", "Not known yet: broken.")
		if got := out.String(); strings.Index(got, first) > strings.Index(got, "fail  notes") || strings.Index(got, first) > 2+strings.Index(got, "\n\n") {
			t.Errorf("got %q, want %q first", got, first)
		}
	}
}

// progressed is where progress is written; it makes a file when a server is said to
// start, for which that server waits.
type progressed struct {
	bytes.Buffer
	file string
}

func (p *progressed) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("notes is starting")) {
		if err := os.WriteFile(p.file, nil, 0o600); err != nil {
			return 0, err
		}
	}
	return p.Buffer.Write(b)
}

// While a server takes its time, as with an empty cache of npx, it is said which one
// is waited for, and when it has come.
func TestProgress(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(o *terminal.Options) error{
		"servers": func(o *terminal.Options) error {
			o.Start = true
			return terminal.Servers(t.Context(), eo, o, "", false)
		},
		"call": func(o *terminal.Options) error { return terminal.Call(t.Context(), eo, o, "notes/echo", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, _ := options(t)
			said := &progressed{file: filepath.Join(t.TempDir(), "said")}
			o.Progress = said
			edit(t, o, func(servers map[string]map[string]any) {
				notes := servers["notes"]
				args, _ := notes["args"].([]any)
				wait := []any{"-c", `until [ -e "$0" ]; do sleep .05; done; exec "$@"`, said.file, notes["command"]}
				notes["command"], notes["args"] = "sh", append(wait, args...)
			})
			if err := run(o); err != nil {
				t.Fatal(err)
			}
			holds(t, said.String(), "notes is starting …\n", "notes is ready after ")
		})
	}
}

// edit changes the servers of the file that [options] has written.
func edit(t *testing.T, o *terminal.Options, change func(servers map[string]map[string]any)) {
	t.Helper()
	uri, err := url.Parse(o.Initialize.WorkspaceFolders[0].URI)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(uri.Path, ".vscode", "winnow.json")
	var written struct {
		Servers map[string]map[string]any `json:"servers"`
	}
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &written)
	}
	if err != nil {
		t.Fatal(err)
	}
	change(written.Servers)
	if raw, err = json.Marshal(written); err == nil {
		err = os.WriteFile(file, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A call starts the server of its tool and no other.
func TestCall_alone(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	started := filepath.Join(t.TempDir(), "started")
	edit(t, o, func(servers map[string]map[string]any) {
		servers["other"] = map[string]any{"command": "sh", "args": []string{"-c", "echo > " + started}}
	})
	for _, name := range []string{"notes/echo", "echo"} { // the second as a model is told it, when it is known
		out.Reset()
		if err := terminal.Call(t.Context(), eo, o, name, json.RawMessage(`{"text":"buy milk"}`)); err != nil {
			t.Fatal(err)
		}
		holds(t, out.String(), "buy milk")
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("another server was started")
	}
}

func TestCall(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	if err := terminal.Call(t.Context(), eo, o, "notes/echo", json.RawMessage(`{"text":"buy milk"}`)); err != nil {
		t.Fatal(err)
	}
	holds(t, out.String(), "buy milk")
}

// Arguments from standard input come with white space around them.
func TestCall_space(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	if err := terminal.Call(t.Context(), eo, o, "notes/echo", json.RawMessage("\n  {\"text\":\"buy milk\"}\n")); err != nil {
		t.Fatal(err)
	}
	holds(t, out.String(), "buy milk")
}

// What a terminal would obey is written and not obeyed.
func TestServers_unknown(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	err := terminal.Servers(t.Context(), eo, o, "nope", false)
	if want := `no server is called "nope"; there are "broken", "notes", "off"`; err == nil || err.Error() != want {
		t.Errorf("got %v and %q, want the error %q", err, out, want)
	}
}

func TestCall_refused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ tool, arguments, want string }{
		{"notes/bare", "", "not confirmed: notes/bare {}"},
		{"notes/fail", "", terminal.ErrToolFailed.Error()},
		{"notes/nope", "", `server "notes" has no tool "nope"`},
		{"broken/x", "", `server "broken" is failed`},
		{"nowhere", "", `no tool is called "nowhere"`},
		{"notes/echo", "[1]", "not a JSON object"},
		{"notes/echo", "{", "not a JSON object"},
	} {
		t.Run(tc.tool+tc.arguments, func(t *testing.T) {
			t.Parallel()
			o, _ := options(t)
			err := terminal.Call(t.Context(), eo, o, tc.tool, json.RawMessage(tc.arguments))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	if err := terminal.Doctor(t.Context(), eo, o); !errors.Is(err, terminal.ErrProblems) {
		t.Errorf("got %v, want %v", err, terminal.ErrProblems)
	}
	holds(t, out.String(), "winnow.json  (Winnow, 3 servers)", "notes  ready, 3 tools", "1 problem:",
		`Server "broken" failed: `, "winnow.json:1", "→ Correct its entry")
}

// What a failed server wrote last is told without its secrets: those of its
// entry, however it writes them, and what looks like others.
func TestDoctor_noSecret(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	command, args, env := upstreamtest.Program(t, upstreamtest.Script{
		ExitOn: "initialize", LastWords: `{"key":"entry-\"secret-1"} Authorization: Bearer foreign-secret-2`,
	})
	env["API_KEY"] = `entry-"secret-1`
	config, err := json.Marshal(map[string]any{"servers": map[string]any{"leaky": map[string]any{"command": command, "args": args, "env": env}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(o.Initialize.UserConfigDir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.Initialize.UserConfigDir, "winnow.json"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := terminal.Doctor(t.Context(), eo, o); !errors.Is(err, terminal.ErrProblems) {
		t.Errorf("got %v, want %v", err, terminal.ErrProblems)
	}
	holds(t, out.String(), `Server "leaky" failed`, "Bearer (hidden)")
	for _, secret := range []string{"secret-1", "secret-2"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("got %s, want it without %s", out, secret)
		}
	}
}

// Where there is nothing, it says what to write, and where.
func TestDoctor_nothing(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	o.Initialize.WorkspaceFolders[0].URI = (&url.URL{Scheme: "file", Path: filepath.ToSlash(t.TempDir())}).String()
	if err := terminal.Doctor(t.Context(), eo, o); err != nil {
		t.Error(err)
	}
	holds(t, out.String(), filepath.Join(o.Initialize.UserConfigDir, "winnow.json")+", or .vscode/winnow.json", `{"servers": {"NAME":`, "Nothing is wrong.")
}

// A file that cannot be read is told with its place, and not as one that
// defines nothing.
func TestDoctor_brokenFile(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	uri, err := url.Parse(o.Initialize.WorkspaceFolders[0].URI)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.FromSlash(uri.Path), ".vscode", "winnow.json"), []byte("{\n\"servers\": {"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := terminal.Doctor(t.Context(), eo, o); !errors.Is(err, terminal.ErrProblems) {
		t.Errorf("got %v, want %v", err, terminal.ErrProblems)
	}
	holds(t, out.String(), "(Winnow, 0 servers, 1 problem)", "none; the problems below say why", "winnow.json:2")
}

func TestDoctor_untrusted(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	o.Initialize.Trusted = false
	o.Initialize.Settings = json.RawMessage("{\n  \"threshhold\": 1,\n  \"gateway\": {\n    \"mod\": 1\n  }\n}")
	o.Initialize.SettingsFile = "/etc/settings.json"
	if err := terminal.Doctor(t.Context(), eo, o); !errors.Is(err, terminal.ErrProblems) {
		t.Errorf("got %v, want %v", err, terminal.ErrProblems)
	}
	holds(t, out.String(), "start winnowd with -trust", "threshhold", "/etc/settings.json:2\n", "/etc/settings.json:4\n")
}

// VS Code's own file is looked at too: what is wrong in it keeps its servers from everybody.
func TestDoctor_fileOfVSCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`{"servers": {"a": {"command": "node"}}}`:      {"mcp.json  (VS Code, 1 server)", "VS Code runs these itself"},
		"{\n\"servers\": {\n\"a\": {} \"b\": {}\n}\n}": {"mcp.json  (VS Code, 0 servers, 1 problem)", "mcp.json:3", "→ a comma is probably missing"},
	} {
		o, out := options(t)
		uri, err := url.Parse(o.Initialize.WorkspaceFolders[0].URI)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(filepath.FromSlash(uri.Path), ".vscode", "mcp.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := terminal.Doctor(t.Context(), eo, o); !errors.Is(err, terminal.ErrProblems) { // one server is broken
			t.Errorf("got %v, want %v", err, terminal.ErrProblems)
		}
		holds(t, out.String(), want...)
	}
}

// A setting that nobody knows is told beside the servers.
func TestServers_unknownSetting(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	o.Initialize.Settings = []byte(`{"treshold": 5}`)
	if err := terminal.Servers(t.Context(), eo, o, "", false); err != nil {
		t.Fatal(err)
	}
	holds(t, out.String(), "winnow.treshold", "correct its spelling: threshold")
}

// TestApprovals: what was let run is listed by the next command, and asked about
// again when it was taken back; no server starts for it.
func TestApprovals(t *testing.T) {
	t.Parallel()
	o, out := options(t)
	if err := terminal.Call(t.Context(), eo, o, "notes/echo", nil); err != nil {
		t.Fatal(err)
	}
	asked := 0
	confirm := o.Confirm
	o.Confirm = func(c terminal.Confirmation) error { asked++; return confirm(c) }
	if err := terminal.Call(t.Context(), eo, o, "notes/echo", nil); err != nil || asked != 0 {
		t.Errorf("what was let run is asked about %d times, %v", asked, err)
	}
	idle := *o
	idle.Idle = true
	out.Reset()
	if err := terminal.Approvals(t.Context(), eo, &idle, nil); err != nil {
		t.Fatal(err)
	}
	holds(t, out.String(), "ID ", "notes/echo says that it only reads, and was let run", "notes may start")
	out.Reset()
	elsewhere := idle
	elsewhere.Initialize.StoragePath = t.TempDir()
	if err := terminal.Approvals(t.Context(), eo, &elsewhere, nil); err != nil || strings.Contains(out.String(), "was let run") {
		t.Errorf("in another storage folder: %s, %v", out, err)
	}
	out.Reset()
	idle.JSON = true
	if err := terminal.Approvals(t.Context(), eo, &idle, nil); err != nil {
		t.Fatal(err)
	}
	var got protocol.ApprovalListResult
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(got.Approvals, func(a protocol.Approval) bool { return a.Kind == protocol.ApprovalRan })
	if i < 0 {
		t.Fatalf("%+v", got)
	}
	idle.JSON = false
	if err := terminal.Approvals(t.Context(), eo, &idle, []string{got.Approvals[i].ID}); err != nil {
		t.Fatal(err)
	}
	holds(t, out.String(), "Taken back: notes/echo")
	if err := terminal.Approvals(t.Context(), eo, &idle, []string{got.Approvals[i].ID}); err == nil {
		t.Error("it is taken back twice")
	}
	if err := terminal.Call(t.Context(), eo, o, "notes/echo", nil); err != nil || asked != 1 {
		t.Errorf("what was taken back is asked about %d times, %v", asked, err)
	}
}
