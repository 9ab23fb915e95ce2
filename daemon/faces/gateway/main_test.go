package gateway_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

func TestMain(m *testing.M) {
	upstreamtest.Main()
	// The sockets of the daemons under test, where the user's own are not.
	dir, err := os.MkdirTemp("", "winnow-gateway")
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("XDG_RUNTIME_DIR", dir); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}
