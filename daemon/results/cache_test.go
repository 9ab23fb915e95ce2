package results_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-mcp/winnow/daemon/results"
)

type (
	cache = results.Cache[int, string]
	call  = results.Call[int, string]
)

// reader counts the calls that reach a server.
type reader struct {
	mu    sync.Mutex
	calls int
	took  time.Duration
	ended []error
}

func (r *reader) call(tool string, ttl time.Duration) call {
	return call{
		Key: results.Key{Server: "s", Tool: tool, Arguments: "{}"},
		TTL: ttl,
		Do: func(ctx context.Context, progress func(int)) (string, error) {
			r.mu.Lock()
			r.calls++
			r.mu.Unlock()
			progress(50)
			var err error
			select {
			case <-time.After(r.took):
			case <-ctx.Done():
				err = ctx.Err()
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			r.ended = append(r.ended, err)
			return tool, err
		},
	}
}

func read(t *testing.T, c *cache, k call) string {
	t.Helper()
	got, err := c.Read(t.Context(), k)
	if err != nil {
		t.Error(err)
	}
	return got
}

func TestCache_sharesCallsUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := results.NewCache[int, string](t.Context(), time.Now)
		r := &reader{took: time.Second}
		var (
			wg       sync.WaitGroup
			mu       sync.Mutex
			progress int
		)
		for range 20 {
			wg.Go(func() {
				k := r.call("read", time.Minute)
				k.Progress = func(p int) { mu.Lock(); progress += p; mu.Unlock() }
				if got := read(t, c, k); got != "read" {
					t.Errorf("%q", got)
				}
			})
		}
		wg.Wait()
		if r.calls != 1 || progress == 0 {
			t.Errorf("%d calls, progress %d", r.calls, progress)
		}
		for range 2 {
			wg.Go(func() { read(t, c, r.call("read", 0)) })
		}
		if wg.Wait(); r.calls != 3 {
			t.Errorf("an answer was shared without a ttl: %d calls", r.calls)
		}
		c.Close()
	})
}

func TestCache_keepsAnswersForTheirTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := results.NewCache[int, string](t.Context(), time.Now)
		r := &reader{}
		k := r.call("read", time.Minute)
		read(t, c, k)
		read(t, c, k)
		if r.calls != 1 {
			t.Errorf("%d calls", r.calls)
		}
		scoped := k
		scoped.Key.Scope = "another"
		if read(t, c, scoped); r.calls != 2 {
			t.Error("an answer crossed into another scope")
		}
		time.Sleep(61 * time.Second)
		if read(t, c, k); r.calls != 3 {
			t.Error("an answer outlived its time")
		}
		c.Write("other")
		if read(t, c, k); r.calls != 3 {
			t.Error("a write of another server forgot this one's answer")
		}
		c.Write("s")
		if read(t, c, k); r.calls != 4 {
			t.Error("an answer outlived a write")
		}
		failing := r.call("fails", time.Minute)
		failing.Keep = func(string) bool { return false }
		read(t, c, failing)
		if read(t, c, failing); r.calls != 6 {
			t.Error("an answer was kept that must not be")
		}
		c.Close()
	})
}

// A read that was under way while the server wrote may have seen the old state.
func TestCache_aWriteDuringAReadIsNoticed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := results.NewCache[int, string](t.Context(), time.Now)
		r := &reader{took: time.Second}
		k := r.call("read", time.Hour)
		var wg sync.WaitGroup
		wg.Go(func() { read(t, c, k) })
		synctest.Wait()
		c.Write("s")
		wg.Go(func() { read(t, c, k) })
		wg.Wait()
		if r.calls != 2 {
			t.Errorf("a read after the write joined one from before: %d calls", r.calls)
		}
		c.Close()
	})
}

func TestCache_endsWhenNobodyWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := results.NewCache[int, string](t.Context(), time.Now)
		r := &reader{took: time.Hour}
		first, leave := context.WithCancel(t.Context())
		second, leaveToo := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for _, ctx := range []context.Context{first, second} {
			wg.Go(func() {
				if _, err := c.Read(ctx, r.call("read", time.Minute)); !errors.Is(err, context.Canceled) {
					t.Errorf("%v", err)
				}
			})
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		if len(r.ended) != 0 {
			t.Error("the call ended although somebody waits")
		}
		leaveToo()
		wg.Wait()
		c.Close()
		if r.calls != 1 || len(r.ended) != 1 || !errors.Is(r.ended[0], context.Canceled) {
			t.Errorf("%d calls, ended %v", r.calls, r.ended)
		}
	})
}

func TestCache_survivesAPanic(t *testing.T) {
	t.Parallel()
	c := results.NewCache[int, string](t.Context(), time.Now)
	_, err := c.Read(t.Context(), call{Do: func(context.Context, func(int)) (string, error) { panic("boom") }})
	if err == nil {
		t.Error("no error")
	}
	c.Close()
}
