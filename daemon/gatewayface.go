package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/gateway"
	"github.com/winnow-mcp/winnow/protocol"
)

// gatewayLabel names the gateway in clients. A client that knows a server by
// the same name would switch one of them off.
const gatewayLabel = "winnow"

// gatewayFace is the gateway of a session with a host. It listens on a port
// when somebody asks where it is.
type gatewayFace struct {
	// mu guards what follows.
	mu        sync.Mutex
	server    *gateway.Server
	end       context.CancelFunc
	listening bool
	over      bool
	sessions  map[*gatewaySession]struct{}
	// warned holds the clients of which the user was told that they are shown
	// too many tools.
	warned map[string]bool
	// starting is closed when the servers of a session without a host start; nil
	// with a host, which starts them itself. It is set before anybody is served.
	starting chan struct{}
	// listed is closed when a client has had its list.
	listed     chan struct{}
	listedOnce sync.Once
	// settling ends when nothing waits any more for servers that start.
	settling context.Context //nolint:containedctx // the time since the gateway's start

	watching sync.WaitGroup
	doors    doors
	levels   logLevels
}

// gatewayInfo answers gateway/info.
func (s *Server) gatewayInfo(context.Context, *protocol.Empty) (protocol.GatewayInfoResult, error) {
	server, err := s.listenGateway()
	if err != nil {
		return protocol.GatewayInfoResult{}, err
	}
	label := s.freeLabel()
	return protocol.GatewayInfoResult{
		URL: server.URL(), Token: server.Token(), Label: label,
		Snippets: append(processSnippets(label, s.program(), s.workspace.folder()),
			addressSnippets(label, server.URL(), server.Token())...),
	}, nil
}

// listenGateway returns the gateway, which listens from now on.
func (s *Server) listenGateway() (*gateway.Server, error) {
	server, err := s.startGateway()
	if err != nil {
		return nil, err
	}
	f := &s.face
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return nil, errOver()
	}
	if !f.listening {
		if err := server.Listen(); err != nil {
			return nil, err
		}
		f.listening = true
	}
	return server, nil
}

// startGateway returns the gateway, which is made at the first call.
func (s *Server) startGateway() (*gateway.Server, error) {
	f := &s.face
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return nil, errOver()
	}
	if f.server != nil {
		return f.server, nil
	}
	f.sessions, f.listed = map[*gatewaySession]struct{}{}, make(chan struct{})
	f.server = gateway.New(gateway.Options{
		Backend: gatewayBackend{s}, Name: gatewayLabel, Version: s.options.Version, Log: s.log,
	})
	life, end := context.WithCancel(s.workspace.life)
	settling, settled := context.WithTimeout(life, settleTime)
	f.settling = settling
	f.end = func() {
		settled()
		end()
	}
	f.watching.Go(func() { s.watchCatalog(life, f.server) })
	s.workspace.hear(s.announced)
	return f.server, nil
}

func errOver() error {
	return fail(protocol.KindLifecycle, "Start a new daemon.", "the session is over")
}

// watchCatalog tells clients of what has come, until life ends.
func (s *Server) watchCatalog(life context.Context, server *gateway.Server) {
	for {
		changed := s.workspace.news.wait()
		server.CatalogChanged(life)
		s.applyLevels(life)
		for _, g := range s.face.open() {
			g.tellOffers()
		}
		select {
		case <-changed:
		case <-life.Done():
			return
		}
	}
}

// enter and leave note the open sessions.
func (f *gatewayFace) enter(g *gatewaySession) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sessions[g] = struct{}{}
}

func (f *gatewayFace) leave(g *gatewaySession) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.sessions, g)
}

// settled is closed when the gateway has had its time to settle.
func (f *gatewayFace) settled() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.settling.Done()
}

// noteList notes that a client has had its list.
func (f *gatewayFace) noteList() {
	f.listedOnce.Do(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		close(f.listed)
	})
}

// awaitStart returns when servers may be called.
func (f *gatewayFace) awaitStart(ctx context.Context) {
	if f.starting == nil {
		return
	}
	f.noteList() // whoever calls waits for no list
	select {
	case <-f.starting:
	case <-ctx.Done():
	}
}

// firstList is closed when a client has had its list.
func (f *gatewayFace) firstList() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.listed
}

// open returns the open sessions.
func (f *gatewayFace) open() []*gatewaySession {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Keys(f.sessions))
}

// close ends the gateway and its sessions.
func (f *gatewayFace) close() error {
	f.mu.Lock()
	f.over = true
	server, end := f.server, f.end
	f.mu.Unlock()
	err := f.doors.close()
	if server == nil {
		return err
	}
	end()
	f.watching.Wait()
	return errors.Join(err, server.Close())
}

// freeLabel is a name that no server of the user's has.
func (s *Server) freeLabel() string {
	label := gatewayLabel
	for n := 2; ; n++ {
		if _, taken := s.workspace.state().config.Server(label); !taken {
			return label
		}
		label = fmt.Sprintf("%s%d", gatewayLabel, n)
	}
}
