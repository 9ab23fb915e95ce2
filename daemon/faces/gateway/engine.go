package gateway

import (
	"context"
	"encoding/json"

	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Engine is the engine, as this face needs it. [Adapt] makes one of the engine
// itself. Its methods are safe for concurrent use.
type Engine interface {
	Tasks
	Servers
	Workspace
}

// Tasks are the tasks of clients, one a session, and what is known of clients
// from earlier sessions.
type Tasks interface {
	// OpenTask opens the task of a client, or of the clients that it stands for; CloseTask closes it
	// and deletes what was kept for it.
	OpenTask(c mcpserver.Client) *tasks.Entry
	CloseTask(e *tasks.Entry) error
	// WorksIn tells a task's ranking which folders its client works in, by their
	// paths; they are looked at until ctx ends.
	WorksIn(ctx context.Context, e *tasks.Entry, roots []string)
	// View returns what a task sees from now on, under the mode that is current.
	// t is the task's value. The caller is in the task's order.
	View(e *tasks.Entry, t *router.Task) (*router.View, error)
	// Call runs what a call of a model means. What the model can mend is a
	// result, with IsError.
	Call(ctx context.Context, e *tasks.Entry, c calls.Call) (*protocol.TaskCallResult, error)
	// UnknownServers names the servers that are about to be ready for the first
	// time: their tools are still to come. Starting reports whether any server is
	// about to be ready.
	UnknownServers() []string
	Starting() bool
	// Silent reports whether a server has printed nothing since its last start.
	Silent(server string) bool
	// ProcessorTime grows while the processes of a server that starts do something.
	ProcessorTime(server string) uint64
	// Refreshes returns whether a client was seen to list its tools again when
	// they had changed, and RecordRefreshes remembers it.
	Refreshes(client, version string) router.Refreshes
	RecordRefreshes(client, version string, refreshes bool)
}

// Servers are the MCP servers behind the gateway, for what they offer besides
// tools. Errors of requests are those of [upstream.Manager.Call].
type Servers interface {
	// Snapshot returns the servers as they are now, in the order of the
	// configuration.
	Snapshot() *upstream.Snapshot
	// InScope says why the current mode or its own switch keeps a server out of
	// scope; nil when nothing does. Admits says besides what it waits for.
	InScope(server string) error
	Admits(server string) error
	// Instructions returns what models may see of what a server says of itself.
	Instructions(server, said string) string
	// ListAll reads a whole list of a server: method lists it, under member. Prompts
	// are as the lock on tools lets them through. What was read before an error is
	// returned with it.
	ListAll(ctx context.Context, server, method, member string) ([]json.RawMessage, error)
	// PromptAllowed says why a prompt may not be used; nil when it may.
	// PromptsTold names what decides about a server's prompts now: it differs when
	// others may be used.
	PromptAllowed(ctx context.Context, server, name string) error
	PromptsTold(server string) string
	// ResourcesAllowed says why the resources of a server may not be read; nil when
	// they may.
	ResourcesAllowed(server string) error
	// Request makes a request and returns the result as the server sent it.
	Request(ctx context.Context, r upstream.Request) (json.RawMessage, error)
	// Subscribe and Unsubscribe begin and end a session's subscription to a
	// resource.
	Subscribe(ctx context.Context, server, uri string, session any) error
	Unsubscribe(ctx context.Context, server, uri string, session any) error
	// Listen calls f for each announcement of a server until stop is called.
	Listen(f func(upstream.Announcement)) (stop func())
}

// Workspace is what the user works in, and has said.
type Workspace interface {
	// Life ends with the engine.
	Life() context.Context
	// Changes returns a channel that is closed at the next change of what clients
	// see. What is looked at after Changes is not missed.
	Changes() <-chan struct{}
	// Settings are those in force. They are not changed.
	Settings() *protocol.Settings
	// Folders are the workspace's, on this machine.
	Folders() []workspace.Folder
	// Configures reports whether the configuration has a server of that name.
	Configures(server string) bool
	// ShowMessage tells the user something.
	ShowMessage(m protocol.ShowMessageParams)
}
