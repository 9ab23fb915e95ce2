package socket

import "golang.org/x/sys/unix"

// peerUID returns the user ID of a socket's peer.
func peerUID(fd int) (uid int, known bool, err error) {
	who, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, false, err
	}
	return int(who.Uid), true, nil
}
