//go:build unix

package daemon_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// endWithin is the time in which the daemon has to be gone with everything
// that it started. A busy machine may be late, and is not late endTries times
// in a row; a daemon that waits for somebody is.
const (
	endWithin = 2 * time.Second
	endTries  = 10
)

// stubborn are servers that do not want to die, and that note their processes in
// a file or a sink, "" for none: one ignores its closed input and SIGTERM, and three
// leave a process behind, in their own process group and out of it.
func stubborn(t *testing.T, pidFile string) servers {
	t.Helper()
	return servers{
		"stubborn": scripted(t, upstreamtest.Script{Stubborn: true, PIDFile: pidFile}),
		"parent":   scripted(t, upstreamtest.Script{Grandchild: "group", PIDFile: pidFile}),
		"both":     scripted(t, upstreamtest.Script{Stubborn: true, Grandchild: "detached", PIDFile: pidFile}),
		"orphan":   scripted(t, upstreamtest.Script{Grandchild: "orphan", PIDFile: pidFile}),
		"silent":   scripted(t, upstreamtest.Script{Stubborn: true, Ignore: []string{"initialize", "server/discover"}, PIDFile: pidFile}),
	}
}

// stubbornProcesses is how many processes those servers are.
const stubbornProcesses = 8

// allStubborn reports whether all of their processes have been noted.
func allStubborn(noted string) bool { return len(strings.Fields(noted)) == stubbornProcesses }

// pids returns the processes that have been noted in a file.
func pids(t *testing.T, file string) []int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return parsePIDs(t, string(data))
}

// parsePIDs reads process ids, one a line.
func parsePIDs(t *testing.T, text string) []int {
	t.Helper()
	var all []int
	for _, field := range strings.Fields(text) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pid)
	}
	return all
}

// TestProcess_ends: however the daemon ends, it is gone in two seconds, and so
// are its servers and what they started, even those that do not want to.
//
// It does not run beside other tests, which would take its time.
func TestProcess_ends(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(t *testing.T, h *daemontest.Host)
		code int
	}{
		{"EOF", func(_ *testing.T, h *daemontest.Host) { h.CloseInput() }, 0},
		{"the host dies", func(_ *testing.T, h *daemontest.Host) { h.HangUp() }, 0},
		{"exit", func(_ *testing.T, h *daemontest.Host) {
			daemontest.Call[protocol.Empty](h, protocol.MethodShutdown, protocol.Empty{})
			h.Notify(protocol.MethodExit, protocol.Empty{})
		}, 0},
		{"exit without shutdown", func(_ *testing.T, h *daemontest.Host) {
			h.Notify(protocol.MethodExit, protocol.Empty{})
		}, 1},
		{"SIGTERM", func(t *testing.T, h *daemontest.Host) {
			if err := syscall.Kill(h.PID, syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}, 0},
		{"SIGHUP", func(t *testing.T, h *daemontest.Host) {
			if err := syscall.Kill(h.PID, syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
		}, 0},
		{"EOF in a call", func(_ *testing.T, h *daemontest.Host) {
			a := open(h, "sleep")
			h.Begin(protocol.MethodTaskCall, protocol.TaskCallParams{
				Task: a.Task, Name: "mcp__both__sleep", Arguments: json.RawMessage(`{"ms":3600000}`),
			})
			h.CloseInput()
		}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			endsInTime(t, func() time.Duration { return endStubborn(t, test.end, test.code) })
		})
	}
}

// endsInTime fails when no try to end a daemon took at most endWithin.
func endsInTime(t *testing.T, try func() time.Duration) {
	t.Helper()
	var took []time.Duration
	for range endTries {
		last := try()
		if last <= endWithin || t.Failed() {
			return
		}
		took = append(took, last)
	}
	t.Errorf("it took %s", took)
}

// endStubborn starts a daemon with stubborn servers, ends it, and returns how
// long it took until nothing was left of it and them.
func endStubborn(t *testing.T, end func(*testing.T, *daemontest.Host), code int) time.Duration {
	t.Helper()
	started := upstreamtest.Listen(t)
	h := daemontest.Start(t, winnowd(t), daemontest.Options{Workspace: workspaceWith(t, stubborn(t, started.Address()), nil)})
	h.Initialize(nil)
	for _, name := range []string{"stubborn", "parent", "both", "orphan"} {
		h.UntilState(name, protocol.ServerReady)
	}
	started.Until("the processes", allStubborn)
	start := time.Now()
	end(t, h)
	err := h.Wait()
	upstreamtest.UntilGone(t, parsePIDs(t, started.Text())...)
	took := time.Since(start)
	if got := exitCode(err); got != code && took <= endWithin { // one that is late says so
		t.Errorf("exit code %d, want %d: %v\n%s", got, code, err, h.Log())
	}
	return took
}

// exitCode returns the code of a process that has ended.
func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// TestProcess_hostThatReadsNoMore: a host that is stuck does not keep the
// daemon alive, whether it then closes its pipe or the daemon is told to end.
func TestProcess_hostThatReadsNoMore(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(cmd *exec.Cmd, in io.Closer) error
	}{
		{"EOF", func(_ *exec.Cmd, in io.Closer) error { return in.Close() }},
		{"SIGTERM", func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Signal(syscall.SIGTERM) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			endsInTime(t, func() time.Duration { return endUnread(t, test.end) })
		})
	}
}

// endUnread starts a daemon with stubborn servers and a host that reads nothing,
// ends it, and returns how long it took until nothing was left of it and them.
func endUnread(t *testing.T, end func(cmd *exec.Cmd, in io.Closer) error) time.Duration {
	t.Helper()
	started := upstreamtest.Listen(t)
	cmd, in := hostThatReadsNothing(t, workspaceWith(t, stubborn(t, started.Address()), nil))
	started.Until("the processes", allStubborn)
	// More answers than a pipe holds, so that the daemon is stuck too.
	for id := range 2000 {
		sendFrame(t, in, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"catalog/list","params":{}}`, id+10))
	}
	start := time.Now()
	if err := end(cmd, in); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	upstreamtest.UntilGone(t, parsePIDs(t, started.Text())...)
	took := time.Since(start)
	if exitCode(err) < 0 {
		t.Errorf("it was ended by a signal: %v", err)
	}
	return took
}

// hostThatReadsNothing starts a daemon whose output nobody reads.
func hostThatReadsNothing(t *testing.T, workspace string) (*exec.Cmd, io.WriteCloser) {
	t.Helper()
	cmd := exec.Command(winnowd(t))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = out.Close()
	})
	params, err := json.Marshal(protocol.InitializeParams{
		ProtocolVersion:  protocol.Version,
		WorkspaceFolders: []protocol.WorkspaceFolder{{URI: configtest.FileURI(workspace)}},
		Trusted:          true, HomeDir: t.TempDir(), UserConfigDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	sendFrame(t, in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+string(params)+`}`)
	sendFrame(t, in, `{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	return cmd, in
}

func sendFrame(t *testing.T, in io.Writer, body string) {
	t.Helper()
	if _, err := fmt.Fprintf(in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		t.Fatal(err)
	}
}

// TestProcess_endsWhileItOpens: a host that dies before initialize is answered
// leaves nothing behind.
func TestProcess_endsWhileItOpens(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pids")
	cmd, in := hostThatReadsNothing(t, workspaceWith(t, stubborn(t, file), nil))
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); exitCode(err) < 0 {
		t.Errorf("it was ended by a signal: %v", err)
	}
	upstreamtest.UntilGone(t, pids(t, file)...)
}
