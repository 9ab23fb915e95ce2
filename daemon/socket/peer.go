package socket

import (
	"fmt"
	"net"
	"os"
)

// checkPeer returns an error if the peer of a socket is another user.
func checkPeer(c *net.UnixConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var uid int
	var known bool
	var peerErr error
	if err := raw.Control(func(fd uintptr) { uid, known, peerErr = peerUID(int(fd)) }); err != nil {
		return err
	}
	switch {
	case peerErr != nil:
		return fmt.Errorf("ask who is on the other side: %w", peerErr)
	case known && uid != os.Geteuid():
		return fmt.Errorf("%w: user %d is on the other side", errPrivate, uid)
	}
	return nil
}
