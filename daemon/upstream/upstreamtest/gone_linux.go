package upstreamtest

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// UntilGone waits until processes have ended. They need not be children of the test: it
// uses pidfd_open(2).
func UntilGone(t testing.TB, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		fd, err := unix.PidfdOpen(pid, 0)
		if errors.Is(err, unix.ESRCH) {
			continue
		}
		if err != nil {
			t.Fatalf("process %d: %v", pid, err)
		}
		if !readable(t, fd) {
			t.Errorf("process %d still runs", pid)
		}
		_ = unix.Close(fd)
	}
}

// readable waits until a descriptor is readable, and reports whether it is.
func readable(t testing.TB, fd int) bool {
	t.Helper()
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(patience.Milliseconds()))
		if err == nil {
			return n > 0
		}
		if !errors.Is(err, unix.EINTR) {
			t.Fatalf("poll: %v", err)
		}
	}
}
