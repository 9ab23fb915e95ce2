package pg_test

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/engine/toollock/recordstest"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/journal/journaltest"
	"github.com/winnow-mcp/winnow/daemon/team/pg"
	"github.com/winnow-mcp/winnow/daemon/team/pg/pgtest"
	"github.com/winnow-mcp/winnow/daemon/trust/lock"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/daemon/upstream/manifeststest"
	"github.com/winnow-mcp/winnow/protocol"
)

var cluster *pgtest.Cluster

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m, &cluster)) }

// two opens two stores on one schema, at the same time: one of them makes the
// tables.
func two(t *testing.T) (first, again *pg.Store) {
	t.Helper()
	url, schema := cluster.New(t)
	stores := make([]*pg.Store, 2)
	var opening sync.WaitGroup
	for i := range stores {
		opening.Go(func() {
			s, err := pg.Open(t.Context(), pg.Options{URL: url, Schema: schema})
			if err != nil {
				t.Error(err)
				return
			}
			stores[i] = s
		})
	}
	opening.Wait()
	if t.Failed() {
		t.FailNow()
	}
	t.Cleanup(func() { stores[0].Close(); stores[1].Close() })
	return stores[0], stores[1]
}

func TestJournal(t *testing.T) {
	t.Parallel()
	journaltest.Conform(t, func(t *testing.T) (first, again journal.Sink) {
		t.Helper()
		a, b := two(t)
		return a.Journal(), b.Journal()
	})
}

func TestManifests(t *testing.T) {
	t.Parallel()
	manifeststest.Conform(t, func(t *testing.T) (first, again upstream.Manifests) {
		t.Helper()
		a, b := two(t)
		return a.Manifests("f"), b.Manifests("f")
	})
}

func TestRecords(t *testing.T) {
	t.Parallel()
	recordstest.Conform(t, func(t *testing.T) (first, again toollock.Records) {
		t.Helper()
		a, b := two(t)
		return a.Records(), b.Records()
	})
}

// TestRecords_unread: while the records cannot be read, what is known of nobody is
// held back.
func TestRecords_unread(t *testing.T) {
	t.Parallel()
	a, _ := two(t)
	records := a.Records()
	if _, err := records.All(); err != nil || records.Damaged("", "s") {
		t.Fatal(err)
	}
	a.Close()
	if _, err := records.All(); err == nil || !records.Damaged("", "s") {
		t.Errorf("%v, damaged %t", err, records.Damaged("", "s"))
	}
}

// TestApprove: what was shown is approved, and nothing of it where a part is
// another by now. What a replica writes then does not take it back.
func TestApprove(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	const one, other = `{"name":"one","inputSchema":{"type":"object"}}`, `{"name":"one","description":"x","inputSchema":{"type":"object"}}`
	waits := func(raw string) pg.Waiting {
		_, entry, err := lock.Tool([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		return pg.Waiting{Server: "s", Key: "tool:one", Entry: entry, Raw: []byte(raw)}
	}
	seen := waits(one)
	before := &lock.Record{Version: lock.Version, Server: "s", Items: map[lock.Key]lock.Item{"tool:one": lock.First(seen.Entry, seen.Raw, 1)}}
	if _, err := a.Records().Merge(before); err != nil {
		t.Fatal(err)
	}
	if err := a.Wait(t.Context(), []pg.Waiting{seen}); err != nil {
		t.Fatal(err)
	}
	shown, err := b.Waits(t.Context(), "s")
	if err != nil || len(shown) != 1 || string(shown[0].Raw) != one {
		t.Fatalf("%+v, %v", shown, err)
	}
	if err := a.Wait(t.Context(), []pg.Waiting{waits(other)}); err != nil {
		t.Fatal(err)
	}
	if err := b.Records().Approve(t.Context(), shown); err == nil {
		t.Error("what is another by now was approved")
	}
	if err := a.Wait(t.Context(), []pg.Waiting{seen}); err != nil {
		t.Fatal(err)
	}
	if err := b.Records().Approve(t.Context(), shown); err != nil {
		t.Fatal(err)
	}
	merged, err := a.Records().Merge(before)
	if err != nil || merged.Items["tool:one"].State != protocol.LockApproved {
		t.Errorf("%+v, %v", merged.Items["tool:one"], err)
	}
	if left, err := a.Waits(t.Context(), ""); err != nil || len(left) != 0 {
		t.Errorf("%d still wait, %v", len(left), err)
	}
}

// TestApply: of two that apply on the same document one does, and who listens is
// told after the commit.
func TestApply(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	if _, err := a.Document(t.Context(), 0); !errors.Is(err, pg.ErrNoDocument) {
		t.Fatalf("before any: %v", err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	told := make(chan int64, 10)
	var listening sync.WaitGroup
	listening.Go(func() {
		b.Listen(ctx, func() {
			versions, err := b.Versions(t.Context())
			if err != nil {
				t.Error(err)
			}
			told <- versions[pg.Config]
		})
	})
	if n := <-told; n != 0 {
		t.Fatalf("at first it is number %d", n)
	}
	n, err := a.Apply(t.Context(), 0, "one", "alice")
	if err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if n := <-told; n != 1 {
		t.Errorf("told of number %d", n)
	}
	if _, err := b.Apply(t.Context(), 0, "other", "bob"); !errors.Is(err, pg.ErrMeanwhile) {
		t.Errorf("the second to apply: %v", err)
	}
	if _, err := b.Apply(t.Context(), 1, "two", "bob"); err != nil {
		t.Error(err)
	}
	for n, want := range map[int64]string{0: "two", 1: "one", 2: "two"} {
		if d, err := a.Document(t.Context(), n); err != nil || d.Text != want {
			t.Errorf("%d: %+v, %v", n, d, err)
		}
	}
	end()
	listening.Wait()
}

func TestPeople(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	for _, p := range []pg.Person{{Issuer: "i", Subject: "alice", Name: "Alice", Groups: []string{"x"}}, {Issuer: "i", Subject: "bob"}, {Issuer: "i", Subject: "alice", Name: "Alice", Groups: []string{"y"}}} {
		if err := a.See(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	all, err := b.People(t.Context())
	if err != nil || len(all) != 2 || all[0].Subject != "alice" || all[0].Groups[0] != "y" {
		t.Errorf("%+v, %v", all, err)
	}
}
