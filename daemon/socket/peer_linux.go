package socket

import "golang.org/x/sys/unix"

// peerUID returns who is on the other side of a socket.
func peerUID(fd int) (uid int, known bool, err error) {
	who, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, false, err
	}
	return int(who.Uid), true, nil
}
