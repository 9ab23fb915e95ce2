package embed

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// ready opens a store whose vectors are complete.
func ready(t *testing.T, provider *fake) (*Store, listener, *Vectors) {
	t.Helper()
	store, heard := start(t, t.TempDir(), provider, texts10())
	return store, heard, heard.next(t)
}

func TestStore_Query(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := newFake("m")
		store, _, v := ready(t, provider)
		for range 3 {
			got, reason := store.Query(t.Context(), v, "  read a file ")
			if reason != ReasonNone || !slices.Equal(got, vectorOf("read a file", 8)) {
				t.Errorf("%v, %q", got, reason)
			}
		}
		if n := provider.times("read a file"); n != 1 {
			t.Errorf("the same query was embedded %d times", n)
		}
		if got, reason := store.Query(t.Context(), v, " "); got != nil || reason != ReasonNone {
			t.Errorf("a blank query: %v, %q", got, reason)
		}
	})
}

// TestStore_QueryReasons asks in every state that has a reason, and checks that
// nobody waits for longer than the deadline.
func TestStore_QueryReasons(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*fake)
		want   Reason
		waits  time.Duration
	}{
		{"slow", func(f *fake) { f.latency = time.Second }, ReasonSlow, 150 * time.Millisecond},
		{"in time", func(f *fake) { f.latency = 149 * time.Millisecond }, ReasonNone, 149 * time.Millisecond},
		{"failing", func(f *fake) { f.fail = func(Purpose, []string) error { return errors.New("boom") } }, ReasonFailing, 0},
		{"quota", func(f *fake) { f.fail = func(Purpose, []string) error { return &Error{Kind: Quota} } }, ReasonQuota, 0},
		{"key withdrawn", func(f *fake) { f.fail = func(Purpose, []string) error { return &Error{Kind: Auth} } }, ReasonFailing, 0},
		{"other dimension", func(f *fake) { f.dim = 5 }, ReasonDimension, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				provider := newFake("m")
				store, _, v := ready(t, provider)
				provider.set(test.change)
				began := time.Now()
				vector, reason := store.Query(t.Context(), v, "a")
				if reason != test.want || (vector == nil) != (reason != ReasonNone) {
					t.Errorf("%v, %q; want %q", vector, reason, test.want)
				}
				if took := time.Since(began); took != test.waits {
					t.Errorf("waited %v, want %v", took, test.waits)
				}
			})
		})
	}
}

func TestStore_QueryBeforeVectors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := newFake("m")
		provider.latency = 10 * time.Second
		store, heard := start(t, t.TempDir(), provider, texts10())
		began := time.Now()
		if _, reason := store.Query(t.Context(), nil, "a"); reason != ReasonNew || time.Since(began) != 0 {
			t.Errorf("reason %q after %v", reason, time.Since(began))
		}
		v := heard.next(t)
		provider.set(func(f *fake) { f.latency = 0 })
		store.SetTexts(2, append(texts10(), "one more"))
		if _, reason := store.Query(t.Context(), nil, "a"); reason != ReasonNew {
			t.Errorf("reason %q for a corpus without vectors", reason)
		}
		if vector, reason := store.Query(t.Context(), v, "a"); vector == nil {
			t.Errorf("reason %q for an older corpus of the same space", reason)
		}
	})
}

// TestStore_QueryOfAnotherSpace: a corpus whose vectors are another model's
// gets no vector to compare with.
func TestStore_QueryOfAnotherSpace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, heard, old := ready(t, newFake("old"))
		store.SetProvider(newFake("new"))
		current := heard.next(t)
		if vector, reason := store.Query(t.Context(), old, "a"); vector != nil || reason != ReasonNew {
			t.Errorf("%v, %q for the former provider's vectors", vector, reason)
		}
		if vector, reason := store.Query(t.Context(), current, "a"); vector == nil || reason != ReasonNone {
			t.Errorf("%v, %q for the current provider's", vector, reason)
		}
	})
}

// TestStore_QueryFindsOtherDimension: the catalogue is embedded anew, and until
// then the built-in model ranks.
func TestStore_QueryFindsOtherDimension(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := newFake("m")
		store, heard, old := ready(t, provider)
		provider.set(func(f *fake) { f.dim, f.latency = 5, 100*time.Millisecond })
		for range 2 { // the second comes while texts are embedded
			if vector, reason := store.Query(t.Context(), old, "a"); vector != nil || reason != ReasonDimension {
				t.Errorf("%v, %q; want dimension", vector, reason)
			}
		}
		v := heard.next(t)
		checkRows(t, v, texts10(), 5)
		if vector, reason := store.Query(t.Context(), v, "a"); len(vector) != 5 {
			t.Errorf("%v, %q with the new vectors", vector, reason)
		}
		if vector, reason := store.Query(t.Context(), old, "a"); vector != nil || reason == ReasonNone {
			t.Errorf("%v, %q with the old ones", vector, reason)
		}
	})
}

// TestStore_BreakerSparesTheTask: after a few slow queries nobody waits, and
// after a pause the provider gets another chance.
func TestStore_BreakerSparesTheTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := newFake("m")
		store, _, v := ready(t, provider)
		provider.set(func(f *fake) { f.latency = time.Hour })
		began := time.Now()
		for range 10 {
			if _, reason := store.Query(t.Context(), v, "a"); reason != ReasonSlow {
				t.Errorf("reason %q", reason)
			}
		}
		if took := time.Since(began); took != strikes*150*time.Millisecond {
			t.Errorf("ten tasks waited %v", took)
		}
		provider.set(func(f *fake) { f.latency = 0 })
		time.Sleep(20 * time.Second)
		if vector, reason := store.Query(t.Context(), v, "a"); vector == nil {
			t.Errorf("reason %q when the provider is back", reason)
		}
	})
}

// TestStore_CallerGivesUp: a cancelled task is no fault of the provider's.
func TestStore_CallerGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := newFake("m")
		store, _, v := ready(t, provider)
		provider.set(func(f *fake) { f.latency = 100 * time.Millisecond })
		for range 2 * strikes {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			if vector, _ := store.Query(ctx, v, "a"); vector != nil {
				t.Error("a vector after the caller gave up")
			}
			cancel()
		}
		if vector, reason := store.Query(t.Context(), v, "a"); vector == nil {
			t.Errorf("reason %q: giving up opened the breaker", reason)
		}
	})
}
