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

// Engine declares the methods of the engine that this face calls. [Adapt] implements it.
// Its methods are safe for concurrent use.
type Engine interface {
	Tasks
	Servers
	Workspace
}

// Tasks manages the tasks of clients, one per session, and what earlier sessions learned
// about clients.
type Tasks interface {
	// OpenTask opens the task of a client, or of the clients of a shared session.
	// CloseTask closes it and deletes its stored results.
	OpenTask(c mcpserver.Client) *tasks.Entry
	CloseTask(e *tasks.Entry) error
	// WorksIn passes the paths of a client's folders to the ranking of its task. They are
	// inspected until ctx ends.
	WorksIn(ctx context.Context, e *tasks.Entry, roots []string)
	// View returns the view of a task under the current mode. t is the task's value.
	// Callers must be in the task's order.
	View(e *tasks.Entry, t *router.Task) (*router.View, error)
	// Call runs a call of a model. A failure that the model can correct is a result with
	// IsError.
	Call(ctx context.Context, e *tasks.Entry, c calls.Call) (*protocol.TaskCallResult, error)
	// UnknownServers returns the starting servers whose tools are not known yet. Starting
	// reports whether any server is starting.
	UnknownServers() []string
	Starting() bool
	// Silent reports whether a server has printed nothing since its last start.
	Silent(server string) bool
	// ProcessorTime returns the CPU time of a starting server's processes.
	ProcessorTime(server string) uint64
	// Refreshes returns whether a client has been seen to list its tools again after a
	// change. RecordRefreshes stores that.
	Refreshes(client, version string) router.Refreshes
	RecordRefreshes(client, version string, refreshes bool)
}

// Servers are the MCP servers behind the gateway and their features other than tools.
// Errors of requests are those of [upstream.Manager.Call].
type Servers interface {
	// Snapshot returns the present state of all servers, in the order of the
	// configuration.
	Snapshot() *upstream.Snapshot
	// InScope returns an error if the current mode or the server's own switch excludes a
	// server. Admits also returns an error if the server is held.
	InScope(server string) error
	Admits(server string) error
	// Instructions returns the part of a server's instructions that models may see.
	Instructions(server, said string) string
	// ListAll reads all pages of a list: method lists it, under member. Prompts are
	// filtered by the lock on tools. With an error it returns the entries read before.
	ListAll(ctx context.Context, server, method, member string) ([]json.RawMessage, error)
	// PromptAllowed returns an error if a prompt may not be used. PromptsTold returns a
	// key that changes when different prompts may be used.
	PromptAllowed(ctx context.Context, server, name string) error
	PromptsTold(server string) string
	// ResourcesAllowed returns an error if the resources of a server may not be read.
	ResourcesAllowed(server string) error
	// Request makes a request and returns the result as the server sent it.
	Request(ctx context.Context, r upstream.Request) (json.RawMessage, error)
	// Subscribe and Unsubscribe start and end a session's subscription to a resource.
	Subscribe(ctx context.Context, server, uri string, session any) error
	Unsubscribe(ctx context.Context, server, uri string, session any) error
	// Listen calls f for each announcement of a server until stop is called.
	Listen(f func(upstream.Announcement)) (stop func())
}

// Workspace is the user's workspace and settings.
type Workspace interface {
	// Life returns a context that ends with the engine.
	Life() context.Context
	// Changes returns a channel that is closed at the next change of what clients see.
	// Call it before reading state, so that no change is missed.
	Changes() <-chan struct{}
	// Settings returns the settings in force, which are immutable.
	Settings() *protocol.Settings
	// Folders returns the workspace's folders on this machine.
	Folders() []workspace.Folder
	// Configures reports whether the configuration has a server of that name.
	Configures(server string) bool
	// ShowMessage shows the user a message.
	ShowMessage(m protocol.ShowMessageParams)
}
