package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/memory"
	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// saveEvery is how often the usage log, the log of loaded tools and the token
// counts are written while they change.
const saveEvery = 30 * time.Second

// quietTime is how long nothing has to change before it counts as quiet.
const quietTime = 2 * time.Second

// workspace is what a session works on: the configuration, the servers, and
// the catalogues made of them. One goroutine, run, folds what changes into the
// next version of each; requests load pointers.
type workspace struct {
	log        *slog.Logger
	host       *host
	now        func() time.Time
	quiet      func()
	environ    func(name string) (string, bool)
	catalogs   *catalogs
	usage      *memory.Uses
	misses     *memory.Misses
	clients    *memory.Clients
	edits      madeEdits
	telemetry  *telemetry
	consents   *config.Consents
	manager    *upstream.Manager
	files      *config.Watcher
	embeddings *embeddings
	kept       *results.Store
	answers    *answers
	paths      paths
	toolNames  protocol.ToolNames

	settings   atomic.Pointer[protocol.Settings]
	configured atomic.Pointer[configured]
	modeSlug   atomic.Pointer[string]
	trusted    atomic.Bool
	folders    atomic.Pointer[[]folder]
	// known is what the newest catalogue says of the daemon's own servers.
	known atomic.Pointer[upstream.Snapshot]

	// hostMu guards hostServers, the tools of each host source.
	hostMu      sync.Mutex
	hostServers map[string][]router.ServerInput

	// listener is told what servers announce; nil before somebody listens.
	listener atomic.Pointer[func(upstream.Announcement)]

	// news is told of each change of the catalogue or of a server's state.
	news news

	// started is closed by start; nothing runs before.
	started   chan struct{}
	startOnce sync.Once
	// changed asks run for another pass over the configuration, settled for
	// one whose end is told.
	changed chan struct{}
	settled chan chan struct{}
	// stirred tells run of a change that it has not made itself.
	stirred chan struct{}
	life    context.Context //nolint:containedctx // the workspace's own lifetime, ended by close
	end     context.CancelFunc
	running sync.WaitGroup

	// What follows belongs to run, and to openWorkspace before it.
	reported map[config.Problem]bool
	states   map[string]upstream.State
	lastOwn  []router.ServerInput
	// lastModes are the modes of the last version: they say which servers'
	// tools are in scope, and stand in no server's own policy.
	lastModes []config.Mode
}

// openWorkspace reads the configuration and publishes what is known of its
// servers. It starts none of them.
func openWorkspace(c *conn, o Options, p *protocol.InitializeParams) *workspace {
	life, end := context.WithCancel(context.WithoutCancel(c.life))
	w := &workspace{
		log: o.Log, now: o.Now, quiet: o.Quiet, environ: o.Environ,
		host:     &host{conn: c, can: p.Capabilities},
		catalogs: newCatalogs(memory.OpenTokenCounts(p.StoragePath, o.Log), newBuiltinModel(o.Log)),
		paths:    pathsOf(p), toolNames: p.ToolNames,
		hostServers: map[string][]router.ServerInput{},
		started:     make(chan struct{}), changed: make(chan struct{}, 1),
		settled: make(chan chan struct{}), stirred: make(chan struct{}, 1),
		life: life, end: end,
		reported: map[config.Problem]bool{}, states: map[string]upstream.State{},
	}
	w.telemetry = &telemetry{conn: c, enabled: func() bool { return w.settings.Load().Telemetry }}
	defaults := protocol.DefaultSettings()
	w.settings.Store(&defaults)
	w.applySettings(p.Settings)
	w.trusted.Store(p.Trusted)
	w.folders.Store(w.localFolders(p.WorkspaceFolders))
	w.modeSlug.Store(&p.Mode)
	w.open(o, p)
	w.running.Go(w.run)
	w.running.Go(func() { w.embeddings.replaceKeys(w.life) })
	return w
}

