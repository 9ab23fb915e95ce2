package daemon_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// What tests of the daemon share with those of its faces.
type (
	entry   = configtest.Entry
	servers = configtest.Servers
	modes   = configtest.Modes
)

var (
	scripted      = configtest.Scripted
	tool          = configtest.Tool
	write         = configtest.Write
	save          = configtest.Save
	workspaceWith = configtest.WorkspaceWith
	begin         = daemontest.Begin
	npmServers    = daemontest.NPMServers
	byName        = gatewaytest.ByName
	text          = enginetest.Text
	names         = enginetest.Names
)

func told[P any](h *daemontest.Host, method string) []P { return daemontest.Notes[P](h, method) }

// scriptedByFile is scripted for a script with many tools: the entry is as small
// as real ones are.
func scriptedByFile(t testing.TB, s upstreamtest.Script) entry {
	t.Helper()
	e := scripted(t, s)
	path := filepath.Join(t.TempDir(), "script")
	for name, value := range e.Env {
		write(t, path, fmt.Sprintf("%s=%s", name, value))
	}
	e.Env = map[string]protocol.EnvValue{scriptFile: path}
	return e
}

// open opens a task on the daemon's own servers.
func open(h *daemontest.Host, message string) protocol.Attachment {
	return daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen, protocol.TaskOpenParams{Message: message, WantState: true})
}

// turn takes a turn.
func turn(h *daemontest.Host, task, message string) protocol.Attachment {
	return daemontest.Call[protocol.Attachment](h, protocol.MethodTaskTurn, protocol.TaskTurnParams{Task: task, Message: message})
}

// call calls a tool with arguments and returns the text of the answer.
func call(h *daemontest.Host, task, name, arguments string) string {
	r := daemontest.Call[protocol.TaskCallResult](h, protocol.MethodTaskCall,
		protocol.TaskCallParams{Task: task, Name: name, Arguments: json.RawMessage(arguments)})
	return text(r)
}

// MCP clients of the gateway.
var (
	session    = gatewaytest.Session
	post       = gatewaytest.Post
	gatewayOf  = gatewaytest.InfoOf
	connect    = gatewaytest.Connect
	listNames  = gatewaytest.List
	callClient = gatewaytest.Call
	ways       = gatewaytest.Ways
	hello      = gatewaytest.Hello
)
