package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// testLists is lists whose reads end with the test.
func testLists(t *testing.T) *lists {
	life, end := context.WithCancel(context.Background())
	l := &lists{life: life, reading: &sync.WaitGroup{}}
	t.Cleanup(func() { end(); l.reading.Wait() })
	return l
}

// after is a server that lists one entry after a time; an empty one is refused.
func after(d time.Duration, entry string) func(ctx context.Context) ([]json.RawMessage, error) {
	return func(ctx context.Context) ([]json.RawMessage, error) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if entry == "" {
			return nil, errors.New("refused")
		}
		return []json.RawMessage{json.RawMessage(entry)}, nil
	}
}

func text(list []json.RawMessage) string {
	if len(list) == 0 {
		return ""
	}
	return string(list[0])
}

// A server that hangs costs a client its patience and nothing more, and who was
// answered without it is told.
func TestLists_late(t *testing.T) {
	t.Parallel()
	key := listKey{"s", "resources/list"}
	for name, tc := range map[string]struct {
		known, comes string // what the server listed before, and lists in the end
		told         int
	}{
		"nothing is known":     {"", `"new"`, 2},
		"it changed meanwhile": {`"old"`, `"new"`, 2},
		"it is the same":       {`"old"`, `"old"`, 0},
		"it refuses":           {`"old"`, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, told := testLists(t), 0
				changed := func() { told++ }
				if tc.known != "" {
					if got, err := l.read(t.Context(), key, after(0, tc.known), changed); err != nil || text(got) != tc.known {
						t.Fatalf("a quick server: got %s, %v, want %s", text(got), err, tc.known)
					}
				}
				begun := time.Now()
				got, err := l.read(t.Context(), key, after(time.Minute, tc.comes), changed)
				if err != nil || text(got) != tc.known || time.Since(begun) != listPatience {
					t.Errorf("a slow server: got %s, %v after %s, want %s after %s", text(got), err, time.Since(begun), tc.known, listPatience)
				}
				// The next client waits for nothing, and puts nothing to the server.
				begun = time.Now()
				got, err = l.read(t.Context(), key, func(context.Context) ([]json.RawMessage, error) {
					t.Error("the server is asked again")
					return nil, nil
				}, changed)
				if err != nil || text(got) != tc.known || time.Since(begun) != 0 {
					t.Errorf("the next client: got %s, %v after %s, want %s at once", text(got), err, time.Since(begun), tc.known)
				}
				time.Sleep(time.Minute) // of synctest's clock
				synctest.Wait()
				if told != tc.told {
					t.Errorf("%d were told, want %d", told, tc.told)
				}
				if got, err = l.read(t.Context(), key, after(0, `"newest"`), changed); err != nil || text(got) != `"newest"` {
					t.Errorf("when it is quick again: got %s, %v", text(got), err)
				}
			})
		})
	}
}

// Who waits for the read after one that takes long, in vain, is told of what the
// first of them brings: the second brings the same.
func TestLists_lateForTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, key := testLists(t), listKey{"s", "resources/list"}
		slow := after(listPatience*3/2, `"new"`)
		told := map[string]int{}
		var clients sync.WaitGroup
		for _, name := range []string{"first", "second"} {
			clients.Go(func() {
				if got, err := l.read(t.Context(), key, slow, func() { told[name]++ }); err != nil || text(got) != "" {
					t.Errorf("%s: got %s, %v before the server has listed anything", name, text(got), err)
				}
			})
			time.Sleep(listPatience / 5) // of synctest's clock
		}
		clients.Wait()
		time.Sleep(time.Minute)
		synctest.Wait()
		if told["first"] != 1 || told["second"] != 1 {
			t.Errorf("told %v, want each of them once", told)
		}
	})
}

// A server is asked for one list once at a time, however many clients want it;
// those who come while it answers are answered by what it lists after that.
func TestLists_oneAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, key := testLists(t), listKey{"s", "resources/list"}
		var asking, most, asked atomic.Int32
		fetch := func(ctx context.Context) ([]json.RawMessage, error) {
			most.Store(max(most.Load(), asking.Add(1)))
			defer asking.Add(-1)
			return after(listPatience/4, strconv.Itoa(int(asked.Add(1))))(ctx)
		}
		var clients sync.WaitGroup
		for i := range 10 {
			if i > 0 {
				synctest.Wait() // the first has begun to read
			}
			clients.Go(func() {
				want := "2"
				if i == 0 {
					want = "1"
				}
				if got, err := l.read(t.Context(), key, fetch, nil); err != nil || text(got) != want {
					t.Errorf("client %d: got %s, %v, want %s", i, text(got), err, want)
				}
			})
		}
		clients.Wait()
		if most.Load() != 1 || asked.Load() != 2 {
			t.Errorf("asked %d times, %d at a time, want 2 and 1", asked.Load(), most.Load())
		}
	})
}

// A client that goes, or the end of the face, ends the wait.
func TestLists_end(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := testLists(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := l.read(ctx, listKey{"s", "prompts/list"}, after(time.Hour, `"x"`), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the client's cancellation", err)
		}
	})
}

// allowing is an engine that can say only that resources may be read.
type allowing struct{ Servers }

func (allowing) ResourcesAllowed(string) error { return nil }

// What is noted of a list is what it was made from: of a server that began to run
// while the others were asked, the client is yet to be told.
func TestOffers_note(t *testing.T) {
	t.Parallel()
	o := &offers{servers: allowing{}, listed: map[string]string{}} // it is not asked who runs by now
	a, b := offering{name: "a", run: 1}, offering{name: "b", run: 1}
	o.note(offersResources, []offering{a})
	if now := o.madeOf(offersResources, []offering{a, b}); o.listed[offersResources] != "\na 1" || now == "\na 1" {
		t.Errorf("%q is noted, and with another server it would be %q", o.listed[offersResources], now)
	}
}
