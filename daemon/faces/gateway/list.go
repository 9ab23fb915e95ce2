package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// toolList is what a client of the gateway knows of its list of tools.
type toolList struct {
	// order holds the names of all tools that the client has seen.
	order []string
	// listed: the client has asked for the list; before, nothing is news.
	listed bool
	// late: that was while tools were still unknown.
	late bool
	// names and index are the list that the client was given last, or told of.
	names, index string
	// notified: the client was told of a change and has not listed since; calls
	// counts those that it made meanwhile.
	notified bool
	calls    int
}

// staleCalls is how many calls a client makes after it was told of a change,
// until it counts as one that does not list again. Some may have been under way.
const staleCalls = 3

// Tools implements [mcpserver.Session].
func (s *session) Tools(ctx context.Context) ([]mcpserver.Tool, error) {
	s.begin()
	defer s.face.startup.noteList()
	v, t, err := s.serve(ctx)
	if err != nil {
		return nil, err
	}
	if len(t.Warnings) > 0 && s.face.clients.firstWarning(s.client.Name) {
		s.engine.ShowMessage(tooMany(s.client.Name, t.Warnings))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client.Shared {
		s.list.order = nil // each list stands for itself
	}
	if s.list.notified && !s.client.Shared {
		s.engine.RecordRefreshes(s.client.Name, s.client.Version, true)
	}
	s.list.notified, s.list.calls = false, 0
	tools, names := s.list.inOrder(v, &t)
	s.list.names, s.list.index = names, t.Index
	return tools, nil
}

// begin notes the first list: with unknown tools it is one that has to offer a
// way to them.
func (s *session) begin() {
	unknown := s.engine.UnknownServers()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list.listed {
		return
	}
	s.list.listed, s.list.late = true, len(unknown) > 0
	if s.mode == protocol.GatewayAll && s.list.late {
		s.face.log.Info("a client's first list lacks the tools of servers that start for the first time: it is told when they come, and reaches them by "+
			router.CallName+" until then", "client", s.client.Name, "servers", nameList(unknown))
	}
}

// noteCallAfterChange counts a call of a client that was told of a change. One
// that goes on without the newer list is remembered as such.
func (s *session) noteCallAfterChange() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.list.notified || s.client.Shared {
		return
	}
	if s.list.calls++; s.list.calls == staleCalls {
		s.engine.RecordRefreshes(s.client.Name, s.client.Version, false)
	}
}

// servedFor names what a task was brought to last: with the same values there is
// nothing to do. All that it points to is immutable.
type servedFor struct {
	catalog  *router.Catalog
	settings *protocol.Settings
	policy   *router.Mode
	// late is as for [router.View.Serve].
	late bool
	// generation is the task's, which rises with each change of it.
	generation int64
}

// serve takes the task to what it is now, under the mode that is current, and
// returns it.
func (s *session) serve(ctx context.Context) (*router.View, router.Task, error) {
	type served struct {
		view *router.View
		task router.Task
	}
	now, err := tasks.InOrder(ctx, s.entry, func() (served, error) {
		s.serving.Lock()
		defer s.serving.Unlock()
		v, t, err := s.serveNow()
		return served{v, t}, err
	})()
	return now.view, now.task, err
}

// serveNow is serve for who is in the task's order and holds serving.
func (s *session) serveNow() (*router.View, router.Task, error) {
	t, _, _ := s.entry.Snapshot()
	v, err := s.engine.View(s.entry, &t)
	if err != nil {
		return nil, t, err
	}
	now := servedFor{v.Catalog, v.Settings, v.Mode, s.late(), t.Generation}
	if v.Settings.Shadow {
		v = v.Unrouted()
	}
	if t.Turn > 0 && now == s.served {
		return v, t, nil
	}
	t.ID = s.entry.ID
	if s.client.Shared {
		t = v.ServeShared(t, now.late)
	} else {
		t = v.Serve(t, s.mode, now.late)
	}
	s.entry.Replace(t, nil, v.Mode)
	now.generation = t.Generation
	s.served = now
	return v, t, nil
}

