package daemon_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// codeOf returns the code that the daemon answered with; 0 when it did not.
func codeOf(err error) protocol.Code {
	var failure *daemontest.Error
	if errors.As(err, &failure) {
		return failure.Code
	}
	return 0
}

// scopeCase is what a file says, and what follows for some tools.
type scopeCase struct {
	name  string
	edit  func(s servers)
	modes modes
	mode  string
	// rules says what keeps a tool out; empty admits it.
	rules map[protocol.ToolRef]string
}

func ref(server, tool string) protocol.ToolRef { return protocol.ToolRef{Server: server, Tool: tool} }

// with returns an edit of one server's entry.
func with(server string, edit func(e *entry)) func(servers) {
	return func(s servers) {
		e := s[server]
		edit(&e)
		s[server] = e
	}
}

func list(items ...string) *[]string {
	some := append([]string{}, items...) // never null
	return &some
}

func scopeCases() []scopeCase {
	yes := true
	return []scopeCase{
		{"disabledTools", with("memory", func(e *entry) { e.DisabledTools = []string{"read_graph"} }), nil, "",
			map[protocol.ToolRef]string{ref("memory", "read_graph"): `disabledTools of server "memory"`, ref("memory", "open_nodes"): ""}},
		{"onlyAllow", with("memory", func(e *entry) { e.OnlyAllow = []string{"read_graph"} }), nil, "",
			map[protocol.ToolRef]string{ref("memory", "read_graph"): "", ref("memory", "open_nodes"): `onlyAllow of server "memory"`}},
		{"onlyAllow wins over disabledTools", with("memory", func(e *entry) {
			e.OnlyAllow, e.DisabledTools = []string{"read_graph"}, []string{"read_graph", "open_nodes"}
		}), nil, "",
			map[protocol.ToolRef]string{ref("memory", "read_graph"): "", ref("memory", "open_nodes"): `onlyAllow of server "memory"`}},
		{"an empty onlyAllow is none", with("memory", func(e *entry) {
			e.OnlyAllow, e.DisabledTools = []string{}, []string{"open_nodes"}
		}), nil, "",
			map[protocol.ToolRef]string{ref("memory", "read_graph"): "", ref("memory", "open_nodes"): `disabledTools of server "memory"`}},
		{"disabled", with("memory", func(e *entry) { e.Disabled = &yes }), nil, "",
			map[protocol.ToolRef]string{ref("memory", "read_graph"): `disabled of server "memory"`, ref("everything", "echo"): ""}},
		{"allowedMcpServers", nil, modes{"m": {AllowedMcpServers: list("memory")}}, "m",
			map[protocol.ToolRef]string{ref("memory", "read_graph"): "", ref("everything", "echo"): `allowedMcpServers of mode "m"`}},
		{"allowedMcpServers wins over blockedMcpServers", nil,
			modes{"m": {AllowedMcpServers: list("memory"), BlockedMcpServers: []string{"memory"}}}, "m",
			map[protocol.ToolRef]string{ref("memory", "read_graph"): "", ref("everything", "echo"): `allowedMcpServers of mode "m"`}},
		{"an empty allowedMcpServers admits none", nil, modes{"m": {AllowedMcpServers: list()}}, "m",
			map[protocol.ToolRef]string{ref("memory", "read_graph"): `allowedMcpServers of mode "m"`}},
		{"blockedMcpServers", nil, modes{"m": {BlockedMcpServers: []string{"memory"}}}, "m",
			map[protocol.ToolRef]string{ref("memory", "read_graph"): `blockedMcpServers of mode "m"`, ref("everything", "echo"): ""}},
		{"a mode that is not the task's", nil, modes{"m": {BlockedMcpServers: []string{"memory"}}}, "",
			map[protocol.ToolRef]string{ref("memory", "read_graph"): ""}},
	}
}

// realScope: each rule takes effect when its file is saved, and goes for the
// catalogue, searches, loads and calls. Servers are not restarted over it.
func realScope(t *testing.T, h *daemontest.Host, _ int) {
	for i, test := range scopeCases() {
		t.Run(test.name, func(t *testing.T) {
			s := npmServers(t, h.Options.Workspace)
			if test.edit != nil {
				test.edit(s)
			}
			saveAndAwait(t, h, s, test.modes, fmt.Sprintf("case-%d", i))
			for tool, rule := range test.rules {
				// The modes of a file are told before its catalogue is published.
				h.Until(fmt.Sprintf("%v to be ruled by %q", tool, rule), func() bool {
					return ruleOf(h, test.mode, tool) == rule
				})
				checkScope(t, h, test.mode, tool, rule)
			}
		})
	}
	saveAndAwait(t, h, npmServers(t, h.Options.Workspace), nil, "done")
	h.UntilState("memory", protocol.ServerReady)
	for _, s := range h.Catalog().Servers {
		starts := 0
		for _, p := range told[protocol.ProgressParams](h, protocol.MethodProgress) {
			if p.Token == "server:"+s.Name && p.Value.Kind == protocol.ProgressBegin {
				starts++
			}
		}
		if want := map[bool]int{true: 2, false: 1}[s.Name == "memory"]; starts != want {
			t.Errorf("%s was started %d times, want %d", s.Name, starts, want)
		}
	}
}

// saveAndAwait saves a file with a mode that no other version of it has, and
// waits until the file is in force.
func saveAndAwait(t *testing.T, h *daemontest.Host, s servers, m modes, mark string) {
	t.Helper()
	marked := modes{mark: {Name: mark}}
	maps.Copy(marked, m)
	save(t, h.Options.Workspace, s, marked)
	h.Until("the file to be in force", func() bool {
		now := daemontest.Call[protocol.ModeListResult](h, protocol.MethodModeList, protocol.Empty{})
		return slices.ContainsFunc(now.Modes, func(m protocol.ModeInfo) bool { return m.Slug == mark })
	})
}

