package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/gateway"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// gatewayBackend opens the sessions of the gateway's clients. Each is a task.
type gatewayBackend struct{ server *Server }

// Open implements [gateway.Backend].
func (b gatewayBackend) Open(client gateway.Client) gateway.Session {
	s := b.server
	g := &gatewaySession{
		server: s, client: client, entry: s.tasks.add(newTaskID()),
		mode: router.ModeFor(s.workspace.settings.Load().Gateway.Mode, client.Name),
		used: map[string]bool{}, offered: map[string]bool{},
	}
	s.face.enter(g)
	return g
}

// gatewaySession is what one client of the gateway sees.
type gatewaySession struct {
	server *Server
	client gateway.Client
	entry  *taskEntry
	mode   protocol.GatewayMode

	// mu guards what follows.
	mu sync.Mutex
	// order holds the names of the list as the client has it.
	order []string
	// listed: the client has asked for the list; before, nothing is news.
	listed bool
	// offered holds what the client has asked for besides tools: `resources`,
	// `prompts`.
	offered map[string]bool
	// used holds the servers of the tools that were called, level what the
	// client wants to see of their logs; empty is nothing.
	used  map[string]bool
	level string
}

// settleTime bounds how long the first list waits for servers that start.
const settleTime = 10 * time.Second

// Tools implements [gateway.Session].
func (g *gatewaySession) Tools(ctx context.Context) ([]gateway.Tool, error) {
	g.server.workspace.awaitStarts(ctx, settleTime)
	v, t, err := g.serve(ctx)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.listed = true
	return g.inOrder(v, &t), nil
}

// serve takes the task to what it is now.
func (g *gatewaySession) serve(ctx context.Context) (*router.View, router.Task, error) {
	type served struct {
		view *router.View
		task router.Task
	}
	step := g.entry.inLane(ctx, func() (any, error) {
		v, t, err := g.server.viewOf(g.entry)
		if err != nil {
			return nil, err
		}
		t.ID = g.entry.id
		t = v.Serve(t, g.mode)
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
// their order, then the new ones. The caller holds mu.
func (g *gatewaySession) inOrder(v *router.View, t *router.Task) []gateway.Tool {
	byName := map[string]gateway.Tool{}
	var names []string
	for _, m := range v.MetaTools(t) {
		byName[m.Name] = gateway.Tool{Name: m.Name, Description: m.Description, InputSchema: m.InputSchema}
		names = append(names, m.Name)
	}
	for i := range t.Attached {
		a := &t.Attached[i]
		byName[a.Name] = attachedTool(v, a)
		names = append(names, a.Name)
	}
	seen := map[string]bool{}
	for _, name := range g.order {
		seen[name] = true
	}
	for _, name := range names {
		if !seen[name] {
			g.order = append(g.order, name)
		}
	}
	tools := make([]gateway.Tool, 0, len(g.order))
	for _, name := range g.order {
		if tool, ok := byName[name]; ok {
			tools = append(tools, tool)
		}
	}
	return tools
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

// Grew implements [gateway.Session].
func (g *gatewaySession) Grew(ctx context.Context) bool {
	g.mu.Lock()
	listed := g.listed
	g.mu.Unlock()
	if !listed {
		return false
	}
	v, t, err := g.serve(ctx)
	if err != nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	before := len(g.order)
	g.inOrder(v, &t)
	return len(g.order) > before
}

// Call implements [gateway.Session].
func (g *gatewaySession) Call(ctx context.Context, c gateway.Call) (gateway.Answer, error) {
	if t, _, _ := g.entry.snapshot(); t.Turn == 0 {
		// A client may call what it knows from an earlier session.
		g.server.workspace.awaitStarts(ctx, settleTime)
		if _, _, err := g.serve(ctx); err != nil {
			return gateway.Answer{}, err
		}
	}
	call := toolCall{
		name: c.Name, arguments: c.Arguments, meta: c.Meta,
		caller: &upstream.Caller{Session: g, Ask: g.passOn(c.Ask)}, allow: g.confirmer(c.Ask),
	}
	if c.Progress != nil {
		call.progress = func(p upstream.Progress) { c.Progress(p.Progress, p.Total, p.Message) }
	}
	result, err := g.server.invoke(ctx, g.entry, call)()
	if ctx.Err() != nil {
		return gateway.Answer{}, context.Cause(ctx)
	}
	if err != nil {
		result = textResult(problem(ctx, err), true)
	}
	if result.Server != "" {
		g.note(result.Server)
		prefixLinks(result.Server, result.Content)
	}
	return gateway.Answer{
		Content: result.Content, StructuredContent: result.StructuredContent, Meta: result.Meta, IsError: result.IsError,
	}, nil
}

// note remembers that a server was called.
func (g *gatewaySession) note(server string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used[server] = true
}

// problem tells a model why its call failed, and what can be done.
func problem(ctx context.Context, err error) string {
	var refusal *router.Refusal
	if errors.As(err, &refusal) {
		return router.CallProblem(err)
	}
	_, data := classify(ctx, err)
	if data.Next == "" {
		return err.Error()
	}
	return err.Error() + ". " + data.Next
}

// Bounds on what clients are told of the servers.
const (
	maxInstructions      = 4000
	maxServerInstruction = 600
)

// Instructions implements [gateway.Session]. What servers say of themselves is
// told as theirs.
func (g *gatewaySession) Instructions() string {
	var b strings.Builder
	b.WriteString("Winnow stands for several MCP servers.")
	for _, s := range g.server.workspace.manager.Snapshot().Servers {
		if s.Instructions == "" || s.Hold != "" {
			continue
		}
		text := []rune(strings.Join(strings.Fields(s.Instructions), " "))
		line := fmt.Sprintf("\n\nServer %q says: %s", s.Name, string(text[:min(len(text), maxServerInstruction)]))
		if b.Len()+len(line) > maxInstructions {
			b.WriteString("\n\nOther servers say more.")
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// Close implements [gateway.Session].
func (g *gatewaySession) Close() {
	g.server.face.leave(g)
	g.server.tasks.remove(g.entry.id)
	if err := g.server.workspace.forget(g.entry.id); err != nil {
		g.server.log.Warn("results of a session not deleted", "error", err)
	}
}

// awaitStarts returns when no server is about to be ready, after limit at the
// latest.
func (w *workspace) awaitStarts(ctx context.Context, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		changed := w.news.wait()
		if !w.starting() {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// starting reports whether a server is about to be ready, as the newest
// catalogue has it.
func (w *workspace) starting() bool {
	for _, s := range w.known.Load().Servers {
		switch s.Status.State {
		case upstream.Starting:
			return true
		case upstream.Configured:
			if s.Hold == "" || s.Hold == holdStart {
				return true
			}
		}
	}
	return false
}
