package daemon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// buildDir is where winnowd is built, once for all tests that run it as a
// process.
func buildDir() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("winnowd-test-%d", os.Getpid()))
}

// built is winnowd's path, built at the first use.
var built = sync.OnceValues(func() (string, error) {
	if err := os.MkdirAll(buildDir(), 0o700); err != nil {
		return "", err
	}
	return daemontest.Binary(buildDir())
})

// scriptFile names a file of environment variables that a scripted server reads
// at its start. Its script may be too large for the user's configuration.
const scriptFile = "WINNOW_TEST_SCRIPT_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(scriptFile); path != "" {
		readScript(path)
	}
	upstreamtest.Main()
	// The doors of the daemons under test, where the user's own are not.
	if err := os.MkdirAll(buildDir(), 0o700); err != nil {
		panic(err)
	}
	if err := os.Setenv("XDG_RUNTIME_DIR", buildDir()); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(buildDir())
		os.Exit(code)
	}))
}

func readScript(path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	name, value, _ := strings.Cut(string(data), "=")
	if err := os.Setenv(name, value); err != nil {
		panic(err)
	}
}

// winnowd returns the path of the built daemon.
func winnowd(t testing.TB) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
