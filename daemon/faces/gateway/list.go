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

// toolList is the state of one client's list of tools.
type toolList struct {
	// order holds the names of all tools that the client has received.
	order []string
	// listed: the client has requested the list. Before that, it is not notified.
	listed bool
	// late: the tools of some servers were unknown at that time.
	late bool
	// names and index describe the list that the client last received or was notified of.
	names, index string
	// notified: the client was notified of a change and has not listed since. calls
	// counts its calls since then.
	notified bool
	calls    int
}

// staleCalls is the number of calls after a notification at which a client counts as one
// that does not list again. Some calls may have been under way.
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
		s.list.order = nil // each list is independent
	}
	if s.list.notified && !s.client.Shared {
		s.engine.RecordRefreshes(s.client.Name, s.client.Version, true)
	}
	s.list.notified, s.list.calls = false, 0
	tools, names := s.list.inOrder(v, &t)
	s.list.names, s.list.index = names, t.Index
	return tools, nil
}

// begin records the first list. If tools are unknown at that time, the list must offer a
// way to reach them.
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

// noteCallAfterChange counts a call of a notified client. At staleCalls it records that
// the client does not refresh its list.
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

// servedFor holds the inputs of the last update of a task. If they are unchanged, the
// task is up to date. It points to immutable values only.
type servedFor struct {
	catalog  *router.Catalog
	settings *protocol.Settings
	policy   *router.Mode
	// late is the argument of [router.View.Serve].
	late bool
	// generation is the task's generation, which increases with each change.
	generation int64
}

// serve updates the task to the current catalogue, settings and mode, and returns it.
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

// serveNow is serve for callers in the task's order that hold serving.
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

// late reports whether tools were unknown when the client made its first list. For shared
// sessions it reports whether tools are unknown now.
func (s *session) late() bool {
	if s.client.Shared {
		return len(s.engine.UnknownServers()) > 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list.late
}

// inOrder returns the tools of a task, those that the client has received first and in
// their order, and the tools' names, one per line. Callers must hold the session's mu.
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

// resultSize is the member of a tool's _meta from which Claude Code reads the length of
// results in characters. It does not truncate a shorter result again.
const resultSize = "anthropic/maxResultSizeChars"

// alwaysLoad makes Claude Code, which has its own tool search, always load a tool (found
// in its bundle, 2.1.197).
const alwaysLoad = `{"anthropic/alwaysLoad":true}`

// ownTool returns one of Winnow's own tools. Its annotations decide whether clients run
// it without asking. A tool that reaches no server has openWorldHint false. maxChars is
// the limit of a result in characters, 0 for none.
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

// attachedTool returns an attached tool with the other members of its definition.
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

// withResultSize adds the length of Winnow's results to a tool's _meta, unless the server
// sets it or there is no limit.
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

// Changed implements [mcpserver.Session]. A changed index alone is reported only when no
// server is starting, because each start changes it.
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

// freshTime is how long a client may cache a list if no change is expected. A call based
// on an older list still works.
const freshTime = time.Minute

// Fresh implements [mcpserver.Session].
func (s *session) Fresh() time.Duration {
	if s.engine.Starting() || len(s.engine.UnknownServers()) > 0 {
		return 0
	}
	return freshTime
}
