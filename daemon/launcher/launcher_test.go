package launcher_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/launcher"
)

// programs returns two programs, as two versions are.
func programs(t *testing.T) (first, second string) {
	t.Helper()
	dir := t.TempDir()
	first, second = filepath.Join(dir, "1", "winnowd"), filepath.Join(dir, "2", "winnowd")
	for _, path := range []string{first, second} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(path), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return first, second
}

// The launcher's path is the same for each version, and starts the one that ran
// last.
func TestEnsure(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a script there")
	}
	first, second := programs(t)
	user := t.TempDir()
	if err := launcher.Follow(user, first); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(launcher.Path(user)); !os.IsNotExist(err) {
		t.Errorf("got %v, want no launcher before somebody asks for one", err)
	}
	path, err := launcher.Ensure(user, first)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Dir(first)); err != nil { // the update
		t.Fatal(err)
	}
	if err := launcher.Follow(user, second); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != second {
		t.Errorf("got %s, %v; want what is at %s", data, err, second)
	}
	if again, err := launcher.Ensure(user, second); err != nil || again != path {
		t.Errorf("got %s, %v; want %s", again, err, path)
	}
}

// A program in the cache of npx is copied: the launcher starts it when the cache
// is empty, and the next version after that.
func TestEnsure_npx(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a script there")
	}
	first, second := programs(t)
	cache := filepath.Join(t.TempDir(), "_npx", "1a2b")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	inCache := filepath.Join(cache, "winnowd")
	if err := os.Rename(first, inCache); err != nil {
		t.Fatal(err)
	}
	user := t.TempDir()
	path, err := launcher.Ensure(user, inCache)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := launcher.Ensure(user, inCache); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("got another copy (%v), want the one that is there", err)
	}
	// A process that was started by the copy asks for the launcher.
	if again, err := launcher.Ensure(user, path); err != nil || again != path {
		t.Errorf("got %s, %v; want %s", again, err, path)
	}
	if err := os.RemoveAll(cache); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != first {
		t.Errorf("got %s, %v; want %s", data, err, first)
	}
	if _, err := launcher.Ensure(user, second); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != second {
		t.Errorf("got %s, %v; want %s", data, err, second)
	}
}

// What somebody else has put there is not replaced.
func TestEnsure_taken(t *testing.T) {
	t.Parallel()
	first, _ := programs(t)
	user := t.TempDir()
	path := launcher.Path(user)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := launcher.Ensure(user, first); err == nil {
		t.Error("got no error, want one")
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "mine" {
		t.Errorf("got %s, %v; want the file as it was", data, err)
	}
}
