package engine

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine/folder"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
)

// Roots are the folders in which people work. The servers that the names in them suggest
// rank higher.
type Roots struct{ engine *Engine }

// trusted returns the paths of the trusted workspace's folders, or none before the files
// are read.
func (r *Roots) trusted() []string {
	if c := r.engine.Workspace.Configuration(); c != nil {
		return c.Trusted
	}
	return nil
}

// follow observes folders until ctx or the engine ends.
func (r *Roots) follow(ctx context.Context, roots func() []string) *folder.Folder {
	e := r.engine
	seen := folder.New(folder.Options{
		Roots: roots, On: func() bool { return e.Settings.Load().Learn.Folder }, Now: e.options.Now,
	})
	life, end := context.WithCancel(e.life)
	context.AfterFunc(ctx, end)
	e.running.Go(func() { seen.Run(life) })
	return seen
}

// WorksIn makes a task's ranking use the folders of its client, by path, until ctx ends.
// They are used only if the user trusts the workspace of winnowd.
func (r *Roots) WorksIn(ctx context.Context, task *tasks.Entry, roots []string) {
	seen := r.follow(ctx, func() []string {
		if len(r.trusted()) == 0 {
			return nil
		}
		return roots
	})
	seen.Look(ctx)
	task.SetFamilies(seen.Families)
}
