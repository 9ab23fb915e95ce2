//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/daemon/socket"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// person is a user with a home, and a holder of their own.
type person struct {
	*testing.T
	home string
}

func newPerson(t *testing.T) *person {
	t.Helper()
	home, err := os.MkdirTemp("", "w") // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t, home}
	t.Cleanup(func() {
		if _, err := holder.Stop(context.WithoutCancel(t.Context()), p.place()); err != nil {
			t.Error(err)
		}
		_ = os.RemoveAll(home)
	})
	return p
}

func (p *person) place() socket.Place {
	return socket.Place{Environ: func(string) (string, bool) { return p.home, true }}
}

// command is winnowd of this person.
func (p *person) command(args ...string) *exec.Cmd {
	c := winnowd(p.T, args...)
	c.Env = environment("HOME="+p.home, "XDG_CONFIG_HOME="+p.home, "XDG_CACHE_HOME="+p.home, "XDG_RUNTIME_DIR="+p.home, daemon.ShareVariable+"=on")
	return c
}

// run returns what winnowd writes.
func (p *person) run(in string, args ...string) string {
	p.Helper()
	c := p.command(args...)
	c.Stdin = strings.NewReader(in)
	out, err := c.Output()
	if err != nil {
		p.Fatalf("%q: %v", args, err)
	}
	return string(out)
}

// echoes reports whether a client of winnowd mcp gets the answer of echo.
func (p *person) echoes(args ...string) bool {
	p.Helper()
	out := noTool
	for tries := 0; tries < echoTries && strings.Contains(out, noTool); tries++ {
		out = p.run(echo, append([]string{"mcp"}, args...)...)
	}
	return strings.Contains(out, `{\"text\":\"hi\"}`)
}

