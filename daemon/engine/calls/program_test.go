package calls_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// programmed is an engine that lets models run programs, with a server whose tool
// read answers a long page, one that only reads and one that may write; both echo
// their arguments. allow answers the user's questions; nil: none can be asked.
func programmed(t *testing.T, settings map[string]any, allow func(protocol.ClaimConfirmParams) bool) (h *enginetest.Host, task string) {
	t.Helper()
	reads := `{"name":"echo","description":"Reads.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object",` +
		`"properties":{"text":{"type":"string"},"n":{"type":"integer"}}}}`
	s := configtest.Servers{
		"pages": configtest.Scripted(t, upstreamtest.Script{
			Tools: []string{strings.Replace(reads, "echo", "read", 1), strings.Replace(reads, "echo", "fails", 1)},
			Replies: map[string][]byte{
				"tools/call read":  fmt.Appendf(nil, `"result":{"content":[{"type":"text","text":%q}]}`, page()),
				"tools/call fails": []byte(`"result":{"isError":true,"content":[{"type":"text","text":"no such page"}]}`),
			},
		}),
		"reader": configtest.Scripted(t, upstreamtest.Script{Tools: []string{reads}}),
		"writer": configtest.Scripted(t, upstreamtest.Script{Tools: []string{strings.ReplaceAll(strings.Replace(reads, "readOnlyHint", "openWorldHint", 1), `"echo"`, `"post"`)}}),
	}
	all := map[string]any{"results": map[string]any{"programs": true, "maxChars": 2000}, "journal": map[string]any{"arguments": true}}
	for name, value := range settings {
		all[name] = value
	}
	user := &enginetest.User{}
	if allow != nil {
		user.Can.ClaimConfirm, user.OnClaim = true, allow
	}
	h = enginetest.Start(t, enginetest.Options{Workspace: configtest.WorkspaceWith(t, s, nil), User: user}, all)
	h.UntilReady(s)
	h.ApproveAll("reader")
	h.ApproveAll("pages")
	return h, h.Open("read a page").Task
}

// TestProgram: a program calls tools by the rules for any call, and the model reads
// what it returns.
func TestProgram(t *testing.T) {
	t.Parallel()
	var asked []protocol.ClaimConfirmParams
	allow := true
	h, task := programmed(t, nil, func(p protocol.ClaimConfirmParams) bool { asked = append(asked, p); return allow })
	for _, tt := range []struct {
		name, program, want string
		allow               bool
		asks                int
	}{
		{"a part", "p = call(\"read\")\nresult = [r[\"title\"] for r in p[\"rows\"] if r[\"id\"] > 297]", `["row 298","row 299"]`, false, 0},
		{"a file's text as it is", "p = call(\"read\", text = \"notes/a.json\")\nresult = [type(p), json_decode(p)[\"title\"]]", `["string","A page"]`, false, 0},
		{"several", `result = [a["n"] for a in parallel([("echo", {"n": i}) for i in (1, 2)])]`, "[1,2]", false, 0},
		{"no such tool", "\nresult = call(\"nothing\")", "line 2: nothing: ", false, 0},
		{"no fit", `result = call("echo", n = "x")`, "line 1: echo: ", false, 0},
		{"its own error", "x = call(\"echo\", n = 1)\nresult = call(\"fails\")", "line 2: fails: no such page\nCalls that it made: echo (answered), fails (failed).", false, 0},
		{"of Winnow's own", `result = call("mcp_search", query = "x")`, "none of Winnow's own", false, 0},
		{"in itself", `result = call("mcp_run", program = "x")`, "none of Winnow's own", false, 0},
		{"a write", `result = call("post", text = "hello")`, `{"text":"hello"}`, true, 1},
		{"a write that is refused", `result = call("post", text = "hello")`, "the user did not want it", false, 1},
		{"what is read into a write", "p = call(\"read\")\nresult = call(\"post\", text = p[\"title\"])", `{"text":"A page"}`, true, 1},
		{"what is read elsewhere", "p = call(\"read\")\nresult = call(\"echo\", text = p[\"title\"])", "the user did not want it", false, 1},
		{"own words elsewhere", "p = call(\"read\")\nresult = call(\"echo\", text = \"A page\")", `{"text":"A page"}`, false, 0},
	} {
		asked, allow = nil, tt.allow
		r := h.CallTool(task, "mcp_run", map[string]any{"program": tt.program})
		if text := enginetest.Text(r); !strings.Contains(text, tt.want) || len(text) > 2500 {
			t.Errorf("%s: got %.400s, want %s", tt.name, text, tt.want)
		}
		if len(asked) != tt.asks {
			t.Errorf("%s: asked %+v", tt.name, asked)
		}
		for _, q := range asked {
			if passes := strings.Contains(tt.program, "p["); !q.Program || strings.Contains(q.Why, "read of pages") != passes || !strings.Contains(string(q.Arguments), `"text":`) {
				t.Errorf("%s: the user is asked %+v", tt.name, q)
			}
		}
	}
	// What is long is cut and kept, and knows whose it is.
	r := h.CallTool(task, "mcp_run", map[string]any{"program": `result = call("read")`})
	if r.Shaped == nil || r.Shaped.Handle == "" {
		t.Fatalf("a long result: %.300s", enginetest.Text(r))
	}
	d := enginetest.Call(h, h.TaskDescribeCall, protocol.TaskDescribeCallParams{Task: task, Name: "post", Arguments: []byte(`{"text":{"$from":"` + r.Shaped.Handle + `"}}`)})
	if !strings.Contains(d.Passed, "read of pages") {
		t.Errorf("the origin of a program's result is lost: %q", d.Passed)
	}
	r = h.CallTool(task, "mcp_run", map[string]any{"program": `result = "own words " * 500`})
	if r.Shaped == nil || r.Shaped.Handle == "" {
		t.Fatalf("a long result of no call: %.300s", enginetest.Text(r))
	}
	d = enginetest.Call(h, h.TaskDescribeCall, protocol.TaskDescribeCallParams{Task: task, Name: "post", Arguments: []byte(`{"text":{"$from":"` + r.Shaped.Handle + `"}}`)})
	if d.Passed != "" {
		t.Errorf("what no server answered is passed on: %q", d.Passed)
	}
	if r := h.CallTool(task, "mcp_call", map[string]any{"name": "mcp_run", "arguments": map[string]any{"program": "result = 1 + 1"}}); enginetest.Text(r) != "2" {
		t.Errorf("by name: %s", enginetest.Text(r))
	}
	if r := h.CallTool(task, "mcp_read", map[string]any{"name": "mcp_run", "arguments": map[string]any{"program": "result = 1 + 1"}}); !r.IsError {
		t.Errorf("what only reads runs a program: %s", enginetest.Text(r))
	}
	h.Close()
	var recorded []string
	for _, entry := range enginetest.Recorded(t, h.Options.Storage, journal.Filter{Kind: journal.Call}) {
		recorded = append(recorded, fmt.Sprint(entry.Server, "/", entry.Tool, " ", entry.Outcome, " ", entry.By, " ", entry.From))
	}
	for _, want := range []string{"writer/post ok user []", "writer/post refused user []", "writer/post ok user [pages/read]", "reader/echo refused user [pages/read]", "reader/echo ok readOnly []", "pages/fails error readOnly []"} {
		if !slices.Contains(recorded, want) {
			t.Errorf("no %q is recorded in %q", want, recorded)
		}
	}
}

