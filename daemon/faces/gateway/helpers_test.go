package gateway_test

import (
	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
)

// What is shared with other tests.
type (
	servers = configtest.Servers
	modes   = configtest.Modes
)

var (
	scripted   = configtest.Scripted
	tool       = configtest.Tool
	save       = configtest.Save
	begin      = daemontest.Begin
	standard   = daemontest.Standard
	received   = configtest.Received
	npmServers = configtest.NPMServers
	approveAll = daemontest.ApproveAll
	byName     = gatewaytest.ByName
)

var (
	session    = gatewaytest.Session
	send       = gatewaytest.Send
	post       = gatewaytest.Post
	gatewayOf  = gatewaytest.InfoOf
	connect    = gatewaytest.Connect
	listNames  = gatewaytest.List
	callClient = gatewaytest.Call
	ways       = gatewaytest.Ways
	meet       = gatewaytest.Meet
)
