package pg_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/engine/toollock/recordstest"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/journal/journaltest"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/team/pg"
	"github.com/winnow-mcp/winnow/daemon/team/pg/pgtest"
	"github.com/winnow-mcp/winnow/daemon/team/vault"
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
		return leased{t, a, a.Manifests("f")}, leased{t, b, b.Manifests("f")}
	})
}

// leased takes the lease on a manifest for each write.
type leased struct {
	t     *testing.T
	store *pg.Store
	pg.Manifests
}

func (l leased) Read(hash string) ([]byte, error) {
	data, _, err := l.Newest(l.t.Context(), hash)
	return data, err
}

func (l leased) Write(hash string, data []byte) error {
	by, ok, err := l.store.Leases().Acquire(l.t.Context(), pg.Lease{Name: l.Lease(hash), Owner: "o"}, time.Hour)
	if err != nil || !ok {
		return errors.Join(err, errors.New("no lease"))
	}
	_, err = l.Share(l.t.Context(), by, hash, data)
	return errors.Join(err, l.store.Leases().Release(l.t.Context(), "o", by.Name))
}

// TestManifests_share: who has the lease writes, nobody else, and the listeners are told
// of what has changed only.
func TestManifests_share(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	ctx, one, other := t.Context(), a.Manifests("f"), b.Manifests("f")
	told := func() int64 {
		all, err := a.Versions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return all[pg.Listed]
	}
	first, ok, err := a.Leases().Acquire(ctx, pg.Lease{Name: one.Lease("h"), Owner: "a"}, time.Hour)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	for i, want := range []struct {
		body string
		n    int64
	}{{"x", 1}, {"x", 1}, {"y", 2}} {
		if n, err := one.Share(ctx, first, "h", []byte(want.body)); err != nil || n != want.n || told() != want.n {
			t.Errorf("write %d: version %d, %v; %d were told", i, n, err, told())
		}
	}
	if err := a.Leases().Release(ctx, "a", first.Name); err != nil {
		t.Fatal(err)
	}
	refused := func(by pg.Lease) {
		t.Helper()
		if _, err := one.Share(ctx, by, "h", []byte("late")); !errors.Is(err, pg.ErrLeaseOver) {
			t.Errorf("%+v writes: %v", by, err)
		}
	}
	refused(first) // nobody has it
	second, ok, err := b.Leases().Acquire(ctx, pg.Lease{Name: other.Lease("h"), Owner: "b"}, time.Hour)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	refused(first)
	refused(pg.Lease{Name: second.Name, Owner: "b", Epoch: first.Epoch})
	if n, err := other.Share(ctx, second, "h", []byte("z")); err != nil || n != 3 {
		t.Errorf("version %d, %v", n, err)
	}
	body, n, err := one.Newest(ctx, "h")
	changes, changesErr := one.Changes(ctx)
	if string(body) != "z" || n != 3 || changes["h"] != 3 || errors.Join(err, changesErr) != nil {
		t.Errorf("%q, version %d, %v, %v, %v", body, n, changes, err, changesErr)
	}
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

// TestSweep: an intent without an outcome becomes unknown, once; an outcome that
// comes later all the same is the one that is told.
func TestSweep(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	old := time.Now().Add(-2 * time.Hour)
	entry := func(id, outcome string, at time.Time) journal.Entry {
		return journal.Entry{ID: id, Kind: journal.Call, Server: "s", Tool: id, Outcome: outcome, Time: at}
	}
	if err := a.Journal().Append(t.Context(), []journal.Entry{
		entry("lost", journal.Intent, old), entry("ended", journal.Intent, old), entry("ended", journal.OK, old),
		entry("ahead", journal.Intent, time.Now().Add(48*time.Hour)), entry("under way", journal.Intent, time.Now()), entry("behind it", journal.Intent, old),
	}); err != nil {
		t.Fatal(err)
	}
	for n, want := range []int64{2, 0} {
		if unknown, err := []*pg.Store{a, b}[n].Keeping().Sweep(t.Context(), time.Hour); err != nil || unknown != want {
			t.Errorf("sweep %d: %d, %v", n, unknown, err)
		}
	}
	told := func() string {
		var all []string
		entries, _, err := b.Journal().Newest(t.Context(), journal.Filter{}, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			all = append(all, e.ID+" "+e.Outcome)
		}
		slices.Sort(all)
		return strings.Join(all, ", ")
	}
	if got := told(); got != "ahead unknown, behind it unknown, ended ok, lost unknown, under way unknown" {
		t.Error(got)
	}
	if err := b.Journal().Append(t.Context(), []journal.Entry{entry("lost", journal.OK, time.Now())}); err != nil {
		t.Fatal(err)
	}
	if got := told(); got != "ahead unknown, behind it unknown, ended ok, lost ok, under way unknown" {
		t.Error(got)
	}
}

// TestAppend_again: of entries whose append has failed after it was committed, none is
// there twice.
func TestAppend_again(t *testing.T) {
	t.Parallel()
	a, _ := two(t)
	stored := journal.Entry{ID: "stored", Kind: journal.Call, Tool: "stored", Outcome: journal.OK, Time: time.Now()}
	intent, missing := stored, stored
	intent.ID, intent.Outcome = "missing", journal.Intent
	if err := a.Journal().Append(t.Context(), []journal.Entry{stored, intent}); err != nil {
		t.Fatal(err)
	}
	missing.ID, missing.Tool = "missing", "missing"
	stored.Again, missing.Again = true, true
	for range 2 {
		if err := a.Journal().Append(t.Context(), []journal.Entry{stored, missing}); err != nil {
			t.Fatal(err)
		}
	}
	entries, _, err := a.Journal().Newest(t.Context(), journal.Filter{}, 10)
	if err != nil || len(entries) != 2 || entries[0].Tool != "missing" || entries[0].Outcome != journal.OK || entries[1].Tool != "stored" {
		t.Errorf("%v, got %+v", err, entries)
	}
}

// TestTake: replicas that take slices at the same time get no more than the quota,
// and all of it.
func TestTake(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	for try := 0; ; try++ { // all of it has to be in one minute
		name := fmt.Sprint("quota ", try)
		_, left, err := a.Keeping().Take(t.Context(), name+" first", 100, 1)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		var sum atomic.Int64
		var taking sync.WaitGroup
		for n := range 40 {
			taking.Go(func() {
				got, _, err := []*pg.Store{a, b}[n%2].Keeping().Take(t.Context(), name, 100, 7)
				if err != nil {
					t.Error(err)
				}
				sum.Add(got)
			})
		}
		taking.Wait()
		if time.Since(begun) > left {
			continue
		}
		if sum.Load() != 100 {
			t.Errorf("got %d of 100", sum.Load())
		}
		return
	}
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

// TestLeases: of all who want a server one gets it, in an epoch that nobody had, and
// nobody else until its lease has ended; one that has ended is not renewed.
func TestLeases(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	ctx := t.Context()
	acquire := func(s *pg.Store, owner string, life time.Duration) (pg.Lease, bool) {
		t.Helper()
		got, ok, err := s.Leases().Acquire(ctx, pg.Lease{Name: "desk", Owner: owner, Address: owner + ":1"}, life)
		if err != nil {
			t.Fatal(err)
		}
		return got, ok
	}
	renewed := func(s *pg.Store, owner string) int {
		t.Helper()
		all, err := s.Leases().Renew(ctx, owner, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	release := func(owner, name string) {
		t.Helper()
		if err := b.Leases().Release(ctx, owner, name); err != nil {
			t.Fatal(err)
		}
	}
	if one, ok := acquire(a, "one", time.Hour); !ok || one.Epoch != 1 {
		t.Errorf("first: %+v, %t", one, ok)
	}
	release("two", "")
	release("one", "another")
	if two, ok := acquire(b, "two", time.Hour); ok {
		t.Errorf("a second holder: %+v", two)
	}
	if all, err := b.Leases().All(ctx); err != nil || len(all) != 1 || all["desk"].Address != "one:1" {
		t.Errorf("%+v, %v", all, err)
	}
	if n, other := renewed(a, "one"), renewed(b, "two"); n != 1 || other != 0 {
		t.Errorf("renewed %d and %d", n, other)
	}
	for epoch := int64(2); epoch < 5; epoch++ {
		release("one", "desk")
		if all, err := b.Leases().All(ctx); err != nil || len(all) != 0 || renewed(a, "one") != 0 {
			t.Errorf("a lease that has ended: %+v, %v", all, err)
		}
		var got atomic.Int64
		var taking sync.WaitGroup
		for n := range 20 {
			taking.Go(func() {
				lease, ok, err := []*pg.Store{a, b}[n%2].Leases().Acquire(ctx, pg.Lease{Name: "desk", Owner: "one"}, time.Hour)
				if err != nil || ok && lease.Epoch != epoch {
					t.Errorf("%+v, %v", lease, err)
				}
				if ok {
					got.Add(1)
				}
			})
		}
		taking.Wait()
		if got.Load() != 1 {
			t.Errorf("%d holders have epoch %d", got.Load(), epoch)
		}
	}
}

// TestOpen_newer: a process goes on, and starts, where a newer one has added to the
// tables.
func TestOpen_newer(t *testing.T) {
	t.Parallel()
	url, schema := cluster.New(t)
	older, err := pg.Open(t.Context(), pg.Options{URL: url, Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer older.Close()
	if err := cluster.Exec(fmt.Sprintf(`SET search_path = %[1]s;
		DO $$ DECLARE one text; BEGIN
			FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = '%[1]s' AND tablename <> 'goose_db_version' LOOP
				EXECUTE format('ALTER TABLE %%I ADD COLUMN later text NOT NULL DEFAULT %%L', one, 'new');
			END LOOP;
		END $$;
		CREATE TABLE afterwards (n bigint);
		INSERT INTO version (kind, n) VALUES ('afterwards', 7);
		INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, true);`, schema)); err != nil {
		t.Fatal(err)
	}
	again, err := pg.Open(t.Context(), pg.Options{URL: url, Schema: schema})
	if err != nil {
		t.Fatalf("an older process does not start beside a newer one: %v", err)
	}
	defer again.Close()
	ctx, k := t.Context(), vault.Key{Principal: principal.Principal{Issuer: "i", Subject: "alice"}, Server: "s"}
	for n, s := range []*pg.Store{older, again} {
		name := fmt.Sprint("server ", n)
		lease, took, leasing := s.Leases().Acquire(ctx, pg.Lease{Name: name, Owner: "o"}, time.Hour)
		applied, applying := s.Apply(ctx, int64(n), "{}", "op")
		record, merging := s.Records().Merge(&lock.Record{Version: lock.Version, Server: name})
		_, _, quota := s.Keeping().Take(ctx, "q", 10, 1)
		_, sweeping := s.Keeping().Sweep(ctx, time.Hour)
		if err := errors.Join(leasing, applying, merging, quota, sweeping,
			s.See(ctx, pg.Person{Issuer: "i", Subject: name}),
			leased{t, s, s.Manifests("f")}.Write(name, []byte("x")),
			s.Journal().Append(ctx, []journal.Entry{{ID: name, Time: time.Now(), Kind: journal.Call, Outcome: journal.OK}}),
			s.Wait(ctx, []pg.Waiting{{Server: name, Key: "k"}}),
			s.Credentials().Connect(ctx, k, "k", []byte("sealed"), time.Hour),
			s.Credentials().Spend(ctx, name, time.Hour)); err != nil {
			t.Error(err)
		}
		if !took || lease.Epoch != 1 || applied != int64(n)+1 || record.Server != name {
			t.Errorf("%+v %t, version %d, %+v", lease, took, applied, record)
		}
	}
	if people, err := older.People(ctx); err != nil || len(people) != 2 {
		t.Errorf("%+v, %v", people, err)
	}
	if entries, _, err := again.Journal().Newest(ctx, journal.Filter{}, 10); err != nil || len(entries) != 2 {
		t.Errorf("%+v, %v", entries, err)
	}
	if kept, err := older.Credentials().Credential(ctx, k); err != nil || kept.Version != 2 {
		t.Errorf("%+v, %v", kept, err)
	}
}
