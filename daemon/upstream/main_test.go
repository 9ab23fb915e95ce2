package upstream

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// TestMain plays the scripted servers, and checks that no goroutine outlives
// the tests.
func TestMain(m *testing.M) {
	upstreamtest.Main()
	beDaemon()
	goleak.VerifyTestMain(tests{m})
}

// tests closes what the tests' own HTTP clients keep open for later.
type tests struct{ *testing.M }

// Run implements goleak.TestingM.
func (t tests) Run() int {
	code := t.M.Run()
	http.DefaultClient.CloseIdleConnections()
	return code
}
