package team

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/broadcast"
	"github.com/winnow-mcp/winnow/daemon/team/pg"
	"github.com/winnow-mcp/winnow/daemon/upstream"
)

// discovery is what servers list, as the replicas share it. It implements
// [upstream.SharedManifests]: of the replicas that are connected to a server, the one with
// the lease asks it for its tools, and the others read what that one wrote. While the
// database cannot be reached, each asks for itself and writes nothing.
type discovery struct {
	pg.Manifests

	leases pg.Leases
	owner  string
	log    *slog.Logger
	// newer notifies of a changed manifest.
	newer broadcast.Broadcast

	// mu guards lists, which are by a configuration's hash.
	mu    sync.Mutex
	lists map[string]*list
}

// list is what a replica knows of the list of a server.
type list struct {
	// lease is certain to hold until a time; zero if it does not.
	lease pg.Lease
	until time.Time
	// failed: the server was asked in vain.
	failed bool
	// n is how often the manifest had changed when it was last read or written.
	n int64
	// asked: what the server was asked for is not written yet. apart: it will not be,
	// because another replica has the lease by now, or the database is away.
	asked, apart bool
}

func newDiscovery(store *pg.Store, log *slog.Logger) *discovery {
	host, _ := os.Hostname()
	return &discovery{
		Manifests: store.Manifests(upstream.ManifestFormat), leases: store.Leases(), log: log,
		owner: fmt.Sprint(host, " ", os.Getpid(), " ", rand.Text()), lists: map[string]*list{},
	}
}

// of returns a list. d.mu must be held.
func (d *discovery) of(hash string) *list {
	if d.lists[hash] == nil {
		d.lists[hash] = &list{}
	}
	return d.lists[hash]
}

// Asks implements [upstream.SharedManifests].
func (d *discovery) Asks(ctx context.Context, hash string) (asks bool, data []byte, err error) {
	for {
		newer := d.newer.Wait()
		_, asks = d.lease(hash)
		if !asks {
			asks, err = d.acquire(ctx, hash)
		}
		if err == nil && !asks {
			data, err = d.read(ctx, hash)
		}
		switch {
		case ctx.Err() != nil:
			return false, nil, context.Cause(ctx)
		case err != nil:
			d.log.Warn("what a server lists is not shared", "error", err)
			asks = true
		}
		if asks {
			d.mu.Lock()
			defer d.mu.Unlock()
			one := d.of(hash)
			one.asked, one.apart = true, err != nil
			return true, nil, nil
		}
		if data != nil {
			return false, data, nil
		}
		select {
		case <-newer:
		case <-time.After(lookEvery): // the replica that asks may have ended
		case <-ctx.Done():
		}
	}
}

// acquire takes the lease on a list if nobody has it, and reports whether it did.
func (d *discovery) acquire(ctx context.Context, hash string) (bool, error) {
	until := time.Now().Add(leaseTime)
	lease, ok, err := d.leases.Acquire(ctx, pg.Lease{Name: d.Lease(hash), Owner: d.owner}, leaseTime)
	if err != nil || !ok {
		return false, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	one := d.of(hash)
	one.lease, one.until, one.failed = lease, until, false
	return true, nil
}

// lease returns the lease on a list, if it holds.
func (d *discovery) lease(hash string) (pg.Lease, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	one := d.of(hash)
	return one.lease, time.Now().Before(one.until)
}

// read reads a manifest, and notes which.
func (d *discovery) read(ctx context.Context, hash string) ([]byte, error) {
	data, n, err := d.Newest(ctx, hash)
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		one := d.of(hash)
		one.n, one.asked, one.apart = n, false, false
	}
	return data, err
}

// Read implements [upstream.Manifests].
func (d *discovery) Read(hash string) ([]byte, error) { return d.read(context.Background(), hash) }

// Write implements [upstream.Manifests].
func (d *discovery) Write(hash string, data []byte) error {
	lease, ok := d.lease(hash)
	n, err := int64(0), pg.ErrLeaseOver
	if ok {
		n, err = d.Share(context.Background(), lease, hash, data)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	one := d.of(hash)
	asked := one.asked
	one.asked = false
	switch {
	case err == nil:
		one.n, one.apart = n, false
	case !asked: // another replica has written it
		return nil
	default:
		one.apart = true
	}
	if errors.Is(err, pg.ErrLeaseOver) {
		one.until = time.Time{}
	}
	return err
}

// Failed implements [upstream.SharedManifests].
func (d *discovery) Failed(hash string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of(hash).failed = true
}

// run keeps the leases and follows what others write, until ctx ends.
func (d *discovery) run(ctx context.Context, servers *upstream.Manager) {
	again := time.NewTicker(leaseEvery)
	defer again.Stop()
	for {
		newer := d.newer.Wait()
		if err := d.turn(ctx, servers); err != nil && ctx.Err() == nil {
			d.log.Warn("servers' lists are not followed", "error", err)
		}
		select {
		case <-again.C:
		case <-newer:
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookEvery)
			defer cancel()
			if err := d.leases.Release(ctx, d.owner, ""); err != nil {
				d.log.Warn("servers' lists stay reserved until the leases end", "error", err)
			}
			return
		}
	}
}

// turn renews the leases on servers that are connected and releases the others. It lets
// the servers list again whose manifest has changed, that nobody asks, and that this
// replica has asked for itself alone.
func (d *discovery) turn(ctx context.Context, servers *upstream.Manager) error {
	states := servers.States()
	for _, lease := range d.unfit(states) {
		if err := d.leases.Release(ctx, d.owner, lease); err != nil {
			return err
		}
	}
	if err := d.renew(ctx); err != nil {
		return err
	}
	taken, err := d.leases.All(ctx)
	if err != nil {
		return err
	}
	changes, err := d.Changes(ctx)
	if err != nil {
		return err
	}
	for hash, state := range states {
		d.mu.Lock()
		one := d.of(hash)
		// Nobody else writes while this replica has the lease.
		again := one.apart || changes[hash] != one.n && !time.Now().Before(one.until)
		d.mu.Unlock()
		// Acquired here and not by the listing, which may take longer than a turn.
		if _, asked := taken[d.Lease(hash)]; !asked && state == upstream.Ready {
			acquired, err := d.acquire(ctx, hash)
			if err != nil {
				return err
			}
			again = again || acquired
		}
		if again {
			servers.Relist(hash)
		}
	}
	return nil
}

// unfit returns the leases on servers that this replica cannot ask, and forgets them.
func (d *discovery) unfit(states map[string]upstream.State) (leases []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for hash, one := range d.lists {
		if state := states[hash]; one.until.IsZero() || !one.failed && (state == upstream.Ready || state == upstream.Starting) {
			continue
		}
		leases = append(leases, one.lease.Name)
		one.until, one.failed = time.Time{}, false
	}
	return leases
}

// renew extends the leases, and forgets those that are over. One that was taken meanwhile
// may be missing among the renewed.
func (d *discovery) renew(ctx context.Context) error {
	until := time.Now().Add(leaseTime)
	renewed, err := d.leases.Renew(ctx, d.owner, leaseTime)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for hash, one := range d.lists {
		if lease, ok := renewed[d.Lease(hash)]; ok {
			one.lease, one.until = lease, until
		} else if one.until.Before(until) {
			one.until = time.Time{}
		}
	}
	return nil
}
