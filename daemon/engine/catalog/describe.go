package catalog

import (
	"slices"

	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/plainwords"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// describe returns a server's description without its tools. known must not be newer than
// the catalogue, so that no server is called ready before its tools can be found.
func describe(c *workspace.Configuration, source string, server *router.Server, known *upstream.Snapshot) protocol.ServerInfo {
	info := protocol.ServerInfo{
		Name: server.Name, Source: source, AlwaysLoad: server.Policy.AlwaysLoad, Warnings: server.Warnings, Changes: server.Changes, ResourcesHeld: server.ResourcesHeld, Content: server.Content,
	}
	if source != protocol.OwnSource {
		info.State = protocol.ServerHost
		info.Cause = reasons.Wire((*router.Mode)(nil).ServerRule(server.Policy, server.Name))
		return info
	}
	c.Describe(&info)
	unset := c.Unset(server.Name)
	if s, ok := known.Server(server.Name); ok {
		describeStatus(&info, s)
		// The server's error already names the variable that it has reported.
		unset = slices.DeleteFunc(slices.Clone(unset), func(name string) bool { return name == s.Status.Missing })
	}
	if len(unset) > 0 && (info.State == protocol.ServerFailed || info.State == protocol.ServerSignedOut) {
		info.Error = plainwords.Missing(unset...) + ": " + info.Error
	}
	return info
}

// describeStatus adds the status from the server's own goroutine. A server that waits for
// the user keeps the state that says so.
func describeStatus(info *protocol.ServerInfo, s upstream.ServerSnapshot) {
	if info.State == "" {
		info.State = s.Status.State
	}
	if info.Error == "" {
		info.Error = protocol.WithNext(s.Status.Error, s.Status.Next)
	}
	if info.Cause != nil && info.Cause.Kind == protocol.CauseItself {
		info.Error = "it " + reasons.Text(*info.Cause)
	}
	info.Warnings = append(append([]string(nil), s.Status.Warnings...), info.Warnings...)
	info.ProtocolVersion = s.Status.ProtocolVersion
	info.Share, info.ShareWhy = s.Share, s.ShareWhy
	if info.PID = s.Status.PID; info.PID != 0 {
		info.RunsSince = s.Status.StartedAt.UnixMilli()
	}
	info.StartMs = s.Status.StartTook.Milliseconds()
	info.FirstUseMs = s.Status.FirstUse.Milliseconds()
}
