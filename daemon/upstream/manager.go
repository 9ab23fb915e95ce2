package upstream

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/process"
	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// Manager runs a set of MCP servers. Its methods are safe for concurrent use.
type Manager struct {
	opts   Options
	dialer *wire.Dialer
	shared *shared
	// life is cancelled by Close; every server runs under it.
	life   context.Context //nolint:containedctx // the manager's own lifetime, cancelled by Close
	cancel context.CancelFunc
	work   sync.WaitGroup

	snapshot atomic.Pointer[Snapshot]
	updates  chan struct{}

	// applying serializes Apply.
	applying sync.Mutex
	// mu guards the fields below. It is not held across I/O.
	mu      sync.Mutex
	servers map[string]*server
	// order is the order of the configuration. It omits servers that are being removed.
	order  []string
	closed bool
}

// NewManager returns a manager without servers.
func NewManager(opts Options) *Manager {
	opts = opts.withDefaults()
	m := &Manager{opts: opts, servers: map[string]*server{}, updates: make(chan struct{}, 1)}
	m.life, m.cancel = context.WithCancel(context.Background())
	m.dialer = &wire.Dialer{
		Log: opts.Logger, ClientVersion: opts.ClientVersion, HostEnv: opts.HostEnv, Network: opts.Network, Hooks: opts.Hooks,
		Announced: m.announced, Holder: opts.Holder, Client: opts.Client,
	}
	m.shared = &shared{
		dial:      opts.dial,
		manifests: manifests{log: opts.Logger},
		log:       opts.Logger,
		unmasked:  opts.Unmasked,
		announced: m.announced,
		published: m.publish,
		slept:     opts.Slept,
		retire:    m.retire,
	}
	if m.shared.dial == nil {
		m.shared.dial = m.dialer.Dial
	}
	switch {
	case opts.Manifests != nil:
		m.shared.manifests.kept = opts.Manifests
	case opts.StorageDir != "":
		m.shared.manifests = openManifests(filepath.Join(opts.StorageDir, "manifests"), opts.Logger)
	}
	if m.shared.manifests.kept != nil {
		m.work.Go(m.shared.manifests.prune)
	}
	m.work.Go(func() {
		if killed := process.SweepOrphans(); killed > 0 {
			opts.Logger.Info("ended what the servers of a killed daemon had left behind", "processes", killed)
		}
	})
	m.snapshot.Store(&Snapshot{})
	return m
}

// ClearManifests deletes all saved manifests. It does not touch running servers; a server
// that lists its tools again is saved again.
func (m *Manager) ClearManifests() error { return m.shared.manifests.clear() }

// Apply makes want the set of servers. It does not wait for servers to start or stop.
// When it returns, the snapshot has every server, with the tools that an earlier run has
// saved. Servers whose configuration is unchanged are not touched. If a name is missing
// or repeated, it returns an error and changes nothing.
func (m *Manager) Apply(ctx context.Context, want []Config) error {
	m.applying.Lock()
	defer m.applying.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	changes, err := reconcile(want, m.configs())
	if err != nil {
		return fmt.Errorf("apply the configuration: %w", err)
	}
	added, err := m.place(want, changes)
	if err != nil {
		return err
	}
	m.carryOut(changes)
	// The first views are created here, so that the snapshot is complete when Apply
	// returns.
	for _, s := range added {
		s.introduce()
	}
	m.publish()
	for _, s := range added {
		m.work.Go(func() { s.run(m.life) })
	}
	return nil
}

// configs returns the configuration of every server that is not being removed.
func (m *Manager) configs() map[string]Config {
	m.mu.Lock()
	defer m.mu.Unlock()
	have := make(map[string]Config, len(m.servers))
	for name, s := range m.servers {
		if w, _ := s.wanted(); !w.removed {
			have[name] = w.cfg
		}
	}
	return have
}

// place creates new servers and returns those that need a goroutine. A server that is
// still being removed is reused.
func (m *Manager) place(want []Config, changes []change) ([]*server, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	m.order = m.order[:0:0]
	for _, cfg := range want {
		m.order = append(m.order, cfg.Name)
	}
	var added []*server
	for _, c := range changes {
		if c.kind != addServer {
			continue
		}
		if leaving, exists := m.servers[c.name]; exists {
			leaving.change(func(w *wants) { w.removed = false })
			continue
		}
		s := newServer(c.name, m.shared)
		m.servers[c.name] = s
		added = append(added, s)
	}
	return added, nil
}

// carryOut passes each change to its server. Reading manifests takes the most time, so it
// runs in parallel.
func (m *Manager) carryOut(changes []change) {
	slots := make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	var reading sync.WaitGroup
	for _, c := range changes {
		s := m.find(c.name)
		if c.kind == removeServer {
			s.change(func(w *wants) { w.removed = true })
			continue
		}
		slots <- struct{}{}
		reading.Go(func() {
			defer func() { <-slots }()
			s.adopt(c.cfg)
		})
	}
	reading.Wait()
}

func (m *Manager) find(name string) *server {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.servers[name]
}

// retire removes a server, unless it is wanted again; then it returns false.
func (m *Manager) retire(s *server) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if w, _ := s.wanted(); !w.removed {
		return false
	}
	delete(m.servers, s.name)
	return true
}

// publish stores a new snapshot of the servers' views and signals Updates.
func (m *Manager) publish() {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := &Snapshot{Version: m.snapshot.Load().Version + 1, Servers: make([]ServerSnapshot, 0, len(m.order))}
	for _, name := range m.order {
		if s := m.servers[name]; s != nil {
			if v := s.seen.Load(); v != nil {
				next.Servers = append(next.Servers, v.ServerSnapshot)
			}
		}
	}
	m.snapshot.Store(next)
	if m.closed {
		return
	}
	select {
	case m.updates <- struct{}{}:
	default:
	}
}

// Snapshot returns the present state of all servers. It never blocks.
func (m *Manager) Snapshot() *Snapshot { return m.snapshot.Load() }

// Updates returns a channel that receives when there is a newer snapshot. Several changes
// may be merged into one receive. Close closes it. It is meant for one receiver.
func (m *Manager) Updates() <-chan struct{} { return m.updates }

// Close stops all servers with their processes and waits for them. When ctx ends, it
// kills those that are left. It takes under two seconds, whatever the servers do, unless
// the machine is too busy to let killed ones exit: see killedTime.
func (m *Manager) Close(ctx context.Context) error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil
	}
	m.closed = true
	close(m.updates)
	m.mu.Unlock()
	m.cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.work.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	m.opts.Logger.Warn("MCP servers are killed: they have not ended in time")
	m.dialer.Kill()
	select {
	case <-done:
		return nil
	case <-time.After(killedTime):
		return errors.New("some MCP servers have not ended in time")
	}
}

// killedTime is how long Close waits for killed servers to exit. They do so at once, unless
// the machine is too busy to let them, which must not make a command fail that has done
// its work.
const killedTime = 5 * time.Second
