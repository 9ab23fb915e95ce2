package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// session is the session of one client of the gateway.
type session struct {
	*offers

	face   *Face
	engine Engine
	client mcpserver.Client
	entry  *tasks.Entry
	mode   protocol.GatewayMode // unused in a shared session

	logs clientLogs

	// life is cancelled by end when the session closes.
	life      context.Context //nolint:containedctx // the session's own
	end       func()
	rootsOnce sync.Once

	// mu guards what follows: missed holds the servers that the client's last search missed,
	// toldHeld what it was last told of servers that wait for a person.
	mu       sync.Mutex
	list     toolList
	missed   []string
	toldHeld string

	// serving guards served. In a shared session it also serializes updates of the task;
	// other updates are in the task's order.
	serving sync.Mutex
	served  servedFor
}

// Call implements [mcpserver.Session].
func (s *session) Call(ctx context.Context, c mcpserver.Call) (mcpserver.Answer, error) {
	s.face.startup.awaitServers(ctx)
	// A client may call before it has listed, and the rules may have changed.
	if _, _, err := s.serve(ctx); err != nil {
		return mcpserver.Answer{}, err
	}
	if err := normalize(&c.Arguments, &c.Meta); err != nil {
		return mcpserver.Answer{}, failure.New(protocol.KindInvalidArgument, "Send JSON that every decoder reads.",
			"the arguments of %q are not JSON: %v", c.Name, err)
	}
	s.noteCallAfterChange()
	late := s.awaitKnown(ctx, c)
	held := s.noteHeld(ctx, c)
	if c.Name == router.SearchName || c.Name == router.LoadName {
		s.askRoots(ctx, c)
	}
	asks := questions{client: c.From, confirm: &s.engine.Settings().Gateway, tell: s.engine.ShowMessage}
	call := calls.Call{
		Name: c.Name, Arguments: c.Arguments, Meta: c.Meta, Client: c.From.Name,
		Caller: &upstream.Caller{Session: s.asked(&asks), Ask: asks.passOn(c.Ask)}, Confirm: asks.confirmer(c.Ask),
	}
	if c.Progress != nil {
		call.Progress = func(p upstream.Progress) { c.Progress(p.Progress, p.Total, p.Message) }
	}
	result, err := s.engine.Call(ctx, s.entry, call)
	if ctx.Err() != nil {
		return mcpserver.Answer{}, context.Cause(ctx)
	}
	if pages := asks.pages(err); pages != nil {
		return mcpserver.Answer{}, pages
	}
	if err != nil {
		result = calls.TextResult(problem(ctx, err), true)
	}
	if result.Server != "" {
		s.logs.noteCall(result.Server)
		prefixLinks(result.Server, result.Content)
	}
	for _, note := range []string{late, held} {
		if note != "" {
			result.Content = append(result.Content, calls.TextResult(note, false).Content...)
		}
	}
	return mcpserver.Answer{
		Content: result.Content, StructuredContent: result.StructuredContent, Meta: result.Meta, IsError: result.IsError,
	}, nil
}

// rootsWait is how long a client may take to list its roots. Later answers are ignored,
// so that searches do not wait.
const rootsWait = time.Second

// askRoots asks a client with a session for its roots before its first search, because
// their content indicates which servers are meant.
func (s *session) askRoots(ctx context.Context, c mcpserver.Call) {
	if s.client.Shared || !s.client.HasRoots || !s.engine.Settings().Learn.Folder {
		return
	}
	s.rootsOnce.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, rootsWait)
		defer cancel()
		answer, err := c.Ask(ctx, askRoots, nil)
		var listed struct {
			Roots []struct {
				URI string `json:"uri"`
			} `json:"roots"`
		}
		if err != nil || json.Unmarshal(answer, &listed) != nil {
			s.face.log.Debug("a client's roots are not known", "client", s.client.Name, "error", err)
			return
		}
		var paths []string
		for _, root := range listed.Roots {
			if path := localPath(root.URI); path != "" {
				paths = append(paths, path)
			}
		}
		s.engine.WorksIn(s.life, s.entry, paths)
	})
}

// localPath returns the path of a file URI on this machine, or "" for any other URI.
func localPath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" {
		return ""
	}
	path := filepath.FromSlash(u.Path)
	if rest := strings.TrimPrefix(path, string(filepath.Separator)); filepath.VolumeName(rest) != "" {
		path = rest // file:///C:/folder
	}
	return path
}

// asked returns the identity of the client that a server may ask: the call in a shared
// session, which has many clients, otherwise the session.
func (s *session) asked(call *questions) any {
	if s.client.Shared {
		return call
	}
	return s
}

// problem returns the error text for the model, with the next step.
func problem(ctx context.Context, err error) string {
	var refusal *router.Refusal
	if errors.As(err, &refusal) {
		return router.CallProblem(err)
	}
	return engine.Describe(ctx, err).Sentence()
}

// Bounds, in bytes, of the servers' instructions for a client.
const (
	maxInstructions      = 4000
	maxServerInstruction = 600
)

// Instructions implements [mcpserver.Session]. It quotes the instructions of servers in
// scope, also of servers that have not started yet but are known from an earlier run.
func (s *session) Instructions() string {
	var b strings.Builder
	b.WriteString("Winnow stands for several MCP servers.")
	if _, t, err := s.serve(s.engine.Life()); err == nil && t.Index != "" {
		fmt.Fprintf(&b, " When none of your tools does the next step, find one by %s:\n%s", t.Finder(), t.Index)
	}
	for _, server := range s.servers.Snapshot().Servers {
		words := strings.Fields(s.engine.Instructions(server.Name, server.Instructions))
		held := server.Hold.Kind != "" && server.Hold.Kind != string(protocol.CauseStart)
		if len(words) == 0 || held || s.engine.InScope(server.Name) != nil {
			continue
		}
		text := []rune(strings.Join(words, " "))
		if len(text) > maxServerInstruction {
			text = append(text[:maxServerInstruction], '…')
		}
		line := fmt.Sprintf("\n\nServer %q says: %s", server.Name, string(text))
		if b.Len()+len(line) > maxInstructions {
			b.WriteString("\n\nOther servers say more.")
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// Close implements [mcpserver.Session].
func (s *session) Close() {
	s.end()
	s.face.clients.leave(s)
	if err := s.engine.CloseTask(s.entry); err != nil {
		s.face.log.Warn("results of a session not deleted", "error", err)
	}
}
