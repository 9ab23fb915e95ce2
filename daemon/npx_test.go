package daemon_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestFollowNPX: what npx runs becomes what other clients start where it serves
// one, and nothing is written where it only tells something.
func TestFollowNPX(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a launcher there is a script, which npx does not renew")
	}
	dir := t.TempDir()
	program, home := filepath.Join(dir, "_npx", "0a", "winnowd"), filepath.Join(dir, "home")
	config := filepath.Join(home, ".config")
	if runtime.GOOS == "darwin" {
		config = filepath.Join(home, "Library", "Application Support")
	}
	launcher := filepath.Join(config, "winnow", "bin", "winnowd")
	err := errors.Join(
		os.MkdirAll(filepath.Dir(program), 0o700), os.MkdirAll(filepath.Dir(launcher), 0o700), os.Link(winnowd(t), program),
		os.Symlink(filepath.Join(dir, "gone"), launcher),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args    []string
		renewed bool
	}{
		{[]string{"-version"}, false},
		{[]string{"journal"}, false},
		{[]string{"connect"}, false},
		{[]string{"connect", "codex", "-print"}, false},
		{[]string{"connect", "codex", "-undo"}, false},
		{[]string{"mcp", "-alone", "-workspace", dir}, true},
	} {
		c := exec.Command(program, tt.args...)
		c.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("winnowd %q: %v\n%s", tt.args, err, out)
		}
		info, err := os.Lstat(launcher)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode()&fs.ModeSymlink == 0; got != tt.renewed {
			t.Errorf("winnowd %q has renewed the launcher: %v, want %v", tt.args, got, tt.renewed)
		}
	}
}
