//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/journal"
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

// ownCluster starts a cluster for one test.
func ownCluster(t *testing.T, in string, config ...string) *pgtest.Cluster {
	t.Helper()
	if cluster == nil {
		cluster.New(t) // it skips, or fails
	}
	own, err := pgtest.StartIn(in, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.End(); err != nil {
			t.Error(err)
		}
	})
	return own
}

// TestTeam_databaseAway: while the database stands still, what only reads goes on and
// what may write is refused, not made, and a holder ends its program, which does not
// listen, since another one may run it by now; after it, and after a crash of it, all
// goes on without a restart.
func TestTeam_databaseAway(t *testing.T) {
	t.Parallel()
	own := ownCluster(t, "")
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
	server.mu.Lock()
	server.called = func(id string) {
		if id == "under way" { // its intent is written, and its outcome has nowhere to go
			if err := own.Halt(); err != nil {
				t.Error(err)
			}
		}
	}
	server.mu.Unlock()
	if !call("write_note", "under way") {
		t.Error("a call that was under way when the database went fails")
	}
	if call("write_note", "w4") || server.count("w4") != 0 {
		t.Error("a call that may write was made while the database was down")
	}
	if err := own.Resume(); err != nil {
		t.Fatal(err)
	}
	f.until("the outcome of the call that was under way is recorded", func() bool {
		entries, _, err := f.store.Journal().Newest(ctx, journal.Filter{Tool: "write_note"}, 1)
		return err == nil && len(entries) == 1 && entries[0].Outcome == journal.OK
	})
	f.until("calls that may write are made after a crash", func() bool { return call("write_note", "w5") })
	f.run("revoke", "notes/write_note")
	f.until("versions are followed again", func() bool { return !call("write_note", "w6") })
}

// TestTeam_databaseFailsOver: once a standby is promoted in the place of a database
// that crashed, all goes on there without a restart, and no call that was made is
// missing from the record.
func TestTeam_databaseFailsOver(t *testing.T) {
	t.Parallel()
	own := ownCluster(t, "")
	standby, err := own.Standby()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := standby.End(); err != nil {
			t.Error(err)
		}
	})
	server := startServer(t, true)
	f := newFixtureOn(t, own, 2, server)
	ctx := t.Context()
	call := func(n int, tool, id string) bool {
		return !f.ask(f.call(ctx, f.replicas[n%2].address, "alice", tool, id)).result.IsError
	}
	for n := range 20 {
		if !call(n, "write_note", fmt.Sprint("before ", n)) {
			t.Fatal("before")
		}
	}
	if err := own.Halt(); err != nil {
		t.Fatal(err)
	}
	if call(0, "write_note", "lost") || server.count("lost") != 0 {
		t.Errorf("a call that may write was made %d times while there was no database", server.count("lost"))
	}
	if !call(1, "read_note", "read") {
		t.Error("what only reads does not go on")
	}
	if err := standby.Promote(); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		f.until("calls that may write are made", func() bool { return call(n, "write_note", fmt.Sprint("after ", n)) })
	}
	f.until("each call that was answered is recorded", func() bool {
		entries, _, err := f.store.Journal().Newest(ctx, journal.Filter{Tool: "write_note"}, 1000)
		return err == nil && len(entries) >= 22
	})
	f.run("revoke", "notes/write_note")
	for n := range 2 {
		f.until("versions are followed", func() bool { return !call(n, "write_note", fmt.Sprint("revoked ", n)) })
	}
	if err := own.Resume(); err != nil { // for the end of the test
		t.Fatal(err)
	}
}

// TestTeam_databaseFull: while the disk of the database is full, no call is made whose
// intent has no room, and what only reads goes on; once there is room all goes on.
func TestTeam_databaseFull(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: only root may mount a small disk")
	}
	disk, err := os.MkdirTemp("", "full-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(disk) })
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=192m,mode=755", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: this machine mounts nothing: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	own := ownCluster(t, disk, "max_wal_size = 32MB", "min_wal_size = 32MB")
	server := startServer(t, true)
	f := newFixtureOn(t, own, 1, server)
	ctx, r := t.Context(), f.replicas[0]
	call := func(tool, id string) bool { return !f.ask(f.call(ctx, r.address, "alice", tool, id)).result.IsError }
	filler, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1 << 20, 4096} {
		for err = nil; err == nil; {
			_, err = filler.Write(make([]byte, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
	n := 0
	f.until("there is no room for an intent", func() bool { n++; return !call("write_note", fmt.Sprint("full ", n)) })
	if !call("read_note", "read") {
		t.Error("what only reads does not go on")
	}
	made := server.count(fmt.Sprint("full ", n))
	for i := range n {
		made += server.count(fmt.Sprint("full ", i))
	}
	entries, _, err := f.store.Journal().Newest(ctx, journal.Filter{Tool: "write_note"}, 1000)
	if err != nil || len(entries) < made || made > n-1 {
		t.Errorf("%d calls of %d were made, and the record has %d, %v", made, n, len(entries), err)
	}
	if err := errors.Join(filler.Close(), os.Remove(filler.Name())); err != nil {
		t.Fatal(err)
	}
	f.until("there is room again", func() bool { n++; return call("write_note", fmt.Sprint("room ", n)) })
	f.until("what waits is recorded", func() bool {
		entries, _, err := f.store.Journal().Newest(ctx, journal.Filter{Tool: "write_note", Outcome: journal.OK}, 1)
		return err == nil && len(entries) == 1
	})
}