// talk is a client of winnowd mcp that goes on.
type talk struct {
	*person
	c     *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

// talks starts a client, and shakes hands.
func (p *person) talks(c *exec.Cmd) *talk {
	p.Helper()
	in, errIn := c.StdinPipe()
	out, errOut := c.StdoutPipe()
	if err := errors.Join(errIn, errOut, c.Start()); err != nil {
		p.Fatal(err)
	}
	t := &talk{p, c, in, bufio.NewScanner(out)}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	t.answer(1)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return t
}

// answer returns the next answer, which is to be that of a request.
func (t *talk) answer(id int) string {
	t.Helper()
	for t.lines.Scan() {
		if strings.Contains(t.lines.Text(), fmt.Sprintf(`"id":%d,`, id)) && !strings.Contains(t.lines.Text(), `"method"`) {
			return t.lines.Text()
		}
	}
	t.Fatalf("the client's program has ended before it answered %d", id)
	return ""
}

// next returns the next answer.
func (t *talk) next() string {
	t.Helper()
	for t.lines.Scan() {
		if !strings.Contains(t.lines.Text(), `"method"`) {
			return t.lines.Text()
		}
	}
	t.Fatal("the client's program has ended")
	return ""
}

// begin makes a call, and call returns its answer.
func (t *talk) begin(id int, tool, arguments string) {
	fmt.Fprintf(t.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"mcp_call","arguments":{"name":%q,"arguments":%s}}}`+"\n", id, tool, arguments)
}

func (t *talk) call(id int, tool, arguments string) string {
	t.Helper()
	t.begin(id, tool, arguments)
	return t.answer(id)
}

// ends closes the client's side, and waits for the program's end.
func (t *talk) ends() {
	t.Helper()
	_ = t.in.Close()
	if err := t.c.Wait(); err != nil {
		t.Error(err)
	}
}

// shared returns the processes that the holder runs.
func (p *person) shared() []holder.Process {
	p.Helper()
	processes, err := holder.List(p.Context(), p.place())
	if err != nil {
		p.Fatal(err)
	}
	return processes
}

// Clients that share answer one after the other by the process that the first
// has started, until winnowd stop.
func TestHolder(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	workspace := configtest.WorkspaceWith(t, configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{})}, nil)
	var pids []int
	for range 2 {
		if !p.echoes("-trust", "-workspace", workspace) {
			t.Error("a client got no answer")
		}
		for _, process := range p.shared() {
			pids = append(pids, process.PID)
		}
	}
	if len(pids) != 2 || pids[0] != pids[1] {
		t.Errorf("processes %d, want the same twice", pids)
	}
	if out := p.run("", "stop"); out != "" {
		t.Errorf("stop says %q; want that a holder ran", out)
	}
	if out := p.run("", "stop"); !strings.Contains(out, "no shared processes run") {
		t.Errorf("the second stop says %q", out)
	}
}

// Who shares a process is as the entry says. The consent of one folder starts
// nothing for another.
func TestHolder_share(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		share protocol.ServerShare
		cwd   string
		want  int // processes of clients in two folders
	}{
		{"", "", 2},
		{"", "/", 2}, // it may ask for the roots, and keep the answer
		{protocol.ShareUser, "/", 1},
		{protocol.ShareFolder, "/", 2},
		{protocol.ShareUser, "", 1},
		{protocol.ShareClient, "", 0},
	} {
		t.Run(fmt.Sprintf("%s in %q", tt.share, tt.cwd), func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			entry := configtest.Scripted(t, upstreamtest.Script{})
			entry.Share, entry.Cwd = tt.share, tt.cwd
			folder := func() string { return configtest.WorkspaceWith(t, configtest.Servers{"std": entry}, nil) }
			for range 2 {
				if !p.echoes("-trust", "-workspace", folder()) {
					t.Error("a client got no answer")
				}
			}
			before := p.shared()
			if len(before) != tt.want {
				t.Errorf("%d processes, want %d: %+v", len(before), tt.want, before)
			}
			if strings.Contains(p.run(echo, "mcp", "-workspace", folder()), hi) {
				t.Error("a folder that nobody trusts has used the server")
			}
			pid := func(p holder.Process) int { return p.PID }
			if after := p.shared(); !slices.Equal(mapped(after, pid), mapped(before, pid)) {
				t.Errorf("a folder that nobody trusts has changed what runs: %+v", after)
			}
		})
	}
}

func mapped[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, one := range list {
		out[i] = f(one)
	}
	return out
}

// Without an idle time nothing is shared.
func TestHolder_off(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	settings := p.home + "/settings.json"
	configtest.Write(t, settings, `{"servers.idleMinutes": 0}`)
	workspace := configtest.WorkspaceWith(t, configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{})}, nil)
	if !p.echoes("-trust", "-settings", settings, "-workspace", workspace) {
		t.Error("a client got no answer")
	}
	if processes := p.shared(); len(processes) > 0 {
		t.Errorf("%+v", processes)
	}
}

// An update replaces the program while a client runs: the client goes on, by the process that
// runs, and when that one's holder is killed by one that the new program holds, which a
// client of the new program shares.
func TestHolder_replaced(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(p.home, daemon.Name)
	install := func() {
		next := path + ".next"
		if err := errors.Join(os.WriteFile(next, program, 0o700), os.Rename(next, path)); err != nil {
			t.Fatal(err)
		}
	}
	install()
	workspace := configtest.WorkspaceWith(t, configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{})}, nil)
	c := p.command("mcp", "-trust", "-workspace", workspace)
	c.Path = path
	client := p.talks(c)
	call := func(id int) string { return client.call(id, "echo", `{"text":"hi"}`) }
	first := call(2)
	install()
	if second := call(3); !strings.Contains(first, hi) || !strings.Contains(second, hi) {
		t.Errorf("got %s and then %s", first, second)
	}
	before := p.shared()
	if len(before) != 1 {
		t.Fatalf("%+v", before)
	}
	if _, err := holder.Stop(t.Context(), p.place()); err != nil {
		t.Fatal(err)
	}
	for id, answer := 4, ""; !strings.Contains(answer, hi); id++ {
		// The first may find that the process has just gone; it is started again.
		if answer = call(id); !strings.Contains(answer, hi) && !strings.Contains(answer, "the holder of its process has ended") {
			t.Fatalf("call %d: %s", id, answer)
		}
	}
	if !p.echoes("-trust", "-alone", "-workspace", workspace) {
		t.Error("a client of the new program got no answer")
	}
	after := p.shared()
	if len(after) != 1 || after[0].PID == before[0].PID {
		t.Errorf("before %+v, after %+v", before, after)
	}
	client.ends()
}
