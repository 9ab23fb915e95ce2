//go:build linux

package main

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/journal"
)

// TestTeam_rollingUpdate: replicas of an older version are replaced by those of a newer
// one, one after the other, on one store and behind the balancer that is shipped, and no
// call fails, is made twice or goes without a record. WINNOWTEAM_OLDER names a program
// that was built of an older commit; without it the older version is this one, and the
// store has what only a newer one writes.
func TestTeam_rollingUpdate(t *testing.T) {
	t.Parallel()
	server := startServer(t, true)
	older := os.Getenv("WINNOWTEAM_OLDER")
	f := newFixture(t, 2, server, func(f *fixture) { f.program = older })
	f.program = ""
	f.balance()
	ctx := t.Context()
	if older == "" {
		if err := cluster.Exec(fmt.Sprintf(`SET search_path TO %[1]s;
			ALTER TABLE journal ADD COLUMN of_later text NOT NULL DEFAULT '';
			ALTER TABLE lease ADD COLUMN of_later bigint;
			INSERT INTO version (kind, n) VALUES ('later', 7);
			INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, true);`, f.schema)); err != nil {
			t.Fatal(err)
		}
	}
	var made atomic.Int64
	var mu sync.Mutex
	var failed []string
	stop := make(chan struct{})
	var calling sync.WaitGroup
	for w := range 4 {
		calling.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				id := fmt.Sprint("roll ", w, " ", n)
				a, err := f.call(ctx, f.balancer, "alice", "write_note", id)
				if err != nil || a.status != http.StatusOK || a.result.IsError || server.count(id) != 1 {
					mu.Lock()
					failed = append(failed, fmt.Sprintf("%s: %d times, %v, %s", id, server.count(id), err, a.text()))
					mu.Unlock()
				}
				made.Add(1)
			}
		})
	}
	// more waits until so many more calls have been made.
	more := func() {
		t.Helper()
		from := made.Load()
		f.until("calls go on", func() bool { return made.Load() >= from+40 })
	}
	more()
	for i, r := range f.replicas {
		if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		more() // by the other one
		f.until("it has ended", func() bool {
			answer, err := http.Get("http://" + r.address + "/healthz")
			if err == nil {
				_ = answer.Body.Close()
			}
			return err != nil
		})
		f.replicas[i] = f.startReplicaAt(r.address)
		f.untilReady(f.replicas[i])
		more()
	}
	close(stop)
	calling.Wait()
	if len(failed) > 0 {
		t.Errorf("%d of %d calls failed: %s", len(failed), made.Load(), strings.Join(failed[:min(3, len(failed))], "\n"))
	}
	f.until("each call has its record", func() bool {
		entries, _, err := f.store.Journal().Newest(ctx, journal.Filter{Tool: "write_note", Outcome: journal.OK}, 100_000)
		return err == nil && len(entries) == int(made.Load())
	})
	first := f.ask(f.post(ctx, f.replicas[0].address, "alice", "tools/list", "", ""))
	if second := f.ask(f.post(ctx, f.replicas[1].address, "alice", "tools/list", "", "")); first.raw != second.raw || !strings.Contains(first.raw, "notes (4)") {
		t.Errorf("%s\nand %s", first.raw, second.raw)
	}
	t.Logf("%d calls while %s was replaced", made.Load(), cmp.Or(older, "this version"))
}
