package team

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/team/identity"
	"github.com/winnow-mcp/winnow/daemon/team/metrics"
	"github.com/winnow-mcp/winnow/daemon/team/pg"
	"github.com/winnow-mcp/winnow/daemon/team/vault"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

const (
	// lookEvery is how often a replica polls for new versions, besides notifications.
	lookEvery = time.Second
	// staleAfter is how long after its last poll a replica reports itself ready, and
	// refuseAfter how long it answers requests.
	staleAfter  = 10 * time.Second
	refuseAfter = time.Minute
	// withdrawTime is how long after a withdrawal a call that may write can still be made.
	withdrawTime = 2 * time.Second
	// startTime is how long a replica waits for its servers before it is ready.
	startTime = 15 * time.Second
)

// settings apply to every replica; the document's override them. Results are not stored,
// because a follow-up request may reach another replica. Nothing is learned, because all
// replicas must answer alike.
const settings = `{"gateway":{"confirmWrites":"never"},"results":{"maxChars":0,"references":false,"programs":false},` +
	`"learn":{"loads":false,"folder":false},"lock":"enforce","telemetry":false}`

// replica is one gateway of a team.
type replica struct {
	store  *pg.Store
	log    *slog.Logger
	dir    string
	engine *engine.Engine
	face   *gateway.Face

	verifier *identity.Verifier
	vault    *vault.Vault // nil without keys
	ring     *vault.Ring
	board    *board
	lists    *discovery
	metrics  *metrics.Metrics
	traces   traces

	current atomic.Pointer[checked]
	// configN, lockN, credentialN and listedN are the versions in force of the document,
	// of the lock's records, of the connected accounts and of servers' lists. They belong
	// to the goroutine that follows.
	configN, lockN, credentialN, listedN int64
	// looked is when the versions were last read.
	looked atomic.Pointer[time.Time]
	now    func() time.Time

	following sync.WaitGroup
}

// openReplica reads what is applied, and starts the servers.
func openReplica(ctx context.Context, store *pg.Store, o Options, dir string) (*replica, error) {
	r := &replica{
		store: store, log: o.Log, dir: dir, now: o.Now, board: &board{leases: store.Leases()}, lists: newDiscovery(store, o.Log),
		verifier: identity.New(identity.Options{Issuer: o.Issuer, Resource: o.Resource, GroupsClaim: o.GroupsClaim, ClientID: o.ClientID, ClientSecret: o.ClientSecret, Now: o.Now}),
	}
	r.openVault(o)
	r.traces = openTraces(o.Environ, o.Ring, o.Version, o.Log)
	r.metrics = metrics.New(func() float64 { return r.stale().Seconds() }, func() float64 { return float64(r.current.Load().n) })
	versions, err := store.Versions(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the versions: %w", err)
	}
	r.lockN, r.credentialN, r.listedN = versions[pg.Lock], versions[pg.Credential], versions[pg.Listed]
	r.noteLooked()
	first, err := load(ctx, store, 0)
	if err != nil {
		return nil, err
	}
	if err := r.write(first); err != nil {
		return nil, err
	}
	first.since = time.Now()
	r.current.Store(first)
	r.configN = first.n
	r.engine = engine.Open(engine.Options{
		Version: o.Version, Log: o.Log, Environ: o.Environ,
		Kept:    engine.Kept{Journal: record{store.Journal(), r}, Manifests: r.lists, Locks: store.Records()},
		Through: r.through, Called: r.traces.called,
		Class: func(class string) (*router.Mode, error) { return r.current.Load().policies.Mode(class) },
	}, host.Logging{Log: o.Log}, &protocol.InitializeParams{
		Client: protocol.ClientInfo{Name: Name, Version: o.Version}, StoragePath: filepath.Join(dir, "storage"), Settings: []byte(settings),
		UserConfigDir: r.userDir(), HomeDir: filepath.Join(dir, "home"),
	})
	r.engine.Start()
	r.face = gateway.New(gateway.Adapt(r.engine), gateway.Options{Version: o.Version, Log: o.Log, Environ: o.Environ, Received: r.traces.received, Stateless: true})
	return r, nil
}

func (r *replica) userDir() string { return filepath.Join(r.dir, "user") }

// write writes a document's configuration to the engine's folder.
func (r *replica) write(c *checked) error {
	if err := os.MkdirAll(r.userDir(), 0o700); err != nil {
		return err
	}
	text, err := c.forGateway()
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(r.userDir(), configName), text, 0o600)
}

// follow applies new versions until ctx ends.
func (r *replica) follow(ctx context.Context) {
	told := make(chan struct{}, 1)
	r.following.Go(func() {
		r.store.Listen(ctx, func() {
			select {
			case told <- struct{}{}:
			default:
			}
		})
	})
	r.following.Go(func() { r.tell(ctx) })
	r.following.Go(func() { r.lists.run(ctx, r.engine.Upstream) })
	r.following.Go(func() { r.sweep(ctx) })
	r.following.Go(func() {
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		for {
			select {
			case <-told:
			case <-look.C:
			case <-ctx.Done():
				return
			}
			if err := r.look(ctx); err != nil && ctx.Err() == nil {
				r.log.Warn("what is applied cannot be followed", "error", err)
			}
		}
	})
}

