package upstream

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// What the callers of a [Manager] know of MCP's wire.
type (
	// Config says how one server is reached and run.
	Config = wire.Config
	// Sharing says who uses the same process of a server.
	Sharing = wire.Sharing
	// Hold is what keeps a server from starting.
	Hold = wire.Hold
	// Transport is how a server is reached.
	Transport = wire.Transport
	// Era is one of the two incompatible ways to begin talking MCP.
	Era = wire.Era
	// Network holds the host's settings for outgoing connections.
	Network = wire.Network
	// Hooks are the ways back to the user.
	Hooks = wire.Hooks
	// Tool is one tool of a server.
	Tool = wire.Tool
	// Info names the software behind a server, as it calls itself.
	Info = wire.Info
	// Caller is on whose behalf a call is made.
	Caller = wire.Caller
	// Request is a request of MCP's other than tools/call.
	Request = wire.Request
	// Result is a tool's answer.
	Result = wire.Result
	// Progress is one progress notification of a call.
	Progress = wire.Progress
	// Announcement is a notification of a server's that is no progress.
	Announcement = wire.Announcement
	// TimeoutError is returned when a server did not answer in its own time limit.
	TimeoutError = wire.TimeoutError
	// RPCError is an error that the server itself answered with.
	RPCError = wire.RPCError
)

// OnBehalf returns on whose behalf a request to a server is made, for
// [Network.Through]. The zero value is the connection itself.
func OnBehalf(ctx context.Context) principal.Principal { return wire.OnBehalf(ctx) }

// CodeURLRequired is the code of an [RPCError] of a server that wants its user to
// open pages before a call.
const CodeURLRequired = -32042
