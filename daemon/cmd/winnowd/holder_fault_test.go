//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// hi is in what echo answers.
const hi = `{\"text\":\"hi\"}`

// sleepy is a server with a tool that sleeps until another one is called.
func sleepy(t *testing.T, received string) configtest.Servers {
	t.Helper()
	return configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{
		Tools: []string{configtest.Tool("echo", "Echoes."), configtest.Tool("sleep", "Sleeps."), configtest.Tool("wake", "Wakes.")}, ReceivedFile: received,
	})}
}

// until waits until something is so that no event tells of.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 1500 {
		if ok() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}

// goneNow reports whether a process has ended.
func goneNow(pid int) bool { return syscall.Kill(pid, 0) != nil }

// newer builds a winnowd of a later version, whose holder speaks another protocol.
func newer(t *testing.T) string {
	t.Helper()
	source, err := filepath.Abs(filepath.Join(base, "daemon", "holder", "wire.go"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	changed := filepath.Join(dir, "wire.go")
	text := configtest.Read(t, source)
	configtest.Write(t, changed, strings.Replace(text, "\nconst revision = 1\n", "\nconst revision = 2\n", 1))
	if configtest.Read(t, changed) == text {
		t.Fatal("the revision is not where it was")
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {source: changed}})
	if err != nil {
		t.Fatal(err)
	}
	configtest.Write(t, filepath.Join(dir, "overlay.json"), string(overlay))
	path := filepath.Join(dir, daemon.Name)
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-ldflags", "-X main.version=99.0.0", "-o", path, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// A newer version takes the place over while a client of the older one has a call
// under way: that one is answered, its client goes on by the process that it has, and
// what the older holder runs ends with its last client. A client of the older version
// that comes later is served all the same.
func TestHolder_versions(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a second winnowd")
	}
	t.Parallel()
	next := newer(t)
	p := newPerson(t)
	arrived := upstreamtest.Listen(t)
	workspace := configtest.WorkspaceWith(t, sleepy(t, arrived.Address()), nil)
	args := []string{"mcp", "-alone", "-trust", "-workspace", workspace}
	older := p.talks(p.command(args...))
	if got := older.call(2, "echo", `{"text":"hi"}`); !strings.Contains(got, hi) {
		t.Fatal(got)
	}
	before := p.shared()
	older.begin(3, "sleep", `{"ms":600000}`)
	arrived.Until("the call", func(text string) bool { return strings.Contains(text, `"sleep"`) })
	c := p.command(args...)
	c.Path = next
	now := p.talks(c)
	if got := now.call(2, "echo", `{"text":"hi"}`); !strings.Contains(got, hi) {
		t.Errorf("the newer version's client got %s", got)
	}
	after := p.shared()
	if len(before) != 1 || len(after) != 1 || before[0].PID == after[0].PID {
		t.Fatalf("before %+v, after %+v; want another holder's process", before, after)
	}
	if goneNow(before[0].PID) {
		t.Error("the older holder's process has ended while it was called")
	}
	older.begin(4, "wake", `{}`)
	if first, second := older.next(), older.next(); !strings.Contains(first+second, "woken") || !strings.Contains(first+second, "awake") {
		t.Errorf("the older version's client got %s and %s", first, second)
	}
	if got := older.call(5, "echo", `{"text":"hi"}`); !strings.Contains(got, hi) {
		t.Errorf("then it got %s", got)
	}
	if !p.echoes(args[1:]...) {
		t.Error("a client of the older version that came later got no answer")
	}
	older.ends()
	until(t, "the end of the older holder's process", func() bool { return goneNow(before[0].PID) })
	if got := now.call(3, "echo", `{"text":"hi"}`); !strings.Contains(got, hi) {
		t.Errorf("after the older one's end the newer version's client got %s", got)
	}
	now.ends()
	out := p.command("--version")
	out.Path = next
	if text, err := out.Output(); err != nil || !strings.Contains(string(text), "99.0.0") {
		t.Errorf("the newer one is %s, %v", text, err)
	}
}

// The last client is killed while a server starts: neither the server nor its holder
// stays.
func TestHolder_leavesAtTheStart(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	file := filepath.Join(t.TempDir(), "pid")
	workspace := configtest.WorkspaceWith(t, configtest.Servers{"std": {Command: "sh", Args: []string{"-c", "echo $$ > " + file + ".next; mv " + file + ".next " + file + "; exec sleep 3600"}}}, nil)
	c := p.talks(p.command("mcp", "-alone", "-trust", "-workspace", workspace))
	until(t, "the server", func() bool { _, err := os.Stat(file); return err == nil })
	pid, err := strconv.Atoi(strings.TrimSpace(configtest.Read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	if processes := p.shared(); len(processes) != 1 || processes[0].PID != pid {
		t.Fatalf("%+v, want process %d", processes, pid)
	}
	parent, err := exec.CommandContext(t.Context(), "ps", "-o", "ppid=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		t.Fatal(err)
	}
	keeps, err := strconv.Atoi(strings.TrimSpace(string(parent)))
	if err != nil || keeps == c.c.Process.Pid {
		t.Fatalf("the server's parent is %d, %v; want the holder", keeps, err)
	}
	if err := c.c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.c.Wait()
	until(t, "the end of the server", func() bool { return goneNow(pid) })
	until(t, "the end of the holder", func() bool { return goneNow(keeps) })
}

// A folder is moved while a client in it uses a server: the client goes on, one in the
// new place gets a process that starts there, and one in the folder that takes the old
// place is served, too.
func TestHolder_folderMoves(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	servers := configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{})}
	workspace := configtest.WorkspaceWith(t, servers, nil)
	args := func(folder string) []string { return []string{"-alone", "-trust", "-workspace", folder} }
	c := p.talks(p.command(append([]string{"mcp"}, args(workspace)...)...))
	if got := c.call(2, "echo", `{"text":"hi"}`); !strings.Contains(got, hi) {
		t.Fatal(got)
	}
	moved := workspace + "-moved"
	if err := os.Rename(workspace, moved); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(moved) })
	if got := c.call(3, "echo", `{"text":"hi"}`); !strings.Contains(got, hi) && !strings.Contains(got, "there is no tool") {
		t.Errorf("after the move the client got %s", got)
	}
	if !p.echoes(args(moved)...) {
		t.Error("a client in the new place got no answer")
	}
	configtest.Save(t, workspace, servers, nil)
	if !p.echoes(args(workspace)...) {
		t.Error("a client in the old place got no answer")
	}
	folders := map[string]bool{}
	for _, process := range p.shared() {
		folders[fmt.Sprint(process.Folders)] = true
	}
	if len(folders) != 2 {
		t.Errorf("processes of %v, want of two folders", folders)
	}
	c.ends()
}