// ruleOf returns what the catalogue says of a tool under a mode; "?" while
// there is no such mode or tool.
func ruleOf(h *daemontest.Host, mode string, tool protocol.ToolRef) string {
	c, err := daemontest.Try[protocol.CatalogListResult](h, protocol.MethodCatalogList,
		protocol.CatalogListParams{Mode: mode, Server: tool.Server})
	if err != nil {
		return "?"
	}
	for _, info := range c.Tools {
		if info.Tool == tool.Tool {
			if info.InScope != (info.Cause == nil) {
				return "?"
			}
			return textOf(info.Cause)
		}
	}
	return "?"
}

// textOf words a cause; "" for none.
func textOf(c *protocol.Cause) string {
	if c == nil {
		return ""
	}
	return reasons.Text(*c)
}

func checkScope(t *testing.T, h *daemontest.Host, mode string, tool protocol.ToolRef, rule string) {
	t.Helper()
	in := rule == ""
	found := daemontest.Call[protocol.CatalogSearchResult](h, protocol.MethodCatalogSearch,
		protocol.CatalogSearchParams{Query: tool.Tool, Mode: mode, Limit: 200})
	if got := slices.ContainsFunc(found.Tools, func(f protocol.FoundTool) bool { return ref(f.Server, f.Tool) == tool }); got != in {
		t.Errorf("%v is found by a search: %t, want %t", tool, got, in)
	}
	a := daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen, protocol.TaskOpenParams{Message: "hello", Mode: mode})
	_, err := daemontest.Try[protocol.TaskCallResult](h, protocol.MethodTaskCall,
		protocol.TaskCallParams{Task: a.Task, Name: tool.Tool, Arguments: []byte(`{"message":"hello","names":[]}`)})
	var failure *daemontest.Error
	refused := errors.As(err, &failure) && failure.Code == protocol.CodeOutOfScope
	if refused == in || refused && !strings.Contains(failure.Message+failure.Data.Next, rule) {
		t.Errorf("a call of %v answered %v, want the rule %q", tool, err, rule)
	}
	loaded := daemontest.Call[protocol.TaskLoadResult](h, protocol.MethodTaskLoad,
		protocol.TaskLoadParams{Task: a.Task, Names: []string{tool.Server + "/" + tool.Tool}})
	if got := len(loaded.Loaded) > 0; got != in {
		t.Errorf("mcp_load of %v answered %q", tool, loaded.Text)
	}
}

// realModes: a mode that changes on disk goes for a running task from its next
// turn on; what is attached stays, and a call of it is refused.
func realModes(t *testing.T, h *daemontest.Host, _ int) {
	s := npmServers(t, h.Options.Workspace)
	admits := func(count int) func() bool {
		return func() bool {
			c, err := daemontest.Try[protocol.CatalogListResult](h, protocol.MethodCatalogList, protocol.CatalogListParams{Mode: "m"})
			n := 0
			for _, server := range c.Servers {
				if server.InScope > 0 {
					n++
				}
			}
			return err == nil && n == count
		}
	}
	save(t, h.Options.Workspace, s, modes{"m": {Name: "Mode", AllowedMcpServers: list("memory", "filesystem")}})
	h.Until("two servers in the mode", admits(2))
	a := daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen,
		protocol.TaskOpenParams{Message: "read the graph, and a file", Mode: "m"})
	if a.Mode != protocol.AttachAll || a.Counts.Scoped != 23 || len(a.Tools) != 23 {
		t.Fatalf("the mode admits %d tools, %d attached", a.Counts.Scoped, len(a.Tools))
	}
	save(t, h.Options.Workspace, s, modes{"m": {Name: "Mode", AllowedMcpServers: list("filesystem")}})
	h.Until("one server in the mode", admits(1))
	if got := call(h, a.Task, "read_graph", `{}`); got == "" {
		t.Error("the turn that runs has lost its policy")
	}
	next := turn(h, a.Task, "and now the file")
	if next.Counts.Scoped != 14 || len(next.Tools) != 14 || next.Tokens.Saved != 0 {
		t.Errorf("the next turn admits %d tools, attaches %v and saves %d tokens; want 14, these, and 0",
			next.Counts.Scoped, names(next), next.Tokens.Saved)
	}
	e := h.Refused(protocol.MethodTaskCall, protocol.TaskCallParams{Task: a.Task, Name: "read_graph"})
	if e.Code != protocol.CodeOutOfScope || e.Data.Cause == nil ||
		*e.Data.Cause != (protocol.Cause{Kind: protocol.CauseMode, Owner: "m", Key: "allowedMcpServers"}) {
		t.Errorf("the call of a tool that left the scope: got %v, cause %+v; want allowedMcpServers of mode m", e, e.Data.Cause)
	}
	daemontest.Call[protocol.Empty](h, protocol.MethodModeSet, protocol.ModeSetParams{Mode: "m"})
	if got := open(h, "hello").Counts.Scoped; got != 14 {
		t.Errorf("a task in the current mode sees %d tools", got)
	}
	daemontest.Call[protocol.Empty](h, protocol.MethodModeSet, protocol.ModeSetParams{})
	if e := h.Refused(protocol.MethodModeSet, protocol.ModeSetParams{Mode: "none"}); e.Code != protocol.CodeUnknownMode {
		t.Errorf("an unknown mode: %v", e)
	}
	save(t, h.Options.Workspace, s, nil)
}
