//go:build linux

package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/team/pg"
	"github.com/winnow-mcp/winnow/daemon/upstream"
)

// standStill stops a process, and returns once all of it stands still.
func (f *fixture) standStill(r *replica) {
	f.t.Helper()
	if err := r.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = r.cmd.Process.Signal(syscall.SIGCONT) })
	f.until("it stands still", func() bool { // on a busy machine some threads go on for a moment
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", r.cmd.Process.Pid))
		return err != nil || strings.Contains(string(state), ") T ")
	})
}

// TestTeam_discovery: of three replicas one asks a server for its tools, once for each
// change; when it is killed another one does, within the lease; and one that stood still
// meanwhile writes nothing of what it has asked before.
func TestTeam_discovery(t *testing.T) {
	t.Parallel()
	server := startServer(t, true)
	all := server.tools
	f := newFixture(t, 3, server)
	ctx := t.Context()
	kept := f.store.Manifests(upstream.ManifestFormat)
	lists := func() int {
		server.mu.Lock()
		defer server.mu.Unlock()
		return server.lists
	}
	has := func(r *replica, n int) bool {
		return strings.Contains(f.ask(f.post(ctx, r.address, "alice", "tools/list", "", "")).raw, fmt.Sprintf("notes (%d)", n))
	}
	// asking is the lease on the list, and the replica that has it.
	asking := func() (lease pg.Lease, who *replica) {
		t.Helper()
		leases, err := f.store.Leases().All(ctx)
		changes, changesErr := kept.Changes(ctx)
		if err != nil || changesErr != nil || len(changes) != 1 {
			t.Fatal(err, changesErr, changes)
		}
		for hash := range changes {
			lease = leases[kept.Lease(hash)]
		}
		for _, r := range f.replicas {
			if strings.Contains(lease.Owner, fmt.Sprintf(" %d ", r.cmd.Process.Pid)) {
				who = r
			}
		}
		return lease, who
	}
	told := func() int64 {
		versions, err := f.store.Versions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return versions[pg.Listed]
	}
	without := func(gone *replica) (others []*replica) {
		for _, r := range f.replicas {
			if r != gone {
				others = append(others, r)
			}
		}
		return others
	}
	// asked checks that the server was asked once for each change, and once by each replica
	// that took the lease: on a busy machine one may be late to renew it.
	asked := func(changes int) {
		t.Helper()
		lease, _ := asking()
		if n := lists(); n > changes+int(lease.Epoch) {
			t.Errorf("after %d changes and %d leases the server was asked %d times", changes, lease.Epoch, n)
		}
	}
	if asked(0); told() != 1 {
		t.Errorf("three replicas began, and wrote %d versions", told())
	}

	changed := time.Now()
	server.change(all[:3]...)
	var first answer
	for i, r := range f.replicas {
		f.until("a replica lists what has changed", func() bool { return has(r, 3) })
		a := f.ask(f.post(ctx, r.address, "alice", "tools/list", "", ""))
		if i == 0 {
			first = a
		} else if a.raw != first.raw {
			t.Errorf("replica %d lists %s\nand the first one %s", i, a.raw, first.raw)
		}
	}
	t.Logf("everywhere %v after it was announced", time.Since(changed).Round(time.Millisecond))
	if asked(1); told() != 2 {
		t.Errorf("after a change there are %d versions", told())
	}

	before, owner := asking()
	if owner == nil {
		t.Fatalf("nobody has the lease: %+v", before)
	}
	if err := owner.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	f.replicas = without(owner)
	f.until("another replica asks", func() bool { _, next := asking(); return next != nil })
	f.until("it has asked", func() bool { return lists() >= 3 })
	t.Logf("another replica asks %v after the first one was killed", time.Since(killed).Round(time.Millisecond))
	if after, _ := asking(); after.Epoch <= before.Epoch || told() != 2 {
		t.Errorf("%+v after %+v; %d versions", after, before, told())
	}
	server.change(all...)
	for _, r := range f.replicas {
		f.until("the others list what has changed", func() bool { return has(r, 4) })
	}
	asked(2)

	// The one that asks is told of two tools, and stands still before it hears of it.
	f.replicas = append(f.replicas, f.startReplica())
	f.untilReady(f.replicas[2])
	begun, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	server.mu.Lock()
	server.listed = func() {
		once.Do(func() {
			close(begun)
			<-release
		})
	}
	server.mu.Unlock()
	server.change(all[:2]...)
	<-begun
	before, owner = asking()
	if owner == nil {
		t.Fatalf("nobody has the lease: %+v", before)
	}
	f.standStill(owner)
	server.change(all...) // as it was: another replica that asks finds nothing new to write
	close(release)
	f.until("another replica asks", func() bool { after, next := asking(); return next != nil && after.Epoch > before.Epoch })
	f.until("it has asked", func() bool { return lists() >= 6 })
	versions := told()
	if err := owner.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	f.until("it hears that its lease is over", func() bool { return strings.Contains(owner.log.String(), pg.ErrLeaseOver.Error()) })
	for _, r := range f.replicas {
		f.until("all list what there is", func() bool { return has(r, 4) })
	}
	if asked(4); told() != versions {
		t.Errorf("%d versions, want %d", told(), versions)
	}
	// Who ends in peace gives the lease back.
	_, owner = asking()
	if err := owner.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	f.replicas = without(owner)
	f.until("another replica asks at once", func() bool { _, next := asking(); return next != nil })
}