// open makes the parts that read files. What cannot be read is told, and
// stops nothing.
func (w *workspace) open(o Options, p *protocol.InitializeParams) {
	var err error
	if w.usage, err = memory.OpenUses(p.StoragePath, w.now); err != nil {
		w.warn(err)
	}
	if w.misses, err = memory.OpenMisses(p.StoragePath); err != nil {
		w.warn(err)
	}
	if w.clients, err = memory.OpenClients(p.StoragePath); err != nil {
		w.warn(err)
	}
	if w.consents, err = config.OpenConsents(p.StoragePath); err != nil {
		w.warn(err)
	}
	if w.kept, err = openResults(p.StoragePath, w.now); err != nil {
		w.warn(err)
	}
	w.answers = results.NewCache[upstream.Progress, *upstream.Result](w.life, w.now)
	network, err := networkOf(p.Network)
	if err != nil {
		w.warn(err)
	}
	w.embeddings = openEmbeddings(w, w.httpClient(network))
	w.manager = upstream.NewManager(upstream.Options{
		Logger: o.Log, StorageDir: w.paths.storage, ClientVersion: o.Version,
		HostEnv: w.hostEnv(p.Network), Network: network, Hooks: w.hooks(),
	})
	w.files = config.NewWatcher(w.sources(), config.WatchOptions{Log: o.Log})
	w.reconfigure()
	w.publish()
}

// httpClient returns a client that follows the host's network settings, or the
// environment's where those cannot be used.
func (w *workspace) httpClient(network upstream.Network) *http.Client {
	transport, err := network.HTTPTransport()
	if err != nil {
		w.warn(err)
		return &http.Client{}
	}
	return &http.Client{Transport: transport}
}

// warn tells the user of something that does not stop the session.
func (w *workspace) warn(err error) {
	w.log.Warn("session degraded", "error", err)
	w.host.show(protocol.ShowMessageParams{Type: protocol.MessageWarning, Message: err.Error()})
}

// start lets servers start: the host takes requests now.
func (w *workspace) start() {
	w.startOnce.Do(func() {
		close(w.started)
		w.poke()
	})
}

// poke asks for another pass over the configuration. Any number of pokes
// before the pass begins make one pass.
func (w *workspace) poke() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// stir puts the quiet off.
func (w *workspace) stir() {
	select {
	case w.stirred <- struct{}{}:
	default:
	}
}

// run folds changes into new versions until the workspace is closed.
func (w *workspace) run() {
	save := time.NewTicker(saveEvery)
	defer save.Stop()
	quiet := time.NewTimer(quietTime)
	defer quiet.Stop()
	for {
		var settled chan struct{}
		select {
		case <-w.life.Done():
			return
		case <-w.changed:
			w.follow()
			w.reconfigure()
			w.followEmbeddings()
		case settled = <-w.settled:
			w.reconfigure()
		case <-w.files.Changed():
			w.reconfigure()
		case <-w.manager.Updates():
		case <-save.C:
			w.save()
			continue
		case <-w.stirred:
			quiet.Reset(quietTime)
			continue
		case <-quiet.C:
			w.quiet()
			continue
		}
		// What is published stays, if something about the newest tools is
		// more than we can stand.
		if _, err := guard("internal error over what a server sent", func() (struct{}, error) { w.publish(); return struct{}{}, nil }); err != nil {
			w.log.Error("the catalogue could not be published", "error", err)
		}
		quiet.Reset(quietTime)
		if settled != nil {
			close(settled)
		}
	}
}

// settle returns when a pass that began after the call is over, so that what
// was decided before is in force.
func (w *workspace) settle(ctx context.Context) error {
	done := make(chan struct{})
	select {
	case w.settled <- done:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.life.Done():
		return w.life.Err()
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-w.life.Done():
		return w.life.Err()
	}
}

