package daemon

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/gateway"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// clientList is what a client of the gateway knows of its list of tools.
type clientList struct {
	// order holds the names of all tools that the client has seen.
	order []string
	// listed: the client has asked for the list; before, nothing is news.
	listed bool
	// late: that was while tools were still unknown.
	late bool
	// names and index are the list that the client was given last, or told of.
	names, index string
	// told: the client was told of a change and has not listed since; calls
	// counts those that it made meanwhile.
	told  bool
	calls int
}

// deafCalls is how many calls a client makes after it was told of a change,
// until it counts as one that does not list again. Some may have been under way.
const deafCalls = 3

// Tools implements [gateway.Session].
func (g *gatewaySession) Tools(ctx context.Context) ([]gateway.Tool, error) {
	g.begin()
	defer g.server.face.noteList()
	v, t, err := g.serve(ctx)
	if err != nil {
		return nil, err
	}
	g.server.warnTooMany(g.client.Name, &t)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.list.told {
		g.server.workspace.clients.Record(g.client.Name, g.client.Version, true)
	}
	g.list.told, g.list.calls = false, 0
	tools, names := g.inOrder(v, &t)
	g.list.names, g.list.index = names, t.Index
	return tools, nil
}

// begin notes the first list: with unknown tools it is one that has to offer a
// way to them.
func (g *gatewaySession) begin() {
	late := len(g.server.workspace.unknownServers()) > 0
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.list.listed {
		g.list.listed, g.list.late = true, late
	}
}

// noteDeafness counts a call of a client that was told of a change. One that
// goes on without the newer list is remembered as such.
func (g *gatewaySession) noteDeafness() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.list.told {
		return
	}
	if g.list.calls++; g.list.calls == deafCalls {
		g.server.workspace.clients.Record(g.client.Name, g.client.Version, false)
	}
}

// serve takes the task to what it is now, under the mode that is current.
func (g *gatewaySession) serve(ctx context.Context) (*router.View, router.Task, error) {
	type served struct {
		view *router.View
		task router.Task
	}
	g.mu.Lock()
	late := g.list.late
	g.mu.Unlock()
	step := g.entry.inLane(ctx, func() (any, error) {
		t, _, _ := g.entry.snapshot()
		v, _, err := g.server.nextView(g.entry, &t, nil)
		if err != nil {
			return nil, err
		}
		if v.Settings.Shadow {
			v = v.Unrouted()
		}
		t.ID = g.entry.id
		t = v.Serve(t, g.mode, late)
		g.entry.store(t, nil, v.Mode)
		return served{v, t}, nil
	})
	done, err := step()
	if err != nil {
		return nil, router.Task{}, err
	}
	now, _ := done.(served)
	return now.view, now.task, nil
}

// inOrder returns the tools of a task: those that the client has seen, in
// their order, then the new ones; and their names, one a line. The caller holds
// mu.
func (g *gatewaySession) inOrder(v *router.View, t *router.Task) (tools []gateway.Tool, names string) {
	byName := map[string]gateway.Tool{}
	add := func(tool gateway.Tool) {
		byName[tool.Name] = tool
		if !slices.Contains(g.list.order, tool.Name) {
			g.list.order = append(g.list.order, tool.Name)
		}
	}
	for _, m := range v.MetaTools(t) {
		add(gateway.Tool{Name: m.Name, Description: m.Description, InputSchema: m.InputSchema})
	}
	for i := range t.Attached {
		if a := &t.Attached[i]; v.Listed(t, a) {
			add(attachedTool(v, a))
		}
	}
	var b strings.Builder
	tools = make([]gateway.Tool, 0, len(g.list.order))
	for _, name := range g.list.order {
		if tool, ok := byName[name]; ok {
			tools = append(tools, tool)
			b.WriteString(name + "\n")
		}
	}
	return tools, b.String()
}

// attachedTool is a tool with what its server says of it besides.
func attachedTool(v *router.View, a *router.Attached) gateway.Tool {
	tool := gateway.Tool{Name: a.Name, Description: a.Description, InputSchema: a.Schema}
	i, ok := v.Catalog.Lookup(a.ID)
	if !ok {
		return tool
	}
	d := &v.Catalog.Tools[i].Definition
	var wire struct {
		OutputSchema json.RawMessage `json:"outputSchema"`
		Meta         json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(d.Raw, &wire) == nil {
		tool.OutputSchema, tool.Meta = wire.OutputSchema, wire.Meta
	}
	tool.Title, tool.Annotations = d.Title, d.Annotations
	return tool
}

// Changed implements [gateway.Session]. Other words about the servers are told
// when no server is starting any more: each of them would change the words.
func (g *gatewaySession) Changed(ctx context.Context) bool {
	g.mu.Lock()
	listed := g.list.listed
	g.mu.Unlock()
	if !listed {
		return false
	}
	v, t, err := g.serve(ctx)
	if err != nil {
		return false
	}
	starting := g.server.workspace.starting()
	g.mu.Lock()
	defer g.mu.Unlock()
	_, names := g.inOrder(v, &t)
	if names == g.list.names && (starting || t.Index == g.list.index) {
		return false
	}
	g.list.names, g.list.index = names, t.Index
	g.list.told = true
	return true
}

// warnTooMany tells the user, once for each client, that it is shown more tools
// than one request may hold.
func (s *Server) warnTooMany(client string, t *router.Task) {
	f := &s.face
	f.mu.Lock()
	before := f.warned[client]
	if f.warned == nil {
		f.warned = map[string]bool{}
	}
	f.warned[client] = before || len(t.Warnings) > 0
	f.mu.Unlock()
	if before || len(t.Warnings) == 0 {
		return
	}
	s.workspace.host.show(protocol.ShowMessageParams{
		Type: protocol.MessageWarning, Setting: "winnow.gateway.mode",
		Message: "MCP client " + oneLineName(client) + ": " + strings.Join(t.Warnings, "; "),
		Next:    "Set winnow.gateway.mode to `auto`, unless the client and its model take that many.",
	})
}

// oneLineName is a client's own name, fit to be shown.
func oneLineName(name string) string {
	const most = 60
	text := []rune(strings.Join(strings.Fields(name), " "))
	return `"` + string(text[:min(len(text), most)]) + `"`
}
