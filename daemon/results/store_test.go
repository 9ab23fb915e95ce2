package results_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/daemon/results/shaping"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openStore(t *testing.T, o results.StoreOptions) *results.Store {
	t.Helper()
	s, err := results.OpenStore(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// kept is a result of a server with a text.
func kept(text string) results.Kept {
	return results.Kept{Document: shaping.Document{Text: text}, Of: []results.Source{{Server: "s", Tool: "t"}}}
}

// task is a task of the user of the machine.
func task(id string) results.Owner { return results.Owner{Principal: principal.Local, Task: id} }

func put(t *testing.T, s *results.Store, owner, document string) string {
	t.Helper()
	handle, err := s.Put(task(owner), kept(document))
	if err != nil {
		t.Fatal(err)
	}
	return handle
}

func TestStore_keepsForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	s := openStore(t, results.StoreOptions{Dir: filepath.Join(t.TempDir(), "r")})
	document := strings.Repeat("é", 10000)
	handle := put(t, s, "task-1", document)
	if got, err := s.Get(task("task-1"), handle); err != nil || !reflect.DeepEqual(got, kept(document)) {
		t.Errorf("%d bytes, %v", len(got.Text), err)
	}
	other := results.Owner{Principal: principal.Principal{Issuer: "https://a.example", Subject: "local"}, Task: "task-1"}
	if got, err := s.Get(other, handle); !errors.Is(err, results.ErrUnknown) {
		t.Errorf("another principal's task of that id reads %v, %v", got, err)
	}
	if err := s.Forget(other); err != nil {
		t.Error(err)
	}
	if _, err := s.Get(task("task-1"), handle); err != nil {
		t.Errorf("another principal deletes it: %v", err)
	}
	for name, ask := range map[string][2]string{
		"another task":       {"task-2", handle},
		"no task":            {"", handle},
		"another handle":     {"task-1", "r_0000"},
		"a path":             {"task-1", "../" + filepath.Base(filepath.Dir(handle)) + "/" + handle},
		"an absolute path":   {"task-1", "/etc/passwd"},
		"a path that is one": {"task-1", "./" + handle},
		"NUL":                {"task-1", handle + "\x00"},
		"a Windows path":     {"task-1", `..\..\` + handle},
		"empty":              {"task-1", ""},
	} {
		if got, err := s.Get(task(ask[0]), ask[1]); !errors.Is(err, results.ErrUnknown) || got.Text != "" || got.Of != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// Owners are chosen by hosts; whatever they hold, the file stays in the folder.
func TestStore_ownersAreNoPaths(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := openStore(t, results.StoreOptions{Dir: filepath.Join(root, "a", "b")})
	for _, owner := range []string{"../../evil", "/tmp/evil", "..", "", strings.Repeat("x", 5000), "a\x00b"} {
		handle := put(t, s, owner, "x")
		if got, err := s.Get(task(owner), handle); err != nil || !reflect.DeepEqual(got, kept("x")) {
			t.Errorf("owner %.20q: %v, %v", owner, got, err)
		}
	}
	outside, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil || len(outside) != 1 {
		t.Errorf("outside of the folder: %v, %v", outside, err)
	}
}

func TestStore_isPrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes are a matter of Unix")
	}
	dir := filepath.Join(t.TempDir(), "r")
	s := openStore(t, results.StoreOptions{Dir: dir})
	put(t, s, "task", "x")
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestStore_forgets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, results.StoreOptions{Dir: dir, MaxBytes: 2500, MaxAge: time.Hour})
	// age makes all that is kept so much older.
	age := func(by time.Duration) {
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			at := info.ModTime().Add(-by)
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	first := put(t, s, "a", strings.Repeat("1", 1000))
	age(time.Minute)
	second := put(t, s, "a", strings.Repeat("2", 1000))
	age(time.Minute)
	third := put(t, s, "b", strings.Repeat("3", 1000))
	if _, err := s.Get(task("a"), first); !errors.Is(err, results.ErrUnknown) {
		t.Errorf("the oldest made no room: %v", err)
	}
	if err := s.Forget(task("a")); err != nil {
		t.Error(err)
	}
	if _, err := s.Get(task("a"), second); !errors.Is(err, results.ErrUnknown) {
		t.Errorf("a closed task keeps results: %v", err)
	}
	if _, err := s.Get(task("b"), third); err != nil {
		t.Errorf("another task's result is gone: %v", err)
	}
	huge := put(t, s, "c", strings.Repeat("4", 9000))
	if _, err := s.Get(task("c"), huge); err != nil {
		t.Errorf("a result larger than the store is lost at once: %v", err)
	}
	age(2 * time.Hour)
	last := put(t, s, "d", "x")
	if _, err := s.Get(task("c"), huge); !errors.Is(err, results.ErrUnknown) {
		t.Errorf("an old result is read: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 || !strings.Contains(files[0], last) {
		t.Errorf("left on disk: got %v, %v, want that of %s", files, err, last)
	}
}

// TestStore_damage: a result that is damaged on disk is gone, and no part of it
// is handed out.
func TestStore_damage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, results.StoreOptions{Dir: dir})
	handle := put(t, s, "task", "a long result")
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %v, %v, want one file", files, err)
	}
	if err := os.Truncate(files[0], 20); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(task("task"), handle); !errors.Is(err, results.ErrUnknown) || got.Text != "" || got.Of != nil {
		t.Errorf("got %v, %v, want ErrUnknown", got, err)
	}
}

func TestStore_outlivesTheDaemon(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	handle := put(t, openStore(t, results.StoreOptions{Dir: dir}), "task", "kept")
	if got, err := openStore(t, results.StoreOptions{Dir: dir}).Get(task("task"), handle); err != nil || got.Text != "kept" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestStore_concurrently(t *testing.T) {
	t.Parallel()
	s := openStore(t, results.StoreOptions{MaxBytes: 5000})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			owner := strings.Repeat("o", i%5)
			handle, err := s.Put(task(owner), kept(strings.Repeat("x", 500)))
			if err != nil {
				t.Error(err)
			}
			if got, err := s.Get(task(owner), handle); err == nil && len(got.Text) != 500 || err != nil && !errors.Is(err, results.ErrUnknown) {
				t.Errorf("%d bytes, %v", len(got.Text), err)
			}
		})
	}
	wg.Wait()
}

// FuzzGet: a handle leads to nothing but the result for which it was given out, and for
// nobody but its owner.
func FuzzGet(f *testing.F) {
	s, err := results.OpenStore(results.StoreOptions{Dir: f.TempDir()})
	if err != nil {
		f.Fatal(err)
	}
	hers := results.Owner{Principal: principal.Principal{Issuer: "https://a.example", Subject: "alice"}, Task: "t"}
	handle, err := s.Put(hers, results.Kept{Document: shaping.Document{Text: "hers"}})
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"", "r_", handle, handle[:10], handle + "a", strings.ToUpper(handle), "../" + handle, handle + "\x00", "r_" + strings.Repeat("a", 20), strings.Repeat("r_", 50_000)} {
		f.Add(text, "alice", "t")
		f.Add(text, "bob", "t")
		f.Add(text, `alice" "t`, "")
	}
	f.Fuzz(func(t *testing.T, text, subject, task string) {
		owner := results.Owner{Principal: principal.Principal{Issuer: "https://a.example", Subject: subject}, Task: task}
		for _, one := range []string{text, handle} {
			got, err := s.Get(owner, one)
			if mine := owner == hers && one == handle; mine != (err == nil) || mine != (got.Text == "hers") || !mine && !errors.Is(err, results.ErrUnknown) {
				t.Errorf("%q of %v: %q, %v", one, owner, got.Text, err)
			}
		}
	})
}
