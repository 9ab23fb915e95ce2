package editor_test

import (
	"os"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestSession_leavesNothingOpen: a session in this process gives back its
// files and goroutines. goleak sees to the goroutines when all tests are over.
// It is the one test of this face that needs a whole daemon and servers: the
// files are those of the connection, the engine, and the servers' pipes.
func TestSession_leavesNothingOpen(t *testing.T) {
	// Not parallel: other sessions open files meanwhile.
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skipf("open files cannot be counted on this system: %v", err)
	}
	session := func() {
		h := daemontest.Run(t, daemontest.Options{Workspace: configtest.WorkspaceWith(t, configtest.Servers{
			"stubborn": configtest.Scripted(t, upstreamtest.Script{Stubborn: true}),
			"parent":   configtest.Scripted(t, upstreamtest.Script{Grandchild: "group"}),
			"both":     configtest.Scripted(t, upstreamtest.Script{Stubborn: true, Grandchild: "detached"}),
		}, nil)})
		h.Initialize(nil)
		for _, name := range []string{"stubborn", "parent", "both"} {
			h.UntilState(name, protocol.ServerReady)
		}
		h.Close()
	}
	session() // what is opened once and kept, such as the runtime's poller
	before := openFiles(t)
	session()
	if after := openFiles(t); after > before {
		t.Errorf("%d files are open after a session, %d before", after, before)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}
