//go:build unix

package socket

import (
	"errors"
	"os"
	"syscall"
)

// locked calls f while no other process creates the same socket.
func locked(path string, f func() error) error {
	file, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	err = syscall.EINTR
	for errors.Is(err, syscall.EINTR) {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	return errors.Join(f(), file.Close()) // closing releases the lock
}
