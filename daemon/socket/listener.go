package socket

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ErrInUse is returned by [Listen] if another daemon of the workspace has the socket.
var ErrInUse = errors.New("another daemon of this workspace is running")

// retryTime is the pause after a failed accept, such as for too many open files, to avoid
// a busy loop.
const retryTime = 50 * time.Millisecond

// Listener is one workspace's socket.
type Listener struct {
	path     string
	self     fs.FileInfo
	listener *net.UnixListener

	// mu guards the following fields.
	mu      sync.Mutex
	clients map[net.Conn]struct{}
	closed  bool

	serving sync.WaitGroup
}

// Listen creates the socket of a workspace, or for "" that of the user's holder of
// processes. Clients wait until [Listener.Serve].
func Listen(p Place, workspace string) (*Listener, error) {
	path, err := p.socket(workspace)
	if err != nil {
		return nil, err
	}
	if err := makeDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	var l *Listener
	err = locked(path, func() (err error) {
		l, err = replaceAt(path)
		return err
	})
	return l, err
}

// replaceAt replaces the socket of a dead daemon, if any, and listens.
func replaceAt(path string) (*Listener, error) {
	switch c, err := dial(path); {
	case err == nil:
		_ = c.Close()
		return nil, ErrInUse
	case !errors.Is(err, ErrNoDaemon):
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove the socket of a daemon that is gone: %w", err)
	}
	return listenAt(path)
}

func listenAt(path string) (*Listener, error) {
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen for clients: %w", err)
	}
	// Close must remove the socket only if it is still this one.
	listener.SetUnlinkOnClose(false)
	self, err := os.Lstat(path)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return &Listener{path: path, self: self, listener: listener, clients: map[net.Conn]struct{}{}}, nil
}

// Serve accepts clients and calls serve for each connection, which is closed when serve
// returns. Serve returns after [Listener.Close].
func (l *Listener) Serve(log *slog.Logger, serve func(net.Conn)) {
	for {
		c, err := l.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			log.Warn("a client could not come in", "error", err)
			time.Sleep(retryTime)
			continue
		}
		if err := l.admit(c, serve); err != nil {
			log.Warn("a client was not let in", "error", err)
		}
	}
}

// admit serves a connection, unless its user is another one or the listener is closed.
func (l *Listener) admit(c *net.UnixConn, serve func(net.Conn)) error {
	if err := checkPeer(c); err != nil {
		return errors.Join(err, c.Close())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return c.Close()
	}
	l.clients[c] = struct{}{}
	l.serving.Go(func() {
		defer l.leave(c)
		serve(c)
	})
	return nil
}

func (l *Listener) leave(c net.Conn) {
	l.mu.Lock()
	delete(l.clients, c)
	l.mu.Unlock()
	_ = c.Close()
}

// Close stops accepting, closes every connection and waits for their end.
func (l *Listener) Close() error {
	l.mu.Lock()
	l.closed = true
	for c := range l.clients {
		_ = c.Close()
	}
	l.mu.Unlock()
	err := l.Leave()
	l.serving.Wait()
	return err
}

// Leave stops accepting, so that another listener can start. Existing connections stay.
func (l *Listener) Leave() error {
	// Another daemon may have replaced this socket by its own, with a reused inode.
	if now, err := os.Lstat(l.path); err == nil && os.SameFile(now, l.self) && now.ModTime().Equal(l.self.ModTime()) {
		_ = os.Remove(l.path)
	}
	return l.listener.Close()
}
