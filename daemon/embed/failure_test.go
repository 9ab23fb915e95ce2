package embed

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestStore_FailureIsRetried fails for a while and watches the pauses.
func TestStore_FailureIsRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := newFake("m")
		provider.fail = func(Purpose, []string) error { return &Error{Provider: "fake", Kind: Quota, Cause: "no credit"} }
		store, heard := start(t, t.TempDir(), provider, texts10())
		time.Sleep(time.Second)
		synctest.Wait()
		if _, reason := store.Query(t.Context(), nil, "a"); reason != ReasonQuota {
			t.Errorf("reason %q, want quota", reason)
		}
		store.SetTexts(2, texts10()) // is no reason to ask at once
		time.Sleep(time.Second)
		synctest.Wait()
		if provider.called() > 2 { // as many as run at a time
			t.Errorf("%d calls within two seconds", provider.called())
		}
		time.Sleep(9 * time.Minute) // about 15 + 30 + 60 + 120 + 240 s
		if provider.called() < 6 || provider.called() > 14 {
			t.Errorf("%d calls within nine minutes", provider.called())
		}
		provider.set(func(f *fake) { f.fail = nil })
		time.Sleep(13 * time.Minute)
		checkRows(t, heard.next(t), texts10(), 8)
	})
}

// TestStore_RetryAfterIsHonoured waits as long as the provider asks, though
// its own first pause is shorter.
func TestStore_RetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := newFake("m")
		provider.limits.Calls = 1
		failures := 0
		provider.fail = func(Purpose, []string) error {
			if failures++; failures == 1 {
				return &Error{Provider: "fake", Kind: Quota, RetryAfter: time.Hour}
			}
			return nil
		}
		_, heard := start(t, t.TempDir(), provider, texts10())
		time.Sleep(time.Hour - time.Second)
		synctest.Wait()
		if provider.called() != 1 {
			t.Errorf("%d calls before the hour is over", provider.called())
		}
		time.Sleep(2 * time.Second)
		checkRows(t, heard.next(t), texts10(), 8)
	})
}

// TestStore_OneBadTextStopsNobody: the provider refuses one text, whatever is
// beside it.
func TestStore_OneBadTextStopsNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := newFake("m")
		provider.fail = func(_ Purpose, texts []string) error {
			if slices.Contains(texts, "tool 5") {
				return &Error{Provider: "fake", Kind: Rejected, Status: 400, Cause: "content policy"}
			}
			return nil
		}
		store, heard := start(t, t.TempDir(), provider, texts10())
		v := heard.next(t)
		for i := range len(v.Rows()) {
			if (v.Rows()[i] == nil) != (i == 5) {
				t.Errorf("text %d has vector %v", i, v.Rows()[i])
			}
		}
		calls := provider.called()
		store.SetTexts(2, texts10())
		heard.next(t)
		if provider.called() != calls {
			t.Error("the refused text was tried again")
		}
	})
}

// TestStore_RefusedModelIsAFailure: when nothing is accepted, the texts are
// not at fault.
func TestStore_RefusedModelIsAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := newFake("m")
		provider.fail = func(Purpose, []string) error {
			return &Error{Provider: "fake", Kind: Rejected, Status: 404, Cause: "no such model"}
		}
		store, heard := start(t, t.TempDir(), provider, texts10())
		time.Sleep(time.Second)
		synctest.Wait()
		if _, reason := store.Query(t.Context(), nil, "a"); reason != ReasonFailing || len(heard.vectors) != 0 {
			t.Errorf("reason %q, %d publications", reason, len(heard.vectors))
		}
		if provider.called() > 2*refusals {
			t.Errorf("%d calls to find out", provider.called())
		}
	})
}

// TestStore_OtherDimension: the model behind a name is exchanged while texts
// are cached, and vectors of both are never published together.
func TestStore_OtherDimension(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		first, heard := start(t, dir, newFake("m"), texts10())
		heard.next(t)
		first.Close()
		provider := newFake("m")
		provider.dim = 5
		list := append(texts10(), "one more")
		_, heard = start(t, dir, provider, list)
		checkRows(t, heard.next(t), list, 5)
		if len(heard.vectors) != 0 {
			t.Error("something else was published too")
		}
	})
}

func TestStore_DimensionThatNeverSettles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := newFake("m")
		provider.fail = func(Purpose, []string) error { provider.dim++; return nil }
		store, heard := start(t, t.TempDir(), provider, texts10())
		time.Sleep(time.Second)
		synctest.Wait()
		if _, reason := store.Query(t.Context(), nil, "a"); reason != ReasonDimension || len(heard.vectors) != 0 {
			t.Errorf("reason %q, %d publications", reason, len(heard.vectors))
		}
	})
}

// TestStore_RefusedKeyIsToldOnce: by the texts or by a query, whichever meets
// it first, once for each provider that is set.
func TestStore_RefusedKeyIsToldOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told atomic.Int32
		heard := newListener()
		store := Open(Options{Published: heard.published, Refused: func() { told.Add(1) }})
		t.Cleanup(store.Close)
		store.SetTexts(1, texts10())
		refuse := func(f *fake) { f.fail = func(Purpose, []string) error { return &Error{Kind: Auth} } }
		withdrawn, wrong := newFake("m"), newFake("m")
		store.SetProvider(withdrawn)
		v := heard.next(t)
		withdrawn.set(refuse)
		for _, text := range []string{"a", "b"} {
			store.Query(t.Context(), v, text)
		}
		if n := told.Load(); n != 1 {
			t.Errorf("a key that was withdrawn is told %d times", n)
		}
		wrong.set(refuse)
		store.SetProvider(wrong)
		store.SetTexts(2, []string{"new"})
		time.Sleep(time.Hour)
		if n := told.Load(); n != 2 || wrong.called() < 2 {
			t.Errorf("told %d times after %d calls with a wrong key, want once more", n, wrong.called())
		}
	})
}
