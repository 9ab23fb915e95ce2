//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

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

// TestTeam_holders: a program runs at one of two holders, and is called by any
// replica; when that holder is killed the other one runs it, within the lease and the
// time that it takes to start, and of the killed one nothing is left. Nobody but a
// gateway is answered.
func TestTeam_holders(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	command, args, env := upstreamtest.Program(t, upstreamtest.Script{PIDFile: pids})
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
	leases, err := f.store.Leases().All(ctx)
	if err != nil || len(leases) != 1 {
		t.Fatal(leases, err)
	}
	old := leases["desk"]
	for _, h := range holders {
		if h.address == old.Address {
			if err := h.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	killed := time.Now()
	tries := 0
	f.until("another holder runs it", func() bool {
		tries++
		a := call(f.replicas[0])
		return !a.result.IsError && strings.Contains(a.raw, "heard")
	})
	t.Logf("answered %v after the holder was killed, by call number %d", time.Since(killed).Round(time.Millisecond), tries)
	f.until("one process is left", func() bool {
		after := running(t, pids)
		return len(after) == 1 && after[0] != before[0]
	})
	leases, err = f.store.Leases().All(ctx)
	if now := leases["desk"]; err != nil || now.Epoch <= old.Epoch || now.Owner == old.Owner {
		t.Errorf("%+v, %v", now, err)
	}
	for name, header := range map[string]http.Header{
		"without a pass": {"Winnow-Epoch": {"2"}}, "with a token of a user": {"Winnow-Epoch": {"2"}, "Authorization": {"Bearer " + f.tokens["alice"]}},
	} {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+leases["desk"].Address+"/servers/desk", strings.NewReader("{}"))
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
	ring, err := vault.ParseRing([]byte(testKeys))
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+leases["desk"].Address+"/servers/desk", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Winnow-Epoch": {"1"}, "Authorization": {"Bearer " + ring.Passes("holder", "desk", "1")[0]}}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("an older epoch: HTTP %d", answer.StatusCode)
	}
	// What is revoked runs nowhere.
	f.run("revoke", "desk")
	f.until("nothing is left", func() bool { return len(running(t, pids)) == 0 })
}
