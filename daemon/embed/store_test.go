package embed

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// texts10 are ten texts: three batches of the fake's.
func texts10() []string {
	list := make([]string, 10)
	for i := range list {
		list[i] = fmt.Sprintf("tool %d", i)
	}
	return list
}

// start opens a store over dir with a provider and texts.
func start(t *testing.T, dir string, provider Provider, list []string) (*Store, listener) {
	t.Helper()
	heard := newListener()
	store := Open(Options{Dir: dir, Published: heard.published})
	t.Cleanup(store.Close)
	store.SetProvider(provider)
	store.SetTexts(1, list)
	return store, heard
}

// near allows for another rounding: a vector that is normalised twice may
// differ in its last bit.
func near(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 }

// checkRows compares published vectors with what the fake gives for texts.
func checkRows(t *testing.T, v *Vectors, list []string, dim int) {
	t.Helper()
	if len(v.Rows()) != len(list) || v.Space().Dim != dim {
		t.Fatalf("%d vectors of dimension %d, want %d of %d", len(v.Rows()), v.Space().Dim, len(list), dim)
	}
	for i, text := range list {
		if want := vectorOf(text, dim); !slices.EqualFunc(v.Rows()[i], want, near) {
			t.Errorf("vector of %q is %v, want %v", text, v.Rows()[i], want)
		}
	}
}

func TestStore_PublishesAVersion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := newFake("m")
		provider.latency = time.Second
		_, heard := start(t, t.TempDir(), provider, texts10())
		v := heard.next(t)
		checkRows(t, v, texts10(), 8)
		if v.Version() != 1 {
			t.Errorf("version %d", v.Version())
		}
		if want := (Space{Provider: "fake", Endpoint: "here", Model: "m", Dim: 8}); v.Space() != want {
			t.Errorf("space %+v, want %+v", v.Space(), want)
		}
		if got := v.Space().String(); got != "fake/m/8" || len(v.Rows()) != 10 {
			t.Errorf("%d rows of space %q", len(v.Rows()), got)
		}
		if provider.called() != 3 || provider.busiest() != 2 {
			t.Errorf("%d calls, %d at a time; want 3 and 2", provider.called(), provider.busiest())
		}
	})
}

func TestStore_RestartEmbedsNothingAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		first, heard := start(t, dir, newFake("m"), texts10())
		heard.next(t)
		first.Close()
		provider := newFake("m")
		_, heard = start(t, dir, provider, texts10())
		checkRows(t, heard.next(t), texts10(), 8)
		if provider.called() != 0 {
			t.Errorf("%d calls after a restart", provider.called())
		}
	})
}

func TestStore_EmbedsOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := newFake("m")
		store, heard := start(t, t.TempDir(), provider, texts10())
		heard.next(t)
		list := append([]string{"another", "another", "  another\n"}, texts10()[3:]...)
		store.SetTexts(2, list)
		v := heard.next(t)
		if v.Version() != 2 || len(v.Rows()) != 10 || !slices.Equal(v.Rows()[0], v.Rows()[2]) || !slices.Equal(v.Rows()[3], vectorOf("tool 3", 8)) {
			t.Errorf("version %d: %v", v.Version(), v.rows)
		}
		if n := provider.count(); n != 11 {
			t.Errorf("%d texts were embedded, want 10 and 1", n)
		}
		store.SetTexts(3, texts10()) // what is no longer in memory is on disk
		checkRows(t, heard.next(t), texts10(), 8)
		if n := provider.count(); n != 11 {
			t.Errorf("%d texts were embedded, want no more", n)
		}
	})
}

// TestStore_BlankAndEmpty: nothing to embed is nothing to ask for.
func TestStore_BlankAndEmpty(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := newFake("m")
		store, heard := start(t, t.TempDir(), provider, nil)
		empty := heard.next(t)
		store.SetTexts(2, []string{"", " \n"})
		blank := heard.next(t)
		if len(empty.Rows()) != 0 || len(blank.Rows()) != 2 || blank.Rows()[0] != nil || provider.called() != 0 {
			t.Errorf("%d and %d rows after %d calls", len(empty.Rows()), len(blank.Rows()), provider.called())
		}
		if v, reason := store.Query(t.Context(), blank, "a query"); v != nil || reason != ReasonNone {
			t.Errorf("a query against nothing: %v, %q", v, reason)
		}
		store.SetTexts(3, []string{"", "tool"})
		mixed := heard.next(t)
		if mixed.Rows()[0] != nil || !slices.Equal(mixed.Rows()[1], vectorOf("tool", 8)) {
			t.Errorf("rows %v", mixed.rows)
		}
	})
}

// TestStore_NewerTextsSupersede skips a version that is not complete, and does
// not pay for its batches twice.
func TestStore_NewerTextsSupersede(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := newFake("m")
		provider.latency = time.Second
		store, heard := start(t, t.TempDir(), provider, texts10())
		time.Sleep(500 * time.Millisecond) // two batches are under way
		store.SetTexts(2, texts10()[:9])
		v := heard.next(t)
		if v.Version() != 2 {
			t.Errorf("version %d was published", v.Version())
		}
		checkRows(t, v, texts10()[:9], 8)
		if n := provider.count(); n != 9 {
			t.Errorf("%d texts were embedded, want 9", n)
		}
	})
}

func TestStore_SwitchOfProvider(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow, other := newFake("slow"), newFake("other")
		slow.latency = time.Hour
		other.dim = 16
		store, heard := start(t, t.TempDir(), slow, texts10())
		time.Sleep(time.Second)
		began := time.Now()
		store.SetProvider(other)
		v := heard.next(t)
		checkRows(t, v, texts10(), 16)
		if time.Since(began) != 0 {
			t.Errorf("the switch waited %v for the former provider", time.Since(began))
		}
		store.SetProvider(nil)
		if vector, reason := store.Query(t.Context(), v, "a"); vector != nil || reason != ReasonNone {
			t.Errorf("with the built-in model: %v, %q", vector, reason)
		}
	})
}

// TestStore_KeepsWhatItPaidFor dies in the middle of a catalogue.
func TestStore_KeepsWhatItPaidFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		provider := newFake("m")
		provider.limits.Calls = 1
		provider.latency = time.Second
		store, _ := start(t, dir, provider, texts10())
		time.Sleep(2500 * time.Millisecond) // two of three batches are done
		store.Close()
		again := newFake("m")
		_, heard := start(t, dir, again, texts10())
		checkRows(t, heard.next(t), texts10(), 8)
		if n := again.count(); n != 2 {
			t.Errorf("%d texts were embedded after the restart, want 2", n)
		}
	})
}

// TestStore_DiskTrouble: without a place to keep them, vectors are published
// all the same.
func TestStore_DiskTrouble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		must(t, os.WriteFile(file, nil, 0o600))
		_, heard := start(t, filepath.Join(file, "vectors"), newFake("m"), texts10())
		checkRows(t, heard.next(t), texts10(), 8)
	})
}

func TestStore_CloseEndsEverything(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := newFake("m")
		provider.latency = time.Hour
		store, _ := start(t, t.TempDir(), provider, texts10())
		time.Sleep(time.Second)
		began := time.Now()
		store.Close()
		store.Close() // twice is harmless
		store.SetTexts(2, nil)
		store.SetProvider(nil)
		if time.Since(began) != 0 {
			t.Errorf("closing took %v", time.Since(began))
		}
	})
}
