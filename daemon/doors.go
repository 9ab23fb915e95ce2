package daemon

import (
	"errors"
	"net"
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/door"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
)

// doors are the sockets by which `winnowd mcp` joins this daemon, one for each
// folder of the workspace.
type doors struct {
	// mu guards what follows. It is held while sockets are made and closed,
	// which takes no other process.
	mu   sync.Mutex
	open map[string]*door.Door
	over bool

	serving sync.WaitGroup
}

// openDoors lets clients of the workspace's folders join, and those of folders
// that are no longer open leave. A door that cannot be opened is logged: the
// clients that look for it then serve themselves.
func (s *Server) openDoors() {
	d := &s.face.doors
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return
	}
	if d.open == nil {
		d.open = map[string]*door.Door{}
	}
	folders := s.engine.Workspace.Folders()
	for path, old := range d.open {
		if !slices.ContainsFunc(folders, func(f workspace.Folder) bool { return f.Path == path }) {
			delete(d.open, path)
			d.serving.Go(func() { s.logClose(old) })
		}
	}
	for _, f := range folders {
		if d.open[f.Path] != nil {
			continue
		}
		opened, err := door.Open(door.Place{Environ: s.options.Environ}, f.Path)
		if errors.Is(err, door.ErrTaken) {
			s.log.Debug("clients join another daemon", "folder", f.Path)
			continue
		}
		if err != nil {
			s.log.Warn("clients cannot join this daemon", "folder", f.Path, "error", err)
			continue
		}
		d.open[f.Path] = opened
		d.serving.Go(func() { opened.Serve(s.log, s.joined) })
	}
}

// joined serves one client of a door.
func (s *Server) joined(c net.Conn) {
	server, err := s.startGateway()
	if err == nil {
		err = server.ServePipe(s.engine.Life(), c, c)
	}
	if err != nil && !errors.Is(err, net.ErrClosed) {
		s.log.Warn("a client that had joined is lost", "error", err)
	}
}

func (s *Server) logClose(d *door.Door) {
	if err := d.Close(); err != nil {
		s.log.Warn("door not closed", "error", err)
	}
}

// close ends every visit and waits for its end.
func (d *doors) close() error {
	d.mu.Lock()
	d.over = true
	var errs []error
	for _, open := range d.open {
		errs = append(errs, open.Close())
	}
	d.mu.Unlock()
	d.serving.Wait()
	return errors.Join(errs...)
}
