package upstream

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// TestManager_LeavesNothing: after servers of every kind have lived and died,
// the process has the file descriptors and the children that it had before.
// (That no goroutine is left is checked for the whole package in TestMain.)
// It is not parallel: it counts what belongs to the whole process.
func TestManager_LeavesNothing(t *testing.T) {
	url := serveHTTP(t, mcpserver.NewStreamableHTTPServer(newToolServer()))
	round := func() {
		m := newTestManager(t, Options{StorageDir: t.TempDir()})
		apply(t, m,
			scriptedConfig(t, "good", upstreamtest.Script{}),
			scriptedConfig(t, "grandchild", upstreamtest.Script{Grandchild: "group"}),
			scriptedConfig(t, "exits", upstreamtest.Script{ExitOn: "initialize"}),
			scriptedConfig(t, "hangs", upstreamtest.Script{Ignore: []string{"initialize"}}),
			Config{Name: "nowhere", Command: "no-such-program-xyz"},
			Config{Name: "web", URL: url},
			Config{Name: "closed", URL: "http://127.0.0.1:1/"},
		)
		for _, name := range []string{"good", "grandchild", "web"} {
			waitState(t, m, name, Ready)
		}
		waitState(t, m, "exits", Failed)
		if err := m.Restart("good"); err != nil {
			t.Fatal(err)
		}
		waitFor(t, m, "good", "a second life", func(s ServerSnapshot) bool { return s.Status.Generation == 2 && s.Status.State == Ready })
		_, err := tryCall(t, m, "good", "exit", "")
		if err == nil {
			t.Error("a call to a server that exits has an answer")
		}
		closeManager(t, m)
	}
	round()
	before := openFiles(t)
	for range 3 {
		round()
	}
	if after := openFiles(t); len(after) > len(before) {
		t.Errorf("got the open files %q, want those of before: %q", after, before)
	}
	if left := descendants(t); len(left) > 0 {
		t.Errorf("got the processes %+v, want none", left)
	}
}

// daemonVariable makes the test binary a daemon with one stubborn server,
// whose process id goes to the sink that it names.
const daemonVariable = "WINNOW_TEST_DAEMON"

// daemonGrandchild is what its server leaves behind, see upstreamtest.Script.
const daemonGrandchild = "WINNOW_TEST_DAEMON_GRANDCHILD"

// TestManager_Killed: a server that would ignore everything else dies when the
// daemon is killed.
func TestManager_Killed(t *testing.T) {
	t.Parallel()
	kill, family := startDaemon(t, "", 1)
	kill()
	upstreamtest.UntilGone(t, family...)
}

// startDaemon runs the test binary as a daemon, waits for the processes of its
// server, of which there are a number, and returns them. kill ends the daemon
// at once.
func startDaemon(t *testing.T, grandchild string, processes int) (kill func(), family []int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	noted := upstreamtest.Listen(t)
	daemon := exec.Command(self)
	daemon.Env = append(os.Environ(), daemonVariable+"="+noted.Address(), daemonGrandchild+"="+grandchild)
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	noted.Until("a server of the daemon", func(text string) bool { return len(strings.Fields(text)) == processes })
	return func() {
		t.Helper()
		if err := daemon.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		// It was killed, which Wait calls an error.
		_ = daemon.Wait()
	}, parsePIDs(t, noted.Text())
}

// openFiles lists what the process has open.
func openFiles(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, entry := range entries {
		target, err := os.Readlink("/proc/self/fd/" + entry.Name())
		// The connections of the test's own HTTP server are not ours.
		if err == nil && !strings.HasPrefix(target, "socket:") {
			files = append(files, target)
		}
	}
	return files
}

// descendants lists the processes that this one has started, however far down.
func descendants(t *testing.T) []string {
	t.Helper()
	var found []string
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for len(tasks) > 0 {
		data, _ := os.ReadFile(tasks[0]) // a process may be gone by now
		tasks = tasks[1:]
		for _, pid := range strings.Fields(string(data)) {
			if line, _ := os.ReadFile("/proc/" + pid + "/cmdline"); strings.Contains(string(line), "winnowd-watcher") {
				continue // it lives as long as this process
			}
			found = append(found, pid)
			below, _ := filepath.Glob("/proc/" + pid + "/task/*/children") // the pattern is right
			tasks = append(tasks, below...)
		}
	}
	return found
}