// tell records servers' unapproved items, until ctx ends.
func (r *replica) tell(ctx context.Context) {
	var before []byte
	for {
		changed := r.engine.Changes.Wait()
		var waiting []pg.Waiting
		for _, w := range (toollock.Approvals{Keeper: r.engine.Locks}).Waiting() {
			waiting = append(waiting, pg.Waiting{Folder: w.Folder, Server: w.Server, Key: w.Key, Entry: w.Entry, Raw: w.Raw})
		}
		now, err := json.Marshal(waiting)
		if err == nil && !bytes.Equal(now, before) {
			if err = r.store.Wait(ctx, waiting); err == nil {
				before = now
			}
		}
		var again <-chan time.Time
		if err != nil && ctx.Err() == nil {
			r.log.Warn("what waits for an approval cannot be noted", "error", err)
			again = time.After(staleAfter)
		}
		select {
		case <-changed:
		case <-again:
		case <-ctx.Done():
			return
		}
	}
}

// record is the record of calls. It counts them, and refuses those that were decided by a
// document that is not in force any more.
type record struct {
	pg.Journal

	replica *replica
}

// Append implements [journal.Sink].
func (c record) Append(ctx context.Context, entries []journal.Entry) error {
	if err := c.Journal.Append(ctx, entries); err != nil {
		return err
	}
	now := time.Now()
	decided := now
	for i := range entries {
		if e := &entries[i]; e.Outcome == journal.Intent && e.Time.Before(decided) {
			decided = e.Time
		}
	}
	if decided != now {
		if err := c.replica.inForce(ctx, decided); err != nil {
			return err
		}
	}
	for i := range entries {
		if e := &entries[i]; e.Kind == journal.Call && e.Outcome != journal.Intent {
			c.replica.metrics.Called(e.Outcome, time.Duration(e.DurationMs*float64(time.Millisecond)))
		}
	}
	return nil
}

// errNotInForce is returned if a decision came too late.
var errNotInForce = errors.New("what is applied has changed since this was allowed")

// inForce returns an error if a call that was allowed at a time must not be made now: a
// replica that could not reach the database for a while has not heard of a withdrawal.
func (r *replica) inForce(ctx context.Context, allowed time.Time) error {
	now := r.current.Load()
	if r.stale() < withdrawTime && allowed.After(now.since) {
		return nil
	}
	n, ago, err := r.store.Applied(ctx)
	if err == nil && ago > withdrawTime && (n != now.n || allowed.Before(now.since)) {
		err = errNotInForce
	}
	return err
}

// sweepEvery is how often calls without an outcome are looked for; lostAfter is when they
// count as lost.
const (
	sweepEvery = time.Minute
	lostAfter  = time.Hour
)

// sweep cleans up until ctx ends.
func (r *replica) sweep(ctx context.Context) {
	again := time.NewTicker(sweepEvery)
	defer again.Stop()
	for {
		unknown, err := r.store.Keeping().Sweep(ctx, lostAfter)
		switch {
		case err != nil && ctx.Err() == nil:
			r.log.Warn("the record is not swept", "error", err)
		case unknown > 0:
			r.log.Warn("calls have no outcome: their replica is gone", "calls", unknown)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

// look reads the versions, and applies new ones.
func (r *replica) look(ctx context.Context) error {
	versions, err := r.store.Versions(ctx)
	if err != nil {
		return err
	}
	if versions[pg.Config] != r.configN {
		next, err := load(ctx, r.store, 0)
		if err != nil {
			return err // it counts as not looked, since a version that cannot be followed is not in force
		}
		// Permissions apply at once, before servers start and stop.
		next.since = time.Now()
		r.current.Store(next)
		if err := r.write(next); err != nil {
			return err
		}
		r.log.Info("a new version is in force", "version", next.n)
		r.engine.ChangeSettings(&protocol.DidChangeSettingsParams{Settings: []byte(settings)}) // reads the file again
		r.configN = next.n
	}
	if n := versions[pg.Lock]; n != r.lockN {
		toollock.Approvals{Keeper: r.engine.Locks}.Refresh()
		r.lockN = n
	}
	if n := versions[pg.Listed]; n != r.listedN {
		r.lists.newer.Notify()
		r.listedN = n
	}
	if n := versions[pg.Credential]; n != r.credentialN && r.vault != nil {
		r.vault.Forget()
		r.credentialN = n
	}
	r.noteLooked()
	return nil
}

func (r *replica) noteLooked() {
	now := r.now()
	r.looked.Store(&now)
}

// stale returns how long ago the replica last read the versions.
func (r *replica) stale() time.Duration { return r.now().Sub(*r.looked.Load()) }

// awaitServers returns when every server's tools are known, or will not be soon.
func (r *replica) awaitServers(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if r.engine.Settle(ctx) != nil {
		return
	}
	for {
		changed := r.engine.Changes.Wait()
		if !r.engine.Catalog.Starting() && len(r.engine.Catalog.UnknownServers()) == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// close ends the replica. Its followers must have ended.
func (r *replica) close(ctx context.Context) error {
	r.following.Wait()
	err := errors.Join(r.face.Close(), r.engine.Close(ctx))
	r.traces.close(ctx, r.log)
	return err
}
