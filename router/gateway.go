package router

import (
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// clientTraits describes the MCP clients whose name contains part. The zero value applies
// to all others.
type clientTraits struct {
	// part is a part of the client's name, in lower case.
	part string
	// refreshes reports that the client lists again on notifications/tools/list_changed,
	// so a tool loaded mid-session reaches its model. Gemini CLI, Codex, Claude Code, Roo
	// Code and Zoo Code do not. Cline restarts its session.
	refreshes bool
	// noFields reports that the client cancels an elicitation whose form has fields.
	noFields bool
}

// traitsOf returns the traits of the client with a name; the zero value for most clients.
func traitsOf(client string) clientTraits {
	client = strings.ToLower(client)
	for _, c := range []clientTraits{
		{part: "opencode", refreshes: true}, // tried, 1.18
		// VS Code and its builds use the product's name.
		{part: "visual studio code", refreshes: true},
		{part: "code - oss", refreshes: true},
		{part: "vscodium", refreshes: true},
		{part: "code-server", refreshes: true},
		// Tried, 0.169: it answers a form without fields itself if its user allows
		// everything to run, and ends one that has fields without an answer.
		{part: "codex", noFields: true},
	} {
		if strings.Contains(client, c.part) {
			return c
		}
	}
	return clientTraits{}
}

// TakesFields reports whether a client's elicitation forms may have fields.
func TakesFields(client string) bool { return !traitsOf(client).noFields }

// Refreshes is the observed reaction of a client to notifications/tools/list_changed.
type Refreshes int

// The values of [Refreshes].
const (
	// RefreshesUnknown: the client was never notified, or has not had time to react.
	RefreshesUnknown Refreshes = iota
	// RefreshesYes: the client listed again.
	RefreshesYes
	// RefreshesNo: the client kept its list.
	RefreshesNo
)

// ModeFor returns the mode in which the gateway serves a client: the user's choice if
// there is one. Otherwise it is the growing list for clients that list again, by
// observation or by name, and search and call for all others.
func ModeFor(s *protocol.Settings, client string, seen Refreshes) protocol.GatewayMode {
	switch {
	case s.Gateway.Mode != protocol.GatewayAuto:
		return s.Gateway.Mode
	case s.Strategy == protocol.StrategyDispatch, seen == RefreshesNo:
		return protocol.GatewayDispatch
	case seen == RefreshesYes:
		return protocol.GatewayDynamic
	}
	if traitsOf(client).refreshes {
		return protocol.GatewayDynamic
	}
	return protocol.GatewayDispatch
}

// SharedMode returns the mode for the revisions of MCP without sessions, whose lists must
// not grow: search and call, unless the user wants everything listed.
func SharedMode(s *protocol.Settings) protocol.GatewayMode {
	if s.Gateway.Mode == protocol.GatewayAll {
		return protocol.GatewayAll
	}
	return protocol.GatewayDispatch
}

// ServeShared returns the current task of all clients without sessions. The attached
// tools and their order depend on the view alone. late is as for [View.Serve]. Of t it
// keeps the called tools.
func (v *choosing) ServeShared(t Task, late bool) Task {
	kept := Task{ID: t.ID, ModeAsked: t.ModeAsked, Shared: true, Called: t.Called}
	return v.Serve(kept, SharedMode(v.Settings), late)
}

// Serve returns the current task of a gateway's client. Such a client sends no messages,
// so nothing is ranked. `dynamic` and `dispatch` start with the pinned tools, and
// `dispatch` gets no others; `all` has every tool in scope. A later call appends what has
// been added since. With `searchTurns: 0` every mode is `all`.
//
// Every tool is reachable without a newer list: by mcp_call in the first two modes, and
// also in `all` if late reports that the client's first list was made before all tools
// were known.
func (v *choosing) Serve(t Task, mode protocol.GatewayMode, late bool) Task {
	if t.Turn == 0 {
		t.Turn, t.Window = 1, 1
	}
	if v.Settings.SearchTurns == 0 {
		mode = protocol.GatewayAll
	}
	t.Mode, t.Warnings, t.Gateway = v.Mode.Slug, nil, mode
	switch mode {
	case protocol.GatewayAll:
		t.Routing, t.ResultOffered, t.LoadOffered = protocol.AttachAll, v.Shapes(), false
		unrouted := *v
		unrouted.Settings = withoutRouting(v.Settings)
		t = unrouted.attachAll(t) // the client decides how many tools a request holds
		if late {
			return v.indexed(t)
		}
		return t
	case protocol.GatewayDispatch:
		t.Routing, t.LoadOffered = protocol.AttachDispatch, false
		return v.indexed(v.attachChosen(t))
	case protocol.GatewayAuto, protocol.GatewayDynamic:
	}
	t.Routing, t.LoadOffered = protocol.AttachDynamic, true
	return v.indexed(v.attachPinned(t))
}

// indexed rewrites the index of servers. A gateway's client is notified of a change.
// Unlike a host task's index it may follow the servers, which are often still starting at
// the first list.
func (v *choosing) indexed(t Task) Task {
	if index := v.serverIndex(&t); index != t.Index {
		t.Index = index
		t.Generation++
	}
	return t
}
