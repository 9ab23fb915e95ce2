package engine

import (
	"context"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
)

// saveEvery is how often changed learned data is written.
const saveEvery = 30 * time.Second

// quietTime is how long nothing must change to count as quiet.
const quietTime = 2 * time.Second

// passes requests passes over the configuration.
type passes struct {
	// requested requests a pass; settled requests one whose end is announced.
	requested chan struct{}
	settled   chan chan struct{}
	// active signals a change that no pass has made.
	active chan struct{}
}

func newPasses() passes {
	return passes{requested: make(chan struct{}, 1), settled: make(chan chan struct{}), active: make(chan struct{}, 1)}
}

// request requests another pass. Requests before the pass begins are merged.
func (p *passes) request() { signal(p.requested) }

// activity restarts the quiet time.
func (p *passes) activity() { signal(p.active) }

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run applies changes as new versions until the engine is closed.
func (e *Engine) run() {
	save := time.NewTicker(saveEvery)
	defer save.Stop()
	quiet := time.NewTimer(quietTime)
	defer quiet.Stop()
	for {
		var settled chan struct{}
		select {
		case <-e.life.Done():
			return
		case <-e.passes.requested:
			e.Workspace.Follow(e.life)
			e.reconfigure()
			e.followEmbeddings()
		case settled = <-e.passes.settled:
			e.reconfigure()
		case <-e.Workspace.Changed():
			e.reconfigure()
		case <-e.Upstream.Updates():
		case <-save.C:
			e.save()
			if !e.Workspace.Configuration().MissesProgram() {
				continue
			}
			e.reconfigure()
		case <-e.passes.active:
			if !e.Workspace.HostServersChanged() {
				quiet.Reset(quietTime)
				continue
			}
			e.reconfigure()
		case <-quiet.C:
			e.options.Quiet()
			e.options.Log.Debug("quiet")
			continue
		}
		// If the newest tools cause a panic, the catalogue published before stays in use.
		if err := failure.GuardAll(e.publisher.Publish); err != nil {
			e.options.Log.Error("the catalogue could not be published", "error", err)
		}
		quiet.Reset(quietTime)
		if settled != nil {
			close(settled)
		}
	}
}

// reconfigure applies the user's files and updates the servers. Servers with an unchanged
// definition are not touched.
func (e *Engine) reconfigure() {
	before := e.Settings.Load()
	e.tellSettings(e.Settings.ApplyFiles(workspace.SettingsOf(e.Workspace)))
	e.tellSettings(e.settingsFile.Reload(e.Settings))
	if e.Settings.Load() != before {
		e.passes.request() // other files may have to be followed
		e.inForce.tell(e.host, e.Settings)
	}
	if err := e.Upstream.Apply(e.life, e.Workspace.Reconfigure()); err != nil && e.life.Err() == nil {
		e.options.Log.Error("servers not changed", "error", err)
	}
	if e.Approvals.RevokedElsewhere() {
		toollock.Approvals{Keeper: e.Locks}.Refresh()
	}
	e.Approvals.List() // records the time of new ones
}

// followEmbeddings applies changed settings of embeddings in a goroutine.
func (e *Engine) followEmbeddings() {
	if work := e.embeddings.Follow(e.Settings.Load().Embeddings); work != nil {
		e.running.Go(func() { work(e.life) })
	}
}

// Settle returns after a pass that began after the call, so that earlier decisions are in
// force.
func (e *Engine) Settle(ctx context.Context) error {
	done := make(chan struct{})
	select {
	case e.passes.settled <- done:
	case <-ctx.Done():
		return ctx.Err()
	case <-e.life.Done():
		return e.life.Err()
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-e.life.Done():
		return e.life.Err()
	}
}

// save writes what is stored between runs.
func (e *Engine) save() {
	if err := e.Learned.Save(); err != nil {
		e.options.Log.Warn("something is not remembered for the next run", "error", err)
	}
}
