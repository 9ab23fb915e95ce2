package router

import (
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// deafClients are the MCP clients that ignore notifications/tools/list_changed
// or lose their session over it, so that a tool loaded in mid-session never
// reaches their model. Each is a part of what the client calls itself.
//
//   - Roo Code and Zoo Code ask for tools/list once and handle no change;
//   - Cline restarts its session at a change, and with it loses what was loaded;
//   - Claude Code caches the list of a server.
func deafClients() []string { return []string{"roo", "zoo code", "zoo-code", "cline", "claude-code"} }

// ModeFor returns the mode in which the gateway serves a client: unless the user
// has chosen one, a client that would not see loaded tools searches and calls.
func ModeFor(mode protocol.GatewayMode, client string) protocol.GatewayMode {
	if mode != protocol.GatewayAuto {
		return mode
	}
	client = strings.ToLower(client)
	for _, deaf := range deafClients() {
		if strings.Contains(client, deaf) {
			return protocol.GatewayDispatch
		}
	}
	return protocol.GatewayDynamic
}

// Serve returns the task of a gateway's client as it is now. A client of the
// gateway tells no messages, so nothing is ranked: `dynamic` begins with the
// pinned tools, `dispatch` with none, `all` with every tool in scope. To serve
// again attaches what has come since, behind what is there. With
// `searchTurns: 0` every mode is `all`.
func (v *View) Serve(t Task, mode protocol.GatewayMode) Task {
	if t.Turn == 0 {
		t.Turn, t.Window = 1, 1
	}
	t.Mode, t.Warnings = v.Mode.Slug, nil
	switch {
	case mode == protocol.GatewayAll || v.Settings.SearchTurns == 0:
		t.Routing = protocol.AttachAll
		return v.Unrouted().attachAll(t) // how many a request holds is the client's business
	case mode == protocol.GatewayDispatch:
		return v.dispatch(t)
	}
	t.Routing, t.LoadOffered = protocol.AttachDynamic, true
	return v.attachPinned(t)
}
