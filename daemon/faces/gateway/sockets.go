package gateway

import (
	"errors"
	"net"
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/socket"
)

// sockets holds the sockets by which `winnowd mcp` joins this daemon, one for each folder
// of the workspace.
type sockets struct {
	// mu guards the fields below. It is held while sockets are opened, which waits for no
	// other process.
	mu   sync.Mutex
	open map[string]*socket.Listener
	over bool

	serving sync.WaitGroup
}

// FollowFolders opens a socket for each new folder of the workspace, and closes those of
// folders that are no longer open. If another daemon serves a folder, its clients join
// that one. If a socket cannot be opened, that is logged, and the clients of the folder
// serve themselves.
func (f *Face) FollowFolders() {
	l := &f.sockets
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	if l.open == nil {
		l.open = map[string]*socket.Listener{}
	}
	folders := f.engine.Folders()
	for path, old := range l.open {
		if !slices.ContainsFunc(folders, func(folder workspace.Folder) bool { return folder.Path == path }) {
			delete(l.open, path)
			l.serving.Go(func() { f.logClose(old) })
		}
	}
	for _, folder := range folders {
		if l.open[folder.Path] != nil {
			continue
		}
		opened, err := socket.Listen(socket.Place{Environ: f.options.Environ}, folder.Path)
		if errors.Is(err, socket.ErrInUse) {
			f.log.Debug("clients join another daemon", "folder", folder.Path)
			continue
		}
		if err != nil {
			f.log.Warn("clients cannot join this daemon", "folder", folder.Path, "error", err)
			continue
		}
		l.open[folder.Path] = opened
		f.log.Debug("clients can join", "folder", folder.Path)
		l.serving.Go(func() { opened.Serve(f.log, f.joined) })
	}
}

// joined serves one client of a socket.
func (f *Face) joined(c net.Conn) {
	err := f.ServePipe(f.engine.Life(), c, c)
	if err != nil && !errors.Is(err, net.ErrClosed) {
		f.log.Warn("a client that had joined is lost", "error", err)
	}
}

func (f *Face) logClose(l *socket.Listener) {
	if err := l.Close(); err != nil {
		f.log.Warn("socket not closed", "error", err)
		return
	}
	f.log.Debug("clients cannot join any more")
}

// close ends all connections and waits for their end.
func (l *sockets) close() error {
	l.mu.Lock()
	l.over = true
	var errs []error
	for _, open := range l.open {
		errs = append(errs, open.Close())
	}
	l.mu.Unlock()
	l.serving.Wait()
	return errors.Join(errs...)
}
