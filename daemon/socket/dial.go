package socket

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"syscall"
)

// ErrNoDaemon is returned by [Dial] if no daemon of the workspace runs.
var ErrNoDaemon = errors.New("no daemon of this workspace is running")

// Dial connects to the daemon of a workspace. Any error except [ErrNoDaemon] describes a
// problem of the socket.
func Dial(p Place, workspace string) (*net.UnixConn, error) {
	path, err := p.socket(workspace)
	if err != nil {
		return nil, err
	}
	err = checkDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoDaemon
	}
	if err != nil {
		return nil, err
	}
	return dial(path)
}

func dial(path string) (*net.UnixConn, error) {
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, ErrNoDaemon // a killed daemon leaves its socket behind
	case err != nil:
		return nil, fmt.Errorf("connect to the running daemon: %w", err)
	}
	if err := checkPeer(c); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}