// late reports whether the client's list was made while tools were still
// unknown; of clients that list anew each time, whether they are now.
func (s *session) late() bool {
	if s.client.Shared {
		return len(s.engine.UnknownServers()) > 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list.late
}

// inOrder returns the tools of a task: those that the client has seen, in
// their order, then the new ones; and their names, one a line. The
// caller holds the session's mu.
func (l *toolList) inOrder(v *router.View, t *router.Task) (tools []mcpserver.Tool, names string) {
	byName := map[string]mcpserver.Tool{}
	add := func(tool mcpserver.Tool) {
		byName[tool.Name] = tool
		if !slices.Contains(l.order, tool.Name) {
			l.order = append(l.order, tool.Name)
		}
	}
	for _, m := range v.MetaTools(t) {
		add(ownTool(m, v.Settings.Results.MaxChars))
	}
	for i := range t.Attached {
		if a := &t.Attached[i]; v.Listed(t, a) {
			add(attachedTool(v, a))
		}
	}
	var b strings.Builder
	tools = make([]mcpserver.Tool, 0, len(l.order))
	for _, name := range l.order {
		if tool, ok := byName[name]; ok {
			tools = append(tools, tool)
			b.WriteString(name + "\n")
		}
	}
	return tools, b.String()
}

// resultSize is the member of a tool's _meta by which Claude Code knows how many
// characters its results have. What was cut to that is not cut again.
const resultSize = "anthropic/maxResultSizeChars"

// alwaysLoad tells Claude Code, which searches tools by itself, not to hide a tool
// behind that search (read in its bundle, 2.1.197).
const alwaysLoad = `{"anthropic/alwaysLoad":true}`

// ownTool is a tool of Winnow's own. Clients that run what reads, and ask about
// the rest, go by its annotations; what reaches no server touches no open world.
// maxChars is the most that a result has, 0 for no limit.
func ownTool(m protocol.MetaTool, maxChars int) mcpserver.Tool {
	tool := mcpserver.Tool{
		Name: m.Name, Description: m.Description, InputSchema: m.InputSchema, Meta: json.RawMessage(alwaysLoad),
		Annotations: json.RawMessage(`{"readOnlyHint":true,"openWorldHint":false}`),
	}
	if maxChars > 0 {
		tool.Meta = fmt.Appendf(nil, `{"anthropic/alwaysLoad":true,%q:%d}`, resultSize, maxChars)
	}
	switch m.Name {
	case router.SearchName:
		tool.Title = "Find tools"
	case router.LoadName:
		tool.Title = "Find and attach tools"
	case router.ResultName:
		tool.Title = "Read on in a result"
	case router.ReadName:
		tool.Title, tool.Annotations = "Read by a tool", json.RawMessage(`{"readOnlyHint":true,"openWorldHint":true}`)
	case router.RunName:
		tool.Title, tool.Annotations = "Run a program of calls", json.RawMessage(`{"readOnlyHint":false,"openWorldHint":true}`)
	case router.CallName:
		tool.Title, tool.Annotations = "Run a tool", json.RawMessage(`{"readOnlyHint":false,"openWorldHint":true}`)
	}
	return tool
}

// attachedTool is a tool with what its server says of it besides.
func attachedTool(v *router.View, a *router.Attached) mcpserver.Tool {
	tool := mcpserver.Tool{Name: a.Name, Description: a.Description, InputSchema: a.Schema}
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
		tool.OutputSchema, tool.Meta = wire.OutputSchema, withResultSize(wire.Meta, v.Settings.Results.MaxChars)
	}
	tool.Title, tool.Annotations = d.Title, d.Annotations
	return tool
}

// withResultSize returns a server's _meta of a tool with how long Winnow's results
// are, unless the server says it itself or there is no limit.
func withResultSize(meta json.RawMessage, maxChars int) json.RawMessage {
	var members map[string]json.RawMessage
	if maxChars <= 0 || len(meta) > 0 && json.Unmarshal(meta, &members) != nil || members[resultSize] != nil {
		return meta
	}
	size := fmt.Appendf(nil, `{%q:%d`, resultSize, maxChars)
	if len(members) == 0 {
		return append(size, '}')
	}
	return append(append(size, ','), bytes.TrimLeft(meta, " \t\r\n")[1:]...)
}

// Changed implements [mcpserver.Session]. Other words about the servers are told
// when no server is starting any more: each of them would change the words.
func (s *session) Changed(ctx context.Context) bool {
	s.mu.Lock()
	listed := s.list.listed
	s.mu.Unlock()
	if !listed {
		return false
	}
	v, t, err := s.serve(ctx)
	if err != nil {
		return false
	}
	starting := s.engine.Starting()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client.Shared {
		s.list.order = nil
	}
	_, names := s.list.inOrder(v, &t)
	if names == s.list.names && (starting || t.Index == s.list.index) {
		return false
	}
	s.list.names, s.list.index = names, t.Index
	s.list.notified = true
	return true
}

// freshTime is how long a client may take a list for true that nothing is about
// to change. A call by an old list is answered all the same.
const freshTime = time.Minute

// Fresh implements [mcpserver.Session].
func (s *session) Fresh() time.Duration {
	if s.engine.Starting() || len(s.engine.UnknownServers()) > 0 {
		return 0
	}
	return freshTime
}
