//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package upstreamtest

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// UntilGone waits until processes have ended. They need not be children of the test: it
// uses kqueue(2).
func UntilGone(t testing.TB, pids ...int) {
	t.Helper()
	queue, err := unix.Kqueue()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(queue) }()
	limit := unix.NsecToTimespec(patience.Nanoseconds())
	for _, pid := range pids {
		var end [1]unix.Kevent_t
		unix.SetKevent(&end[0], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
		end[0].Fflags = unix.NOTE_EXIT
		n := 0
		for {
			n, err = unix.Kevent(queue, end[:], end[:], &limit)
			if !errors.Is(err, unix.EINTR) {
				break
			}
		}
		switch {
		case errors.Is(err, unix.ESRCH):
		case err != nil:
			t.Fatalf("process %d: %v", pid, err)
		case n == 0:
			t.Errorf("process %d still runs", pid)
		}
	}
}