// On a full disk clients are served: without room for files by a shared process, and
// where not even a socket can be made by one of their own. Doctor says why nothing is
// remembered, and once there is room it is.
func TestHolder_fullDisk(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fill   func(t *testing.T, dir string)
		shared int
	}{
		"bytes": {func(t *testing.T, dir string) {
			f, err := os.Create(filepath.Join(dir, "fill"))
			if err != nil {
				t.Fatal(err)
			}
			for err == nil {
				_, err = f.Write(make([]byte, 4096))
			}
			_ = f.Close()
		}, 1},
		"files": {func(t *testing.T, dir string) {
			for i, err := 0, error(nil); err == nil; i++ {
				err = os.Mkdir(filepath.Join(dir, "fill", fmt.Sprint(i)), 0o700)
			}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			disk := tinyDisk(t, p)
			workspace := configtest.WorkspaceWith(t, configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{})}, nil)
			args := []string{"-alone", "-trust", "-workspace", workspace}
			fill := filepath.Join(disk, "fill")
			if name == "files" {
				if err := os.Mkdir(fill, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			tt.fill(t, disk)
			if !p.echoes(args...) {
				t.Error("a client got no answer on a full disk")
			}
			if got := p.shared(); len(got) != tt.shared {
				t.Errorf("processes that are shared: %+v, want %d", got, tt.shared)
			}
			doctor := p.command("doctor", "-trust", "-workspace", workspace)
			if out, err := doctor.Output(); err == nil || !strings.Contains(string(out), "Nothing can be remembered between runs: ") || !strings.Contains(string(out), "→ Free space") {
				t.Errorf("doctor: %v: %s", err, out)
			}
			if err := os.RemoveAll(fill); err != nil {
				t.Fatal(err)
			}
			if !p.echoes(args...) {
				t.Error("a client got no answer once there is room")
			}
			if got := p.shared(); len(got) != 1 {
				t.Errorf("once there is room: %+v", got)
			}
			if known, err := filepath.Glob(filepath.Join(p.home, "winnow", "manifests", "*.manifest")); err != nil || len(known) == 0 {
				t.Errorf("nothing is remembered of the server: %v", err)
			}
		})
	}
}

// tinyDisk makes a person's home a disk of 256 KiB and 100 files.
func tinyDisk(t *testing.T, p *person) string {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("NOT TESTED: only root on Linux may mount a small disk")
	}
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=256k,nr_inodes=100,mode=700", "tmpfs", p.home).CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: this machine mounts nothing: %s", out)
	}
	t.Cleanup(func() {
		if _, err := holder.Stop(context.WithoutCancel(t.Context()), p.place()); err != nil {
			t.Error(err)
		}
		if out, err := exec.Command("umount", p.home).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	return p.home
}
