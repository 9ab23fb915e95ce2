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
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/daemon/upstream/manifeststest"
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
