package upstream

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// Names of package wire that callers of a [Manager] use.
type (
	// Config is the configuration of one server.
	Config = wire.Config
	// Sharing says which clients share the process of a server.
	Sharing = wire.Sharing
	// Hold is the reason why a server is not started.
	Hold = wire.Hold
	// Transport is how a server is reached.
	Transport = wire.Transport
	// Era is one of MCP's two incompatible ways to open a connection.
	Era = wire.Era
	// Network holds the host's settings for outgoing connections.
	Network = wire.Network
	// Hooks are the functions that reach the user.
	Hooks = wire.Hooks
	// Tool is one tool of a server.
	Tool = wire.Tool
	// Info is the name and version that a server reports of itself.
	Info = wire.Info
	// Caller is the client that a call is made for.
	Caller = wire.Caller
	// Request is an MCP request other than tools/call.
	Request = wire.Request
	// Result is the result of a tool call.
	Result = wire.Result
	// Progress is one progress notification of a call.
	Progress = wire.Progress
	// Announcement is a server notification other than progress.
	Announcement = wire.Announcement
	// TimeoutError is returned if a server did not respond within its time limit.
	TimeoutError = wire.TimeoutError
	// RPCError is an error response of a server.
	RPCError = wire.RPCError
)

// OnBehalf returns the principal that a request to a server is made for; see
// [Network.Through]. The zero value stands for the connection itself.
func OnBehalf(ctx context.Context) principal.Principal { return wire.OnBehalf(ctx) }

// CodeURLRequired is the code of an [RPCError] of a server that requires its user to open
// pages before a call.
const CodeURLRequired = -32042
