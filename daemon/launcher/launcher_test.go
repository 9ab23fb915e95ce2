package launcher_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

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

// followed checks that an update makes no launcher before somebody asks for one,
// and returns the path of the launcher that is asked for then.
func followed(t *testing.T, user, program string, update func(user, program string) error) string {
	t.Helper()
	if err := update(user, program); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(launcher.Path(user)); !os.IsNotExist(err) {
		t.Errorf("got %v, want no launcher before somebody asks for one", err)
	}
	path, err := launcher.Ensure(user, program)
	if err != nil {
		t.Fatal(err)
	}
	return path
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
	path := followed(t, user, first, launcher.Follow)
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

// versions returns two versions of this test's own program in caches of npx: it
// is a program of Go's, as winnowd is. The second was installed later.
func versions(t *testing.T) (first, second string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a script there")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	version := func(number string, installed time.Time) string {
		t.Helper()
		path := filepath.Join(dir, "_npx", number, "winnowd")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile(path, append(data, number...), 0o700), os.Chtimes(path, installed, installed)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	now := time.Now()
	return version("1", now.Add(-time.Hour)), version("2", now)
}

// wantVersion checks which version the launcher starts.
func wantVersion(t *testing.T, path, want string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(data[len(data)-1:]); got != want {
		t.Errorf("the launcher starts version %q, want %q", got, want)
	}
}

// A program in the cache of npx is copied: the launcher starts it when the cache
// is empty, and the next version after that.
func TestEnsure_npx(t *testing.T) {
	t.Parallel()
	first, second := versions(t)
	user := t.TempDir()
	path, err := launcher.Ensure(user, first)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := launcher.Ensure(user, first); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("got another copy (%v), want the one that is there", err)
	}
	// A process that was started by the copy asks for the launcher.
	if again, err := launcher.Ensure(user, path); err != nil || again != path {
		t.Errorf("got %s, %v; want %s", again, err, path)
	}
	if err := os.RemoveAll(filepath.Dir(first)); err != nil {
		t.Fatal(err)
	}
	wantVersion(t, path, "1")
	if _, err := launcher.Ensure(user, second); err != nil {
		t.Fatal(err)
	}
	wantVersion(t, path, "2")
}

// A version that npx runs renews the launcher, unless it was installed before
// the one that the launcher starts.
func TestFollowNPX(t *testing.T) {
	t.Parallel()
	first, second := versions(t)
	user := t.TempDir()
	path := followed(t, user, first, launcher.FollowNPX)
	for _, run := range []struct{ program, want string }{{first, "1"}, {second, "2"}, {first, "2"}, {path, "2"}} {
		if err := launcher.FollowNPX(user, run.program); err != nil {
			t.Fatal(err)
		}
		wantVersion(t, path, run.want)
	}
	installed, _ := programs(t)
	if err := launcher.FollowNPX(user, installed); err != nil {
		t.Fatal(err)
	}
	wantVersion(t, path, "2") // what npx has not run changes nothing here
}

// Find makes nothing, and names the launcher where there is one that works.
func TestFind(t *testing.T) {
	t.Parallel()
	first, _ := programs(t)
	user := t.TempDir()
	if got := launcher.Find(user, first); got != first {
		t.Errorf("got %s, want the program %s", got, first)
	}
	if entries, err := os.ReadDir(user); err != nil || len(entries) > 0 {
		t.Errorf("got %v, %v; want nothing made", entries, err)
	}
	path, err := launcher.Ensure(user, first)
	if err != nil {
		t.Fatal(err)
	}
	if got := launcher.Find(user, first); got != path {
		t.Errorf("got %s, want the launcher %s", got, path)
	}
}

// An upgrade by Homebrew deletes the folder of the version before: the launcher
// is a link to the path that Homebrew keeps.
func TestProgram_homebrew(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no Homebrew")
	}
	prefix := t.TempDir()
	old := filepath.Join(prefix, "Cellar", "winnow", "1.0.0", "bin", "winnowd")
	if err := errors.Join(os.MkdirAll(filepath.Dir(old), 0o700), os.WriteFile(old, nil, 0o700)); err != nil {
		t.Fatal(err)
	}
	if got := launcher.Lasting(old); got != old {
		t.Errorf("got %s, want %s: nothing links to it", got, old)
	}
	opt := filepath.Join(prefix, "opt", "winnow")
	if err := errors.Join(os.Mkdir(filepath.Dir(opt), 0o700), os.Symlink("../Cellar/winnow/1.0.0", opt)); err != nil {
		t.Fatal(err)
	}
	if got, want := launcher.Lasting(old), filepath.Join(opt, "bin", "winnowd"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What somebody else has put there is not replaced, were it a program.
func TestEnsure_taken(t *testing.T) {
	t.Parallel()
	first, _ := programs(t)
	for _, mode := range []os.FileMode{0o600, 0o755} {
		user := t.TempDir()
		path := launcher.Path(user)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("mine"), mode); err != nil {
			t.Fatal(err)
		}
		if _, err := launcher.Ensure(user, first); err == nil {
			t.Errorf("%o: got no error, want one", mode)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != "mine" {
			t.Errorf("%o: got %s, %v; want the file as it was", mode, data, err)
		}
		if got := launcher.Find(user, first); got != first {
			t.Errorf("%o: got %s, want the program and not what is no launcher", mode, got)
		}
	}
}
