package router

import (
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// clientTraits are what is known of MCP clients whose name has a part. Of any other
// the zero value is taken to be true.
type clientTraits struct {
	// part is in what the client calls itself, in lower case.
	part string
	// refreshes says that it lists again when it is notified
	// notifications/tools/list_changed, so that a tool loaded in mid-session
	// reaches its model. Among those that do not are Gemini CLI, Codex, Claude
	// Code, Roo Code and Zoo Code, and Cline restarts its session at a change.
	refreshes bool
	// noFields says that it ends an elicitation whose form has fields.
	noFields bool
}

// traitsOf returns what is known of a client by its name.
func traitsOf(client string) clientTraits {
	client = strings.ToLower(client)
	for _, c := range []clientTraits{
		{part: "opencode", refreshes: true}, // tried, 1.18
		// VS Code and its builds call themselves by the name of the product.
		{part: "visual studio code", refreshes: true},
		{part: "code - oss", refreshes: true},
		{part: "vscodium", refreshes: true},
		{part: "code-server", refreshes: true},
		// Tried, 0.169: it answers a form without fields by itself where its user
		// lets everything run, and ends one that has fields without an answer.
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

// Refreshes is what a client was seen to do when it was notified that its list of
// tools has changed.
type Refreshes int

// The values of [Refreshes].
const (
	// RefreshesUnknown: it was never notified, or had no time to show.
	RefreshesUnknown Refreshes = iota
	// RefreshesYes: it listed again.
	RefreshesYes
	// RefreshesNo: it went on with the list that it had.
	RefreshesNo
)

// ModeFor returns the mode in which the gateway serves a client: the one that
// the user has chosen, or else the growing list for clients that are known to
// see it grow, by what they did before or else by their name, and search and
// call for all others.
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

// SharedMode returns the mode in which the gateway serves the revisions of MCP
// that have no sessions, whose lists may not grow: search and call, unless the
// user wants everything listed.
func SharedMode(s *protocol.Settings) protocol.GatewayMode {
	if s.Gateway.Mode == protocol.GatewayAll {
		return protocol.GatewayAll
	}
	return protocol.GatewayDispatch
}

// ServeShared returns the task of all clients without sessions as it is now.
// What is attached, and in which order, depends on the view alone;
// late is as for [View.Serve]. Of the task before it keeps what was called.
func (v *choosing) ServeShared(t Task, late bool) Task {
	kept := Task{ID: t.ID, ModeAsked: t.ModeAsked, Shared: true, Called: t.Called}
	return v.Serve(kept, SharedMode(v.Settings), late)
}

// Serve returns the task of a gateway's client as it is now. A client of the
// gateway tells no messages, so nothing is ranked: `dynamic` begins with the
// pinned tools, as does `dispatch`, which gets no others, and `all` has every
// tool in scope. To serve again attaches what has come since, behind what is
// there. With `searchTurns: 0` every mode is `all`.
//
// In every mode there is a way to each tool that needs no newer list: mcp_call
// in the first two, and in `all` too once late says that the client's first
// list was made while tools were still unknown.
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
		t = unrouted.attachAll(t) // how many a request holds is the client's business
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

// indexed writes the index of servers anew. A gateway's client is told of a
// change, and lists again or not: unlike that of a host's task the index may
// follow the servers, which are often still starting at the first list.
func (v *choosing) indexed(t Task) Task {
	if index := v.serverIndex(&t); index != t.Index {
		t.Index = index
		t.Generation++
	}
	return t
}
