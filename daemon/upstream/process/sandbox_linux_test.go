package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
	"github.com/winnow-mcp/winnow/protocol"
)

// needsSandbox skips a test where this machine has no sandbox.
func needsSandbox(t *testing.T) {
	t.Helper()
	if _, err := (&Sandboxes{}).Command(t.Context(), &exec.Cmd{Path: "/bin/true", Args: []string{"true"}}, &protocol.SandboxEntry{}); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
}

// TestSandbox_programAtHome: a program that lies beside what is hidden is there
// alone.
func TestSandbox_programAtHome(t *testing.T) { // not parallel: another's child would keep the program open
	needsSandbox(t)
	world := t.TempDir()
	home, elsewhere := filepath.Join(world, "home"), filepath.Join(world, "bin")
	for _, dir := range []string{home, elsewhere} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(home, "server.sh")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho here: $0\nls -d "+home+"/* "+elsewhere+"/*\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "secret"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link, folder := filepath.Join(elsewhere, "server"), filepath.Join(world, "link")
	if err := errors.Join(os.Symlink(program, link), os.Symlink(home, folder)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{program, link, filepath.Join(folder, "server.sh")} {
		for _, dir := range []string{"", home, folder} {
			cmd, err := (&Sandboxes{}).Command(t.Context(), &exec.Cmd{Path: path, Args: []string{path}, Dir: dir, Env: []string{"PATH=/usr/bin:/bin", "HOME=" + home}}, &protocol.SandboxEntry{})
			if err != nil {
				t.Fatal(err)
			}
			said, _ := cmd.CombinedOutput() // ls fails where one of the folders is empty
			if !strings.Contains(string(said), "here: "+path) || strings.Contains(string(said), "secret") {
				t.Errorf("%s in %q: it says %s", path, dir, said)
			}
		}
	}
}

// TestSandbox_memory: a process that fills more than it may does not go on. It
// is tail, which keeps a line that has no end; a race detector's own memory is
// beyond any limit.
func TestSandbox_memory(t *testing.T) {
	t.Parallel()
	needsSandbox(t)
	for size, goesOn := range map[int]bool{16 << 20: true, 400 << 20: false} {
		line := fmt.Sprintf("head -c %d /dev/zero | tail -n 1 | wc -c", size)
		cmd, err := (&Sandboxes{}).Command(t.Context(), &exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", line}, Env: []string{"PATH=/usr/bin:/bin"}}, &protocol.SandboxEntry{MemoryMB: 100})
		if err != nil {
			t.Fatal(err)
		}
		said, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(said), strconv.Itoa(size)) != goesOn {
			t.Errorf("%d bytes of 100 MB: %s, %v", size, said, err)
		}
	}
}

// TestSandbox_processes: beyond their number there is no other process; those
// outside do not count. Root has no such limit, and is told so.
func TestSandbox_processes(t *testing.T) {
	t.Parallel()
	needsSandbox(t)
	s := &protocol.SandboxEntry{Processes: 100}
	if os.Geteuid() != 0 {
		t.Skip("it is root that is told; for others see TestSandbox_processesOfAServer")
	}
	if _, err := limitArgs(s); err == nil || !strings.Contains(err.Error(), "root") {
		t.Errorf("root: %v", err)
	}
	// As somebody else it holds, while ten of theirs run outside.
	args, err := sandboxArgs(&exec.Cmd{Path: "/bin/sh"}, s)
	if err != nil {
		t.Fatal(err)
	}
	args = append(args, "--", "prlimit", "--nproc=6", "--", "sh", "-c", "sleep 1 & echo one; for i in 1 2 3 4 5 6 7 8; do sleep 1 & done; wait")
	outer := exec.Command("sh", append([]string{"-c", `for i in 1 2 3 4 5 6 7 8 9 10; do sleep 5 >/dev/null 2>&1 & done; "$@"`, "sh", "bwrap"}, args...)...)
	outer.Dir = "/"
	outer.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 54321, Gid: 54321}}
	said, err := outer.CombinedOutput()
	if strings.Contains(string(said), "bwrap:") {
		t.Skipf("NOT TESTED: another user has no sandbox here: %s", said)
	}
	if err == nil || !strings.Contains(string(said), "one\n") {
		t.Errorf("nine of six: %v\n%s", err, said)
	}
}

// TestSandbox_root: a program of root's in a sandbox, and one of another user's,
// has no capability, sets nothing of the kernel, and reads of the system what any
// user may read; what it may write, it writes.
func TestSandbox_root(t *testing.T) {
	t.Parallel()
	needsSandbox(t)
	users := []int{os.Geteuid()}
	if os.Geteuid() == 0 {
		users = append(users, 54321)
	}
	for _, user := range users {
		t.Run(strconv.Itoa(user), func(t *testing.T) {
			dir, err := os.MkdirTemp("/var/tmp", "winnow")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			if err := os.Chown(dir, user, user); err != nil {
				t.Fatal(err)
			}
			const script = `cat /proc/self/status; find /proc -path '/proc/[0-9]*' -prune -o -path '/proc/*self' -prune -o -type f -writable -print
cat /etc/shadow /etc/gshadow /etc/shadow- /etc/ssh/ssh_host_*_key; ls /etc/ssl/private
cat /proc/sys/vm/swappiness >/proc/sys/vm/swappiness && echo WROTE; echo written >` + "$0/new"
			args, err := sandboxArgs(&exec.Cmd{Path: "/bin/sh"}, &protocol.SandboxEntry{Write: []string{dir}})
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("bwrap", append(args, "--", "/bin/sh", "-c", script, dir)...)
			cmd.Dir = "/"
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user), NoSetGroups: os.Geteuid() != 0}}
			var complaints strings.Builder
			cmd.Stderr = &complaints
			said, err := cmd.Output()
			if strings.Contains(complaints.String(), "bwrap:") && user != os.Geteuid() {
				t.Skipf("NOT TESTED: another user has no sandbox here: %s", complaints.String())
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, complaints.String())
			}
			rest := ""
			for line := range strings.Lines(string(said)) {
				name, value, of := strings.Cut(line, ":\t")
				switch {
				case !of:
					rest += line
				case strings.HasPrefix(name, "Cap") && strings.Trim(value, "0\n") != "":
					t.Errorf("it has capabilities: %s", line)
				}
			}
			// What any user may write in /proc needs a capability to take effect.
			for line := range strings.Lines(rest) {
				info, err := os.Stat(strings.TrimSpace(line))
				if err != nil || info.Mode()&0o002 == 0 {
					t.Errorf("it read or can write %s", line)
				}
			}
			if got, err := os.ReadFile(filepath.Join(dir, "new")); string(got) != "written\n" {
				t.Errorf("it wrote %q, %v", got, err)
			}
		})
	}
}

// TestSandbox_resolver: with network a sandbox has the file that names the name
// servers, wherever the system keeps it.
func TestSandbox_resolver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	elsewhere, link, dangling := filepath.Join(dir, "resolv.conf"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	if err := errors.Join(os.WriteFile(elsewhere, nil, 0o600), os.Symlink(elsewhere, link), os.Symlink(filepath.Join(dir, "none"), dangling)); err != nil {
		t.Fatal(err)
	}
	for config, want := range map[string]string{link: elsewhere, "/etc/hosts": "", dangling: ""} {
		if got := strings.Join(bound(resolverArgs(config)), " "); got != want {
			t.Errorf("%s: %q is bound, want %q", config, got, want)
		}
	}
}

// bound returns what arguments of bwrap give to read beside the system.
func bound(args []string) []string {
	var paths []string
	for i, arg := range args {
		if arg == "--ro-bind" && args[i+1] != os.DevNull {
			paths = append(paths, args[i+1])
		}
	}
	return paths
}

// TestSandboxArgs: what is bound, and that a path which is not there is named.
func TestSandboxArgs(t *testing.T) {
	t.Parallel()
	cmd := func(dir string) *exec.Cmd {
		return &exec.Cmd{Path: "/usr/bin/true", Dir: dir, Env: []string{"HOME=/home/me"}}
	}
	for dir, bound := range map[string]bool{"/home/me/project": true, "/home/me": false, "/home": false, "/": false, "": false, "/srv": true} {
		args, err := sandboxArgs(cmd(dir), &protocol.SandboxEntry{})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.Index(args, "/home/me")
		if i < 1 || args[i-1] != "--tmpfs" {
			t.Errorf("in %q the home is not an empty folder: %q", dir, args)
		}
		if got := slices.Contains(args[i+1:len(args)-2], dir); got != bound {
			t.Errorf("the folder %q is bound: %v, want %v", dir, got, bound)
		}
	}
	for _, tt := range []struct{ program, home, want string }{
		{"/home/me/server.sh", "/home/me", "/home/me/server.sh"}, {"/home/server.sh", "/home/me", "/home/server.sh"},
		{"/home/me/bin/server.sh", "/home/me", "/home/me/bin"}, {"/server.sh", "/home/me", "/server.sh"}, {"/server.sh", "", "/server.sh"},
		{"/srv/server.sh", "/", "/srv"}, {"/home/me/server.sh", "/home/me/own/home", "/home/me/server.sh"},
	} {
		args, err := sandboxArgs(&exec.Cmd{Path: tt.program, Env: []string{"HOME=" + tt.home}}, &protocol.SandboxEntry{})
		if err != nil {
			t.Fatal(err)
		}
		if got := bound(args); !slices.Equal(got, []string{tt.want}) {
			t.Errorf("%s with the home %q: %q is bound, want %q", tt.program, tt.home, got, tt.want)
		}
	}
	homeless, err := sandboxArgs(&exec.Cmd{Path: "/usr/bin/true"}, &protocol.SandboxEntry{})
	if err != nil || slices.Contains(homeless[:len(homeless)-2], "/") {
		t.Errorf("without a home: %q, %v", homeless, err)
	}
	for path, want := range map[string]string{"/no/such/folder": "/no/such/folder: no such file", "testdata": "testdata is no absolute path"} {
		_, err = sandboxArgs(cmd("/"), &protocol.SandboxEntry{Write: []string{path}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
	if limits, err := limitArgs(&protocol.SandboxEntry{}); limits != nil || err != nil {
		t.Errorf("no limits: %q, %v", limits, err)
	}
}

// TestSandbox_probe: that a sandbox can be made is tried once, and an attempt
// that ends meanwhile says nothing of the machine.
func TestSandbox_probe(t *testing.T) { // not parallel: another's child would keep the program open
	dir := t.TempDir()
	tries, bwrap := filepath.Join(dir, "tries"), filepath.Join(dir, "bwrap")
	if err := os.WriteFile(bwrap, []byte("#!/bin/sh\necho >>"+tries+"\necho CapEff: 0\necho 2 1 0:1 / /proc/sys ro,nosuid - proc proc rw\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	b := &Sandboxes{}
	ended, end := context.WithCancelCause(t.Context())
	gone := errors.New("the attempt is over")
	end(gone)
	if err := b.probe(ended, bwrap); !errors.Is(err, gone) || fault.Permanent(err) {
		t.Errorf("after the end of the attempt: got %v, want %v", err, gone)
	}
	for range 2 {
		if err := b.probe(t.Context(), bwrap); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(tries); string(got) != "\n" {
		t.Errorf("it was tried %d times (%v), want once", len(got), err)
	}
}
