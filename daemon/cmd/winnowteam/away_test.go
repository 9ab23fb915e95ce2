//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/team/pg/pgtest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// signalAll sends a signal to all processes of a cluster.
func signalAll(t *testing.T, c *pgtest.Cluster, s syscall.Signal) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.Dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "\n")
	children, err := os.ReadFile(fmt.Sprintf("/proc/%s/task/%s/children", head, head))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range append([]string{head}, strings.Fields(string(children))...) {
		pid, err := strconv.Atoi(word)
		if err == nil {
			_ = syscall.Kill(pid, s) // one may have ended
		}
	}
}

// TestTeam_databaseAway: while the database stands still, what only reads goes on and
// what may write is refused, not made, and a holder ends its program, which does not
// listen, since another one may run it by now; after it, and after a crash of it, all
// goes on without a restart.
func TestTeam_databaseAway(t *testing.T) {
	t.Parallel()
	if cluster == nil {
		cluster.New(t)
	}
	own, err := pgtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.End(); err != nil {
			t.Error(err)
		}
	})
	server := startServer(t, true)
	pids := filepath.Join(t.TempDir(), "pids")
	command, args, env := upstreamtest.Program(t, upstreamtest.Script{PIDFile: pids, Stubborn: true})
	entry, err := json.Marshal(map[string]any{"command": command, "args": args, "env": env})
	if err != nil {
		t.Fatal(err)
	}
	f := newFixtureOn(t, own, 1, server, withKeys, func(f *fixture) {
		f.more = `,"desk":` + string(entry)
		f.start("hold", "--listen", "127.0.0.1:0")
	})
	ctx, r := t.Context(), f.replicas[0]
	call := func(tool, id string) bool { return !f.ask(f.call(ctx, r.address, "alice", tool, id)).result.IsError }
	ready := func() bool {
		answer, err := http.Get("http://" + r.address + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}
	if !call("read_note", "r1") || !call("write_note", "w1") {
		t.Fatal("before")
	}
	f.until("the holder runs the program", func() bool { return len(running(t, pids)) == 1 })
	signalAll(t, own, syscall.SIGSTOP)
	stopped := time.Now()
	f.until("the holder has ended the program", func() bool { return len(running(t, pids)) == 0 })
	t.Logf("ended %v after the database stood still", time.Since(stopped).Round(time.Millisecond))
	if !call("read_note", "r2") {
		t.Error("what only reads does not go on")
	}
	if call("write_note", "w2") || server.count("w2") != 0 {
		t.Errorf("a call that may write was made %d times without its intent", server.count("w2"))
	}
	f.until("the replica is not ready", func() bool { return !ready() })
	if !call("read_note", "r3") {
		t.Error("what only reads does not go on after ten seconds")
	}
	signalAll(t, own, syscall.SIGCONT)
	f.until("the replica is ready again", ready)
	f.until("calls that may write are made again", func() bool { return call("write_note", "w3") })
	f.until("the holder runs the program again", func() bool { return len(running(t, pids)) == 1 })
	if err := own.Halt(); err != nil {
		t.Fatal(err)
	}
	if call("write_note", "w4") || server.count("w4") != 0 {
		t.Error("a call that may write was made while the database was down")
	}
	if err := own.Resume(); err != nil {
		t.Fatal(err)
	}
	f.until("calls that may write are made after a crash", func() bool { return call("write_note", "w5") })
	f.run("revoke", "notes/write_note")
	f.until("versions are followed again", func() bool { return !call("write_note", "w6") })
}
