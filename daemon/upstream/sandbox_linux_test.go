package upstream

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/process"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// needsSandbox skips a test where this machine has no sandbox.
func needsSandbox(t *testing.T) {
	t.Helper()
	if _, err := (&process.Sandboxes{}).Command(t.Context(), &exec.Cmd{Path: "/bin/true", Args: []string{"true"}}, &protocol.SandboxEntry{}); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
}

// inSandbox runs a scripted server in a sandbox, in a folder and with a home of
// its own, and returns what a tool answers.
func inSandbox(t *testing.T, home, folder string, s *protocol.SandboxEntry) func(tool, arguments string) string {
	t.Helper()
	m := newTestManager(t, Options{})
	cfg := scriptedConfig(t, "s", upstreamtest.Script{})
	cfg.Env["HOME"], cfg.Cwd, cfg.Sandbox = home, folder, s
	apply(t, m, cfg)
	waitState(t, m, "s", Ready)
	return func(tool, arguments string) string { return firstText(t, call(t, m, "s", tool, arguments)) }
}

// TestSandbox: a server in a sandbox has its folder, what its entry gives it,
// and nothing else of the user's.
func TestSandbox(t *testing.T) {
	t.Parallel()
	needsSandbox(t)
	world := t.TempDir()
	home, folder, extra, writable := filepath.Join(world, "home"), filepath.Join(world, "home", "project"), filepath.Join(world, "extra"), filepath.Join(world, "home", "notes")
	for _, dir := range []string{home, folder, extra, writable} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "file"), []byte("of "+filepath.Base(dir)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	read := func(dir string) [2]string {
		return [2]string{"read", fmt.Sprintf(`{"path":%q}`, filepath.Join(dir, "file"))}
	}
	write := func(dir string) [2]string {
		return [2]string{"write", fmt.Sprintf(`{"path":%q}`, filepath.Join(dir, "new"))}
	}
	dial := [2]string{"dial", fmt.Sprintf(`{"address":%q}`, listener.Addr())}
	hostname, err := os.ReadFile("/etc/hostname")
	if err != nil {
		t.Skipf("NOT TESTED: this machine has no /etc/hostname: %v", err)
	}
	const failed = "failed: "
	for _, tt := range []struct {
		name    string
		sandbox *protocol.SandboxEntry
		want    map[[2]string]string // what is in the answer
	}{
		{"none", nil, map[[2]string]string{
			read(home): "of home", read(extra): "of extra", write(folder): "done", dial: "done",
		}},
		{"true", &protocol.SandboxEntry{}, map[[2]string]string{
			read(folder): "of project", write(folder): failed, read(home): failed, write(home): "done", read(extra): failed, dial: failed,
			{"read", `{"path":"/proc/1/environ"}`}: "HOME=" + home, // the sandbox's own first process
			{"read", `{"path":"/etc/hostname"}`}:   string(hostname), {"write", `{"path":"/etc/new"}`}: failed, {"write", `{"path":"/tmp/new"}`}: "done",
		}},
		{"paths", &protocol.SandboxEntry{Read: []string{extra}, Write: []string{writable}}, map[[2]string]string{
			read(extra): "of extra", write(extra): failed, read(writable): "of notes", write(writable): "done", read(home): failed, dial: failed,
		}},
		{"network", &protocol.SandboxEntry{Network: true}, map[[2]string]string{dial: "done", read(home): failed}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			try := inSandbox(t, home, folder, tt.sandbox)
			for what, want := range tt.want {
				if got := try(what[0], what[1]); !strings.Contains(got, want) {
					t.Errorf("%s %s: got %q, want %q", what[0], what[1], got, want)
				}
			}
		})
	}
	if data, err := os.ReadFile(filepath.Join(writable, "new")); err != nil || string(data) != "written" {
		t.Errorf("what was written is %q, %v", data, err)
	}
	if _, err := os.Stat(filepath.Join(home, "new")); err == nil {
		t.Error("what a server writes into its empty home is in the user's")
	}
}

// TestSandbox_processesOfAServer: a server of another user's than root starts no
// more processes than it may.
func TestSandbox_processesOfAServer(t *testing.T) {
	t.Parallel()
	needsSandbox(t)
	if os.Geteuid() == 0 {
		t.Skip("root has no such limit")
	}
	dir := t.TempDir()
	try := inSandbox(t, dir, dir, &protocol.SandboxEntry{Processes: 100})
	if got := try("spawn", `{"count":2}`); got != "done" {
		t.Errorf("2 of 100: %s", got)
	}
	if got := try("spawn", `{"count":200}`); !strings.HasPrefix(got, "failed") {
		t.Errorf("200 of 100: %s", got)
	}
}

// TestSandbox_refused: where there can be no sandbox the server does not start,
// and the user reads what to do.
func TestSandbox_refused(t *testing.T) {
	dir := t.TempDir()
	refuses := filepath.Join(dir, "refuses")
	if err := os.MkdirAll(refuses, 0o700); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(dir, "open")
	if err := os.MkdirAll(open, 0o700); err != nil {
		t.Fatal(err)
	}
	for folder, program := range map[string]string{
		refuses: "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n",
		open:    "#!/bin/sh\nPATH=/usr/bin:/bin\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, "bwrap"), []byte(program), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ name, path, want, next string }{
		{"no bwrap", dir, "needs bubblewrap", "Install the package bubblewrap"},
		{"not allowed", refuses, "setting up uid map", "user namespaces"},
		{"does not hold", open, "in it", "take \"sandbox\" out"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var sys syscall.Statfs_t
			if err := syscall.Statfs("/proc/sys", &sys); err != nil {
				t.Fatal(err)
			}
			if tt.path == open && os.Geteuid() != 0 && sys.Flags&syscall.MS_RDONLY != 0 {
				t.Skip("this machine is itself like a sandbox that holds")
			}
			t.Setenv("PATH", tt.path)
			m := newTestManager(t, Options{})
			pids := filepath.Join(t.TempDir(), "pids")
			cfg := scriptedConfig(t, "s", upstreamtest.Script{PIDFile: pids})
			cfg.Sandbox = &protocol.SandboxEntry{}
			apply(t, m, cfg)
			got := waitState(t, m, "s", Failed)
			if text := got.Status.Error + " " + got.Status.Next; !strings.Contains(text, tt.want) || !strings.Contains(text, tt.next) {
				t.Errorf("got %q, want %q and %q in it", text, tt.want, tt.next)
			}
			if _, err := os.Stat(pids); err == nil {
				t.Error("the server has run")
			}
		})
	}
}
