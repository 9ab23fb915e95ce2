//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
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
	out := p.run(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mcp_call","arguments":{"name":"echo","arguments":{"text":"hi"}}}}
`, append([]string{"mcp"}, args...)...)
	return strings.Contains(out, `{\"text\":\"hi\"}`)
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
			if p.echoes("-workspace", folder()) {
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
