package daemontest

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// Main is the TestMain of packages that run a daemon. The test binary is also its
// servers. The gateway's sockets are in a separate place, nothing is shared with another
// daemon, and no goroutine may be left.
func Main(m *testing.M) {
	upstreamtest.Main()
	dir, err := os.MkdirTemp("", "winnowd-test")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{"XDG_RUNTIME_DIR": dir, "WINNOW_SHARE": "off"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}
