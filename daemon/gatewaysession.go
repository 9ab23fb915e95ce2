package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

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
	seen := s.workspace.clients.Refreshes(client.Name, client.Version)
	g := &gatewaySession{
		server: s, client: client, entry: s.tasks.add(newTaskID(), router.Conversation{}),
		mode: router.ModeFor(s.workspace.settings.Load(), client.Name, seen),
		used: map[string]bool{}, offered: map[string]string{},
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
	// list is what the client knows of its list of tools.
	list clientList
	// offered holds what the client has asked for besides tools, `resources` or
	// `prompts`, with the servers that were running then.
	offered map[string]string
	// used holds the servers of the tools that were called, level what the
	// client wants to see of their logs; empty is nothing.
	used  map[string]bool
	level string
}

// Call implements [gateway.Session].
func (g *gatewaySession) Call(ctx context.Context, c gateway.Call) (gateway.Answer, error) {
	g.server.face.awaitStart(ctx)
	// A client may call before it has listed, and the rules may have changed.
	if _, _, err := g.serve(ctx); err != nil {
		return gateway.Answer{}, err
	}
	if err := normalize(&c.Arguments, &c.Meta); err != nil {
		return gateway.Answer{}, fail(protocol.KindInvalidArgument, "Send JSON that every decoder reads.",
			"the arguments of %q are not JSON: %v", c.Name, err)
	}
	g.noteDeafness()
	late := g.awaitKnown(ctx, c)
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
	if late != "" {
		result.Content = append(result.Content, textResult(late, false).Content...)
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
