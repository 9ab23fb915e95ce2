package catalog

import (
	"context"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/upstream"
)

// AwaitStarts returns when no server is about to be ready, after limit at the
// latest.
func (p *Publisher) AwaitStarts(ctx context.Context, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		changed := p.changes.Wait()
		if !p.starting() {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// starting reports whether a server is about to be ready, as the newest
// catalogue has it.
func (p *Publisher) starting() bool {
	for _, s := range p.Known().Servers {
		switch s.Status.State {
		case upstream.Starting:
			return true
		case upstream.Configured:
			if s.Hold == "" || s.Hold == workspace.HoldStart {
				return true
			}
		}
	}
	return false
}