// save writes what is remembered between runs.
func (w *workspace) save() {
	if err := errors.Join(w.usage.Save(), w.misses.Save(), w.clients.Save(), w.catalogs.tokens.Save()); err != nil {
		w.log.Warn("something is not remembered for the next run", "error", err)
	}
}

// close stops the servers and everything else, until ctx ends.
func (w *workspace) close(ctx context.Context) error {
	w.end()
	done := make(chan error, 2)
	// The servers have to die also when run cannot end, because it is telling
	// something to a host that reads no more.
	go func() { done <- w.manager.Close(ctx) }()
	go func() {
		w.running.Wait()
		done <- w.files.Close()
	}()
	w.save()
	errs := []error{<-done, <-done}
	w.embeddings.close()
	w.answers.Close()
	if w.kept != nil {
		errs = append(errs, w.kept.Close())
	}
	return errors.Join(errs...)
}

// applySettings takes what the host says about settings and reports what
// cannot be used.
func (w *workspace) applySettings(raw json.RawMessage) {
	next, problems := decodeSettings(*w.settings.Load(), raw)
	for _, p := range problems {
		w.host.show(protocol.ShowMessageParams{
			Type: protocol.MessageWarning, Message: p.message, Setting: p.setting, Next: p.next,
		})
	}
	if !reflect.DeepEqual(next, *w.settings.Load()) {
		w.settings.Store(&next)
	}
}

// changeSettings applies settings at once; servers follow.
func (w *workspace) changeSettings(raw json.RawMessage) {
	w.applySettings(raw)
	w.poke()
}

// grantTrust lets the servers of the workspace start.
func (w *workspace) grantTrust() {
	w.trusted.Store(true)
	w.poke()
}

// changeFolders follows the host to other roots.
func (w *workspace) changeFolders(folders []protocol.WorkspaceFolder) {
	w.folders.Store(w.localFolders(folders))
	w.poke()
}

// consent keeps the user's answer about a file. It counts at once, also when
// it cannot be kept.
func (w *workspace) consent(ctx context.Context, file string, allow bool) error {
	return errors.Join(w.consents.Set(file, allow), w.settle(ctx))
}

// view returns what a request sees of a source under a mode.
func (w *workspace) view(source string, mode *router.Mode) (*router.View, error) {
	v, err := w.catalogs.view(source, w.settings.Load(), mode)
	if err != nil {
		return nil, err
	}
	v = v.WithUsage(w.usage.Usage())
	if v.Settings.Learn.Loads {
		v = v.WithMemory(w.misses.Recall())
	}
	return v, nil
}

// state returns the configuration in force.
func (w *workspace) state() *configured { return w.configured.Load() }

// currentMode returns the slug of the current mode.
func (w *workspace) currentMode() string { return *w.modeSlug.Load() }

// hear makes f the listener to what servers announce.
func (w *workspace) hear(f func(upstream.Announcement)) { w.listener.Store(&f) }

// setMode makes a mode the current one.
func (w *workspace) setMode(slug string) error {
	if _, err := w.modeOf(slug); err != nil {
		return err
	}
	w.modeSlug.Store(&slug)
	w.news.tell() // other tools are in scope
	return nil
}

// mode returns the policy of a mode; an empty slug is the current one.
func (w *workspace) mode(slug string) (*router.Mode, error) {
	if slug == "" {
		slug = w.currentMode()
	}
	return w.modeOf(slug)
}

// noMode is the policy of no mode: it admits every server.
func (w *workspace) noMode() *router.Mode { return w.state().modes[""] }

func (w *workspace) modeOf(slug string) (*router.Mode, error) {
	if mode, ok := w.state().modes[slug]; ok {
		return mode, nil
	}
	return nil, unknownMode(slug)
}

func unknownMode(slug string) error {
	return fail(protocol.KindUnknownMode, "See mode/list, or define it under `modes` in .vscode/winnow.json.",
		"there is no mode %q", slug)
}
