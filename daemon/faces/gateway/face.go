package gateway

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// label is the gateway's name in clients. A client with another server of that name would
// disable one of them.
const label = "winnow"

// Options configure a [Face].
type Options struct {
	// Version is sent to clients.
	Version string
	// Program returns the path of winnowd, which other clients start.
	Program func() string
	// Log logs events of clients.
	Log *slog.Logger
	// Environ looks up a variable of the daemon's environment.
	Environ func(name string) (string, bool)
	// Received is called for requests; see [mcpserver.Options].
	Received func(ctx context.Context, r mcpserver.Received) (context.Context, func(failed string))
	// Stateless: many users reach any of several gateways; see [mcpserver.Options]. They
	// are offered tools only.
	Stateless bool
}

// Face is the gateway of one engine. It listens on a port after the first call of Info.
type Face struct {
	engine  Engine
	options Options
	log     *slog.Logger
	startup startup
	clients clients
	sockets sockets
	levels  levels
	lists   *lists // nil before start
	// held returns the servers that wait for a person; nil where a host asks the user.
	held func() []heldServer

	// mu guards what follows.
	mu        sync.Mutex
	server    *mcpserver.Server
	end       func()
	listening bool
	over      bool

	watching sync.WaitGroup
}

// New returns a face that serves no client yet.
func New(e Engine, o Options) *Face {
	return &Face{engine: e, options: o, log: o.Log, startup: newStartup(), clients: newClients()}
}

// Info returns the gateway's address, and starts to listen on the first call.
func (f *Face) Info() (protocol.GatewayInfoResult, error) {
	server, err := f.listen()
	if err != nil {
		return protocol.GatewayInfoResult{}, err
	}
	free := freeLabel(f.engine.Configures)
	folder := firstFolder(f.engine.Folders())
	snippets := append(processSnippets(free, f.options.Program(), folder), addressSnippets(free, server.URL(), server.Token())...)
	for i := range snippets {
		snippets[i].Path, snippets[i].Language = pathIn(folder, snippets[i].File), languageOf(snippets[i].File)
	}
	return protocol.GatewayInfoResult{URL: server.URL(), Token: server.Token(), Label: free, Snippets: snippets}, nil
}

// ServePipe serves one client over two streams until the client closes its side, ctx ends
// or a write fails.
func (f *Face) ServePipe(ctx context.Context, in io.Reader, out io.Writer) error {
	server, err := f.start()
	if err != nil {
		return err
	}
	return server.ServePipe(ctx, in, out)
}

// listen returns the server, listening.
func (f *Face) listen() (*mcpserver.Server, error) {
	server, err := f.start()
	if err != nil {
		return nil, err
	}
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

// start returns the server, which the first call creates.
func (f *Face) start() (*mcpserver.Server, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return nil, errOver()
	}
	if f.server != nil {
		return f.server, nil
	}
	f.server = mcpserver.New(mcpserver.Options{
		Backend: f, Stateless: f.options.Stateless, Name: label, Version: f.options.Version, Received: f.options.Received, Log: f.log,
	})
	life, end := context.WithCancel(f.engine.Life())
	f.lists = &lists{life: life, reading: &f.watching}
	settled := f.startup.settleWithin(life, settleTime)
	unlisten := f.engine.Listen(f.announced)
	f.end = func() {
		settled()
		end()
		unlisten()
	}
	f.watching.Go(func() { f.watch(life, f.server) })
	return f.server, nil
}

// Handler returns the gateway as a handler for the caller's HTTP server, which supplies
// the principal of each request; see [mcpserver.Server.Handler].
func (f *Face) Handler() (http.Handler, error) {
	server, err := f.start()
	if err != nil {
		return nil, err
	}
	return server.Handler(), nil
}

// watch notifies clients of changes until life ends.
func (f *Face) watch(life context.Context, server *mcpserver.Server) {
	for {
		changed := f.engine.Changes()
		f.startup.noteKnown(len(f.engine.Snapshot().Servers) - len(f.engine.UnknownServers()))
		server.CatalogChanged(life)
		f.applyLevels(life)
		for _, s := range f.clients.all() {
			s.offers.follow()
		}
		select {
		case <-changed:
		case <-life.Done():
			return
		}
	}
}

// Close ends the gateway and its sessions.
func (f *Face) Close() error {
	f.mu.Lock()
	f.over = true
	server, end := f.server, f.end
	f.mu.Unlock()
	err := f.sockets.close()
	if server == nil {
		return err
	}
	end()
	f.watching.Wait()
	return errors.Join(err, server.Close())
}

// Open implements [mcpserver.Backend]. Each session is a task.
func (f *Face) Open(client mcpserver.Client) mcpserver.Session {
	e := f.engine
	seen := e.Refreshes(client.Name, client.Version)
	s := &session{
		face: f, engine: e, client: client, entry: e.OpenTask(client),
		mode: router.ModeFor(e.Settings(), client.Name, seen),
	}
	s.life, s.end = context.WithCancel(e.Life())
	var offering Servers = e
	if f.options.Stateless {
		offering = nothing{e}
	}
	s.offers = &offers{servers: offering, client: client, log: f.log, lists: f.lists, called: s.logs.noteCall, listed: map[string]string{}}
	f.clients.enter(s)
	return s
}