// TestProgram_unasked: where nobody can be asked, a program runs what needs no
// question.
func TestProgram_unasked(t *testing.T) {
	t.Parallel()
	h, task := programmed(t, nil, nil)
	if r := h.CallTool(task, "mcp_run", map[string]any{"program": `result = call("post", text = "x")`}); !r.IsError || !strings.Contains(enginetest.Text(r), "call it by itself") {
		t.Errorf("a write: %s", enginetest.Text(r))
	}
	if r := h.CallTool(task, "mcp_run", map[string]any{"program": `result = call("echo", text = "x")`}); r.IsError {
		t.Errorf("a read: %s", enginetest.Text(r))
	}
}

// TestProgram_off: without the setting no model is offered programs, and none runs;
// where references are forbidden, none is put in.
func TestProgram_off(t *testing.T) {
	t.Parallel()
	h, task := programmed(t, map[string]any{"results": map[string]any{"maxChars": 2000, "references": false}}, nil)
	offered := func(task string) bool {
		a := h.Turn(task, "read on")
		return slices.ContainsFunc(a.MetaTools, func(m protocol.MetaTool) bool { return m.Name == "mcp_run" })
	}
	if r := h.CallTool(task, "mcp_run", map[string]any{"program": "result = 1"}); !r.IsError || !strings.Contains(enginetest.Text(r), "winnow.results.programs") || offered(task) {
		t.Errorf("off: %s", enginetest.Text(r))
	}
	r := h.CallTool(task, "read", nil)
	if r.Shaped == nil || strings.Contains(enginetest.Text(r), "$from") {
		t.Fatalf("references are forbidden, and taught: %s", enginetest.Text(r))
	}
	reference := map[string]any{"text": []any{map[string]any{"$from": r.Shaped.Handle}}}
	if r := h.CallTool(task, "echo", reference); !r.IsError || !strings.Contains(enginetest.Text(r), "winnow.results.references is false") {
		t.Errorf("a forbidden reference: %s", enginetest.Text(r))
	}
	h.ChangeSettings(`{"results":{"programs":true}}`)
	if !offered(task) {
		t.Error("on, and not offered")
	}
}
