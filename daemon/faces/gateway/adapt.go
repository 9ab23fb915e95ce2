package gateway

import (
	"cmp"
	"context"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Adapt returns e as an [Engine].
func Adapt(e *engine.Engine) Engine {
	return adapted{e, e.Offers, e.Upstream, e.Modes, e.Announcements, e.Roots}
}

// adapted implements [Engine] by the engine's parts. Embedded parts have the methods
// unchanged.
type adapted struct {
	*engine.Engine        // Life, ShowMessage
	*engine.Offers        // ListAll, PromptAllowed
	*upstream.Manager     // Request, Snapshot, Subscribe, Unsubscribe
	*workspace.Modes      // Admits, InScope
	*engine.Announcements // Listen
	*engine.Roots         // WorksIn
}

// OpenTask implements [Tasks]. The gateway sees no message, so the task's title is the
// name of its client.
func (a adapted) OpenTask(c mcpserver.Client) *tasks.Entry {
	title := strings.Join(strings.Fields(c.Name), " ")
	var e *tasks.Entry
	if c.Shared {
		e = a.Tasks.AddShared(c.Principal, c.Class, tasks.NewID())
	} else {
		e = a.Tasks.Add(c.Principal, tasks.NewID())
	}
	e.Note(func(f *protocol.TaskFacts) { f.Title = cmp.Or(title, "gateway") })
	return e
}

// CloseTask implements [Tasks].
func (a adapted) CloseTask(e *tasks.Entry) error {
	a.Tasks.Remove(e.Principal, e.ID)
	return a.Turns.Forget(e)
}

// View implements [Tasks].
func (a adapted) View(e *tasks.Entry, t *router.Task) (*router.View, error) {
	v, _, err := a.Turns.NextView(e, t, nil)
	return v, err
}

// Call implements [Tasks].
func (a adapted) Call(ctx context.Context, e *tasks.Entry, c calls.Call) (*protocol.TaskCallResult, error) {
	return a.Calls.Invoke(ctx, e, c)()
}

// Silent implements [Tasks].
func (a adapted) Silent(server string) bool { return a.Upstream.Silent(server) }

// ProcessorTime implements [Tasks].
func (a adapted) ProcessorTime(server string) uint64 { return a.Upstream.ProcessorTime(server) }

// UnknownServers implements [Tasks].
func (a adapted) UnknownServers() []string { return a.Catalog.UnknownServers() }

// Starting implements [Tasks].
func (a adapted) Starting() bool { return a.Catalog.Starting() }

// Refreshes implements [Tasks].
func (a adapted) Refreshes(client, version string) router.Refreshes {
	return a.Learned.Clients.Refreshes(client, version)
}

// RecordRefreshes implements [Tasks].
func (a adapted) RecordRefreshes(client, version string, refreshes bool) {
	a.Learned.Clients.Record(client, version, refreshes)
}

// Instructions implements [Servers].
func (a adapted) Instructions(server, said string) string { return a.Locks.Instructions(server, said) }

// PromptsTold implements [Servers].
func (a adapted) PromptsTold(server string) string { return a.Locks.PromptsTold(server) }

// Changes implements [Workspace].
func (a adapted) Changes() <-chan struct{} { return a.Engine.Changes.Wait() }

// Settings implements [Workspace].
func (a adapted) Settings() *protocol.Settings { return a.Engine.Settings.Load() }

// Folders implements [Workspace].
func (a adapted) Folders() []workspace.Folder { return a.Workspace.Folders() }

// Configures implements [Workspace].
func (a adapted) Configures(server string) bool {
	_, there := a.Workspace.Configuration().Server(server)
	return there
}

// ResourcesAllowed implements [Servers].
func (a adapted) ResourcesAllowed(server string) error {
	return toollock.Approvals{Keeper: a.Locks}.ResourcesAllowed(server)
}
