package source_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/check"
	"github.com/winnow-mcp/winnow/daemon/check/source"
	"github.com/winnow-mcp/winnow/protocol"
)

func read(t *testing.T, o source.Options) (check.Offer, error) {
	t.Helper()
	o.Log, o.Timeout, o.Version = slog.New(slog.DiscardHandler), time.Minute, "test"
	return source.Read(t.Context(), &o)
}

// TestRead_npm: a real server is started, asked and ended, and looked at whole.
func TestRead_npm(t *testing.T) {
	t.Parallel()
	const server = "../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js"
	if _, err := os.Stat(server); err != nil {
		t.Skip("no node_modules: npm ci")
	}
	offer, err := read(t, source.Options{Target: []string{"node", server}})
	if err != nil || offer.Name != "everything" || len(offer.Tools) < 10 || offer.Version == "" {
		t.Fatalf("%s %s has %d tools, %v", offer.Name, offer.Version, len(offer.Tools), err)
	}
	r, err := check.Run(&check.Options{Offer: offer})
	if err != nil || r.Messages.From != "bank" || r.Messages.Alone.First*2 < r.Messages.Count || r.Fails(check.Error) {
		t.Errorf("%v: %+v", err, r.Messages)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "Leave $schema out") {
		t.Errorf("%v: %s", err, text.String())
	}
}

// TestRead_environment: a command finds the environment that every server does, with the
// network's variables, and what is given to it, and nothing else of the shell; in a sandbox
// no file of the user's.
func TestRead_environment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command is a script for sh")
	}
	t.Setenv("OF_THE_SHELL", "the shell's")
	t.Setenv("NO_PROXY", "example.org")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const script = `ls "$0" >/dev/null 2>&1 && found="the file"; echo "finds $found, ${#GIVEN}, $NO_PROXY, $OF_THE_SHELL." >&2; exit 3`
	o := source.Options{Target: []string{"sh", "-c", script, file}, Env: map[string]string{"GIVEN": "what is given"}}
	if _, err := read(t, o); err == nil || !strings.Contains(err.Error(), "finds the file, 13, example.org, .") {
		t.Errorf("%v", err)
	}
	o.Sandbox = &protocol.SandboxEntry{}
	_, err := read(t, o)
	if err == nil || strings.Contains(err.Error(), "finds the file") {
		t.Errorf("in a sandbox: %v", err)
	} else if !strings.Contains(err.Error(), "finds , 13, example.org, .") {
		t.Skipf("NOT TESTED: no sandbox here: %v", err)
	}
}

// TestRead_misbehaving: what a server does wrong is told with its cause.
func TestRead_misbehaving(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		target []string
		want   string
	}{
		"no program":    {[]string{"no-such-program-here"}, "no-such-program-here"},
		"ends at once":  {[]string{"sh", "-c", "echo it is broken >&2; exit 3"}, "it is broken"},
		"no such file":  {[]string{filepath.Join(t.TempDir(), "gone.json")}, "gone.json"},
		"nobody serves": {[]string{"http://127.0.0.1:9/mcp"}, "127.0.0.1:9"},
	} {
		if _, err := read(t, source.Options{Target: tt.target}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", name, err, tt.want)
		}
	}
}

// TestRead_capture: a file is read with the lines of its tools, and tells what it is
// where it is none.
func TestRead_capture(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tools.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("{\"tools\": [\n{\"name\": \"a\"},\n{\"name\": \"b\"}]}")
	offer, err := read(t, source.Options{Target: []string{file}})
	if err != nil || offer.Name != "tools" || offer.Places["b"].Line != 3 {
		t.Errorf("%+v, %v", offer, err)
	}
	write("hello")
	if _, err := read(t, source.Options{Target: []string{file}}); err == nil || !strings.Contains(err.Error(), "tools.json") {
		t.Errorf("a text is read: %v", err)
	}
}

// TestRead_name: a server is called as people would.
func TestRead_name(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"npx -y @modelcontextprotocol/server-memory":            "memory",
		"npx -y @acme/mcp-notes@1.2":                            "notes",
		"node /a/node_modules/@acme/notes-server/dist/index.js": "notes",
		"uvx mcp-server-fetch":                                  "fetch",
		"https://mcp.example.org/mcp":                           "mcp.example.org",
		"./server":                                              "server",
	} {
		if got := source.NameOf(strings.Fields(target)); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}
