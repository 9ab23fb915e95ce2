//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/team"
	"github.com/winnow-mcp/winnow/daemon/team/pg"
	"github.com/winnow-mcp/winnow/daemon/team/vault"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// running returns which processes of a file of ids run.
func running(t *testing.T, file string) (pids []int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		state, _ := os.ReadFile("/proc/" + word + "/stat")
		if syscall.Kill(pid, 0) == nil && !strings.Contains(string(state), ") Z ") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// askHolder sends a request to a holder as a gateway does that knows it in an epoch,
// and returns what it comes to.
func askHolder(t *testing.T, address, epoch, body string) (status int, text string) {
	t.Helper()
	ring, err := vault.ParseRing([]byte(testKeys))
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/servers/desk", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{
		"Winnow-Epoch": {epoch}, "Authorization": {"Bearer " + ring.Passes("holder", "desk", epoch)[0]}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"},
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(raw)
}

// TestTeam_holders: a program runs at one of two holders, and is called by any
// replica; when that holder is killed the other one runs it, within the lease and the
// time that it takes to start, and of the killed one nothing is left. What was under
// way then fails, and is not made again. A holder that stood still for longer than its
// lease acts no more. Nobody but a gateway is answered.
func TestTeam_holders(t *testing.T) {
	t.Parallel()
	pids, received := filepath.Join(t.TempDir(), "pids"), filepath.Join(t.TempDir(), "received")
	command, args, env := upstreamtest.Program(t, upstreamtest.Script{PIDFile: pids, ReceivedFile: received})
	entry, err := json.Marshal(map[string]any{"command": command, "args": args, "env": env})
	if err != nil {
		t.Fatal(err)
	}
	var holders []*replica
	f := newFixture(t, 2, startServer(t, true), withKeys, func(f *fixture) {
		f.more = `,"desk":` + string(entry)
		for range 2 {
			holders = append(holders, f.start("hold", "--listen", "127.0.0.1:0"))
		}
	})
	ctx := t.Context()
	f.until("the program's tools wait for an approval", func() bool { return strings.Contains(f.run("review", "desk"), "tool:echo") })
	f.approve("desk")
	call := func(r *replica) answer {
		return f.ask(f.post(ctx, r.address, "bob", "tools/call", "mcp_call", `"name":"mcp_call","arguments":{"name":"echo","arguments":{"text":"heard"}}`))
	}
	for _, r := range f.replicas {
		f.until("the program is called", func() bool { a := call(r); return !a.result.IsError && strings.Contains(a.raw, "heard") })
	}
	before := running(t, pids)
	if len(before) != 1 {
		t.Fatalf("the processes %v run", before)
	}
	// owned is the program's lease, and whose it is.
	owned := func() (pg.Lease, *replica) {
		t.Helper()
		leases, err := f.store.Leases().All(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range holders {
			if h.address == leases["desk"].Address {
				return leases["desk"], h
			}
		}
		return pg.Lease{}, nil
	}
	old, owner := owned()
	if owner == nil {
		t.Fatalf("%+v", old)
	}
	under := make(chan answer, 1)
	go func() {
		a, err := f.post(ctx, f.replicas[1].address, "bob", "tools/call", "mcp_call", `"name":"mcp_call","arguments":{"name":"sleep","arguments":{"ms":3600000}}`)
		if err != nil {
			t.Error(err)
		}
		under <- a
	}()
	// slept is how often the program was called so.
	slept := func() int {
		text, err := os.ReadFile(received)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), `"ms":3600000`)
	}
	f.until("a call is under way", func() bool { return slept() == 1 })
	if err := owner.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	tries := 0
	f.until("another holder runs it", func() bool {
		tries++
		a := call(f.replicas[0])
		return !a.result.IsError && strings.Contains(a.raw, "heard")
	})
	t.Logf("answered %v after the holder was killed, by call number %d", time.Since(killed).Round(time.Millisecond), tries)
	if a := <-under; !a.result.IsError || strings.Contains(a.text(), "slept") {
		t.Errorf("the call that was under way: %s", a.text())
	}
	f.until("one process is left", func() bool {
		after := running(t, pids)
		return len(after) == 1 && after[0] != before[0]
	})
	now, owner := owned()
	if owner == nil || now.Epoch <= old.Epoch || now.Owner == old.Owner {
		t.Errorf("%+v", now)
	}
	// The next one stands still until its lease is another's, with a request that it has
	// not read yet.
	holders = append(holders, f.start("hold", "--listen", "127.0.0.1:0"))
	held := running(t, pids)
	if err := owner.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.cmd.Process.Signal(syscall.SIGCONT) })
	f.until("it stands still", func() bool { // on a busy machine some threads go on for a moment
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", owner.cmd.Process.Pid))
		return err != nil || strings.Contains(string(state), ") T ")
	})
	late := make(chan int, 1)
	go func() {
		status, _ := askHolder(t, now.Address, strconv.FormatInt(now.Epoch, 10),
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"too late"},`+envelope+`}}`)
		late <- status
	}()
	stopped := time.Now()
	tries = 0
	f.until("a third holder runs it", func() bool {
		tries++
		a := call(f.replicas[1])
		return !a.result.IsError && strings.Contains(a.raw, "heard")
	})
	t.Logf("answered %v after the holder stood still, by call number %d", time.Since(stopped).Round(time.Millisecond), tries)
	if err := owner.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if status := <-late; status != http.StatusMisdirectedRequest {
		t.Errorf("who stood still answers HTTP %d", status)
	}
	f.until("who stood still ends its program", func() bool {
		after := running(t, pids)
		return len(after) == 1 && after[0] != held[0]
	})
	if text, err := os.ReadFile(received); err != nil || strings.Contains(string(text), "too late") || slept() != 1 {
		t.Errorf("%d times the call under way, %v, or what came too late, is in %s", slept(), err, text)
	}
	now, _ = owned()
	for name, header := range map[string]http.Header{
		"without a pass": {"Winnow-Epoch": {"2"}}, "with a token of a user": {"Winnow-Epoch": {"2"}, "Authorization": {"Bearer " + f.tokens["alice"]}},
	} {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+now.Address+"/servers/desk", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: HTTP %d", name, answer.StatusCode)
		}
	}
	// A gateway that knows an older epoch is led elsewhere, not answered.
	if status, text := askHolder(t, now.Address, "1", "{}"); status != http.StatusMisdirectedRequest {
		t.Errorf("an older epoch: HTTP %d %s", status, text)
	}
	// What is revoked runs nowhere.
	f.run("revoke", "desk")
	f.until("nothing is left", func() bool { return len(running(t, pids)) == 0 })
}

// TestTeam_bothRoles: one process is a replica and a holder, and ends with its program,
// which all users share.
func TestTeam_bothRoles(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	command, args, env := upstreamtest.Program(t, upstreamtest.Script{PIDFile: pids})
	entry, err := json.Marshal(map[string]any{"command": command, "args": args, "env": env})
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, 1, startServer(t, true), withKeys, func(f *fixture) {
		f.more, f.flags = `,"desk":`+string(entry), []string{"--hold", "127.0.0.1:0"}
	})
	f.until("the program's tools wait for an approval", func() bool { return strings.Contains(f.run("review", "desk"), "tool:echo") })
	f.approve("desk")
	for who := range f.tokens {
		f.until("the program is called", func() bool {
			a := f.ask(f.post(t.Context(), f.replicas[0].address, who, "tools/call", "mcp_call", `"name":"mcp_call","arguments":{"name":"echo","arguments":{"text":"heard"}}`))
			return !a.result.IsError && strings.Contains(a.raw, "heard")
		})
	}
	if begun, err := os.ReadFile(pids); err != nil || len(strings.Fields(string(begun))) != 1 {
		t.Errorf("for %d users the processes %s began, %v", len(f.tokens), begun, err)
	}
	if err := f.replicas[0].cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	f.until("nothing is left", func() bool { return len(running(t, pids)) == 0 })
	f.until("its lease is given back", func() bool {
		leases, err := f.store.Leases().All(t.Context())
		return err == nil && len(leases) == 0
	})
}

// TestHolds: a holder is reached where it listens, or where it is said to be.
func TestHolds(t *testing.T) {
	t.Parallel()
	for advertised, want := range map[string]string{"": "127.0.0.1:", "holder.example:7": "holder.example:7"} {
		o := team.HoldOptions{Address: advertised, Log: slog.New(slog.DiscardHandler)}
		listener, err := holds(&o, "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(o.Address, want) || advertised == "" && o.Address != listener.Addr().String() {
			t.Errorf("it listens at %s and is reached at %s, want %s", listener.Addr(), o.Address, want)
		}
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	}
}
