package door

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"syscall"
)

// ErrNobody is returned by [Knock] when no daemon of the workspace runs.
var ErrNobody = errors.New("no daemon of this workspace is running")

// Knock connects to the daemon of a workspace. Any error but [ErrNobody] says
// what is wrong with the door.
func Knock(p Place, workspace string) (*net.UnixConn, error) {
	path, err := p.socket(workspace)
	if err != nil {
		return nil, err
	}
	err = checkDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNobody
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
		return nil, ErrNobody // a daemon that was killed leaves its socket behind
	case err != nil:
		return nil, fmt.Errorf("connect to the running daemon: %w", err)
	}
	if err := checkPeer(c); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}
