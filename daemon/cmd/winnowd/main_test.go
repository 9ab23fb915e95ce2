package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// programVariable makes the test's program winnowd.
const programVariable = "WINNOW_TEST_PROGRAM"

func TestMain(m *testing.M) {
	upstreamtest.Main()
	if os.Getenv(programVariable) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program returns a path of the test's program that is called as winnowd is.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), daemon.Name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if err := os.Symlink(self, path); err != nil {
		t.Skipf("NOT TESTED: this machine makes no symbolic links: %v", err)
	}
	return path
}

// environment is that of the test with variables for winnowd.
func environment(more ...string) []string {
	return append(append(slices.Clone(os.Environ()), programVariable+"=1", daemon.ShareVariable+"="+daemon.ShareOff), more...)
}

// winnowd is a command line of winnowd with a home of its own.
func winnowd(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), program(t), args...)
	home := t.TempDir()
	c.Env = environment("HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home)
	return c
}
