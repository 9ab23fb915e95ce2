package daemon_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
)

// built is winnowd's path, built at the first use, for all tests that run it as a
// process. The folder of the sockets goes with the tests.
var built = sync.OnceValues(func() (string, error) { return daemontest.Binary(os.Getenv("XDG_RUNTIME_DIR")) })

// scriptFile names a file of environment variables that a scripted server reads
// at its start. Its script may be too large for the user's configuration.
const scriptFile = "WINNOW_TEST_SCRIPT_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(scriptFile); path != "" {
		readScript(path)
	}
	daemontest.Main(m)
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
