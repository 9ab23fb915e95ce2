package door

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

// ErrTaken is returned by [Open] when another daemon of the same workspace
// keeps the door already.
var ErrTaken = errors.New("another daemon of this workspace is running")

// retryTime is the pause after a failure to accept, such as too many open
// files, which would otherwise keep a processor busy.
const retryTime = 50 * time.Millisecond

// Door is one workspace's socket.
type Door struct {
	path     string
	self     fs.FileInfo
	listener *net.UnixListener

	// mu guards what follows.
	mu     sync.Mutex
	guests map[net.Conn]struct{}
	closed bool

	visits sync.WaitGroup
}

// Open makes the door of a workspace. Who comes waits until [Door.Serve].
func Open(p Place, workspace string) (*Door, error) {
	path, err := p.socket(workspace)
	if err != nil {
		return nil, err
	}
	if err := makeDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	switch c, err := dial(path); {
	case err == nil:
		_ = c.Close()
		return nil, ErrTaken
	case !errors.Is(err, ErrNobody):
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove the socket of a daemon that is gone: %w", err)
	}
	return listen(path)
}

func listen(path string) (*Door, error) {
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen for clients: %w", err)
	}
	// Close removes the socket only while it is still this one.
	listener.SetUnlinkOnClose(false)
	self, err := os.Lstat(path)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return &Door{path: path, self: self, listener: listener, guests: map[net.Conn]struct{}{}}, nil
}

// Serve lets each guest in and hands the connection to visit, which returns
// when it is over; the connection is closed then. It returns after [Door.Close].
func (d *Door) Serve(log *slog.Logger, visit func(net.Conn)) {
	for {
		c, err := d.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			log.Warn("a client could not come in", "error", err)
			time.Sleep(retryTime)
			continue
		}
		if err := d.admit(c, visit); err != nil {
			log.Warn("a client was not let in", "error", err)
		}
	}
}

// admit begins a visit, unless a stranger comes or the door is closed.
func (d *Door) admit(c *net.UnixConn, visit func(net.Conn)) error {
	if err := checkPeer(c); err != nil {
		return errors.Join(err, c.Close())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return c.Close()
	}
	d.guests[c] = struct{}{}
	d.visits.Go(func() {
		defer d.leave(c)
		visit(c)
	})
	return nil
}

func (d *Door) leave(c net.Conn) {
	d.mu.Lock()
	delete(d.guests, c)
	d.mu.Unlock()
	_ = c.Close()
}

// Close lets nobody in any more, ends every visit and waits for its end.
func (d *Door) Close() error {
	d.mu.Lock()
	d.closed = true
	for c := range d.guests {
		_ = c.Close()
	}
	d.mu.Unlock()
	// Another daemon may have found this one gone and put its own in the place,
	// with an inode that was free again.
	if now, err := os.Lstat(d.path); err == nil && os.SameFile(now, d.self) && now.ModTime().Equal(d.self.ModTime()) {
		_ = os.Remove(d.path)
	}
	err := d.listener.Close()
	d.visits.Wait()
	return err
}
