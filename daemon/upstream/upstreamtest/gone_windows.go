package upstreamtest

import (
	"errors"
	"testing"

	"golang.org/x/sys/windows"
)

// UntilGone waits until processes have ended. They need not be children of the test: a
// process handle is signalled at the end of its process.
func UntilGone(t testing.TB, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
		if errors.Is(err, windows.ERROR_INVALID_PARAMETER) { // no such process
			continue
		}
		if err != nil {
			t.Fatalf("process %d: %v", pid, err)
		}
		event, err := windows.WaitForSingleObject(process, uint32(patience.Milliseconds()))
		if err != nil {
			t.Fatalf("process %d: %v", pid, err)
		}
		if event != windows.WAIT_OBJECT_0 {
			t.Errorf("process %d still runs", pid)
		}
		_ = windows.CloseHandle(process)
	}
}
