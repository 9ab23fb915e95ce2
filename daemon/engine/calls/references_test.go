package calls_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// page is what the tool read of the server pages answers in these tests.
func page() string {
	var rows []string
	for i := range 300 {
		rows = append(rows, fmt.Sprintf(`{"id":%d,"title":"row %d"}`, i, i))
	}
	return `{"title":"A page","big":12345678901234567890,"rows":[` + strings.Join(rows, ",\n") + `]}`
}

// passing is an engine whose tool read answers a long page, with a server that
// echoes its arguments: by writes, and by reads, which says that it only reads.
func passing(t *testing.T, settings map[string]any) (h *enginetest.Host, task, handle string) {
	t.Helper()
	reads := `{"name":"echo","description":"Reads.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object",` +
		`"properties":{"text":{"type":"string"},"n":{"type":"integer"}}}}`
	s := configtest.Servers{
		"pages": configtest.Scripted(t, upstreamtest.Script{
			Tools:   []string{configtest.Tool("read", "Read a page."), configtest.Tool("same", "Of the same server.")},
			Replies: map[string][]byte{"tools/call read": fmt.Appendf(nil, `"result":{"content":[{"type":"text","text":%q}]}`, page())},
		}),
		"reader": configtest.Scripted(t, upstreamtest.Script{Tools: []string{reads}}),
		"writer": configtest.Scripted(t, upstreamtest.Script{Tools: []string{strings.ReplaceAll(strings.Replace(reads, "readOnlyHint", "openWorldHint", 1), `"echo"`, `"post"`)}}),
	}
	all := map[string]any{"results": map[string]any{"maxChars": 2000}, "journal": map[string]any{"arguments": true}}
	for name, value := range settings {
		all[name] = value
	}
	h = enginetest.Begin(t, all, s, nil)
	h.ApproveAll("reader")
	task = h.Open("read").Task
	r := h.CallTool(task, "read", nil)
	if r.Shaped == nil || !strings.Contains(enginetest.Text(r), `{"$from":"`+r.Shaped.Handle+`"}`) {
		t.Fatalf("the result does not say how it is passed on: %+v %s", r.Shaped, enginetest.Text(r))
	}
	return h, task, r.Shaped.Handle
}

// TestReferences: what stands in arguments for a part of a result is put in, and
// the model never sees it.
func TestReferences(t *testing.T) {
	t.Parallel()
	h, task, handle := passing(t, nil)
	call := func(reference string) protocol.TaskCallParams {
		return protocol.TaskCallParams{Task: task, Name: "echo", Consent: protocol.ConsentTask, Arguments: []byte(`{"text":` + reference + `}`)}
	}
	from := func(rest string) string { return `{"$from":"` + handle + `"` + rest + `}` }
	for name, tc := range map[string]struct{ reference, want string }{
		"a path":           {from(`,"path":"$.rows[299].title"`), `"row 299"`},
		"several values":   {`[` + from(`,"path":"$.title"`) + `]`, ""},
		"lines":            {from(`,"lines":"300"`), `"{\"id\":299,\"title\":\"row 299\"}]}"`},
		"a match":          {from(`,"match":"row 2\\d\\d"`), `"row 200"`},
		"a group":          {from(`,"match":"\"title\":\"(A[^\"]*)"`), `"A page"`},
		"a number":         {from(`,"path":"$.big"`), ""},
		"nothing selected": {from(`,"path":"$.none"`), ""},
		"no such lines":    {from(`,"lines":"900"`), ""},
		"no match":         {from(`,"match":"nowhere"`), ""},
		"two ways":         {from(`,"path":"$","lines":"1"`), ""},
		"another member":   {from(`,"limit":"1"`), ""},
		"another handle":   {`{"$from":"r_aaaaaaaaaaaaaaaaaaaa"}`, ""},
		"no handle":        {`{"$from":"r_../../x"}`, ""},
	} {
		r := enginetest.Call(h, h.TaskCall, call(tc.reference))
		text := enginetest.Text(r)
		if tc.want != "" && (r.IsError || text != `{"text":`+tc.want+`}`) {
			t.Errorf("%s: got %s, want %s", name, text, tc.want)
		}
		// A list and a number are no text, which the schema wants.
		if tc.want == "" && (!r.IsError || strings.Contains(text, "row 1")) {
			t.Errorf("%s: got %s", name, text)
		}
	}
	number := call(from(`,"path":"$.title"`) + `,"n":` + from(`,"path":"$.rows[7].id"`))
	if got := enginetest.Text(enginetest.Call(h, h.TaskCall, number)); got != `{"n":7,"text":"A page"}` {
		t.Errorf("a number arrives as %s", got)
	}
	whole := enginetest.Call(h, h.TaskCall, call(from("")))
	if whole.Shaped == nil || len(enginetest.Text(whole)) > 2000 {
		t.Fatalf("the whole page: %s", enginetest.Text(whole))
	}
	if end := h.CallTool(task, "mcp_result", map[string]any{"handle": whole.Shaped.Handle, "grep": "row 299"}); !strings.HasPrefix(enginetest.Text(end), "1: ") {
		t.Errorf("the end of the page did not arrive: %s", enginetest.Text(end))
	}
	// What is no reference stays as it is.
	r := enginetest.Call(h, h.TaskCall, protocol.TaskCallParams{Task: task, Name: "echo", Arguments: []byte(`{"text":"x","filter":{"$from":"2020-01-01"}}`)})
	if got := enginetest.Text(r); !strings.Contains(got, `{"$from":"2020-01-01"}`) {
		t.Errorf("a filter became %s", got)
	}
	other := h.Open("another task").Task
	p := call(from(`,"path":"$.title"`))
	p.Task = other
	if r := enginetest.Call(h, h.TaskCall, p); !r.IsError {
		t.Errorf("another task passes it on: %s", enginetest.Text(r))
	}
}

// TestReferences_destinations: what one server answered goes to another only when
// the user has said so, and never silently into a tool that may write.
func TestReferences_destinations(t *testing.T) {
	t.Parallel()
	h, task, handle := passing(t, nil)
	arguments := json.RawMessage(`{"text":{"$from":"` + handle + `","path":"$.title"}}`)
	describe := func(tool string) protocol.TaskDescribeCallResult {
		return enginetest.Call(h, h.TaskDescribeCall, protocol.TaskDescribeCallParams{Task: task, Name: tool, Arguments: arguments})
	}
	run := func(tool string, consent protocol.CallConsent) bool {
		return !enginetest.Call(h, h.TaskCall, protocol.TaskCallParams{Task: task, Name: tool, Arguments: arguments, Consent: consent}).IsError
	}
	if d := describe("echo"); !d.Confirm || !strings.Contains(d.Passed, "A yes for this chat also lets tools of reader") || !strings.Contains(d.Passed, "read of pages") || !strings.Contains(d.Passed, "$.title") || !strings.Contains(string(d.Arguments), "$from") {
		t.Errorf("the user is told %+v", d)
	}
	for i, step := range []struct {
		tool    string
		consent protocol.CallConsent
		runs    bool
		asks    bool // about the next such call
	}{
		{"echo", "", false, true},
		{"echo", protocol.ConsentOnce, true, true},
		{"echo", protocol.ConsentTask, true, false},
		{"echo", "", true, false},
		{"post", "", false, true},
		{"post", protocol.ConsentAlways, true, true},
		{"post", "", false, true},
		{"same", "", true, true}, // its own server's: asked about as any other
	} {
		if ran := run(step.tool, step.consent); ran != step.runs {
			t.Errorf("step %d: %s ran: %t", i, step.tool, ran)
		}
		if d := describe(step.tool); d.Confirm != step.asks {
			t.Errorf("step %d: %s asks: %t, %s", i, step.tool, d.Confirm, d.Passed)
		}
	}
	if d := describe("post"); strings.Contains(d.Passed, "A yes") {
		t.Errorf("for a tool that may write nothing is remembered, and the user is told %s", d.Passed)
	}
	elsewhere := h.Open("elsewhere").Task
	for _, pair := range enginetest.Call(h, h.ApprovalList, protocol.Empty{}).Approvals {
		if pair.Kind == protocol.ApprovalPair && (pair.To != "reader" || pair.Task != task || pair.Task == elsewhere) {
			t.Errorf("remembered is %+v", pair)
		}
	}
	h.Close()
	passed := 0
	for _, entry := range enginetest.Recorded(t, h.Options.Storage, journal.Filter{Kind: journal.Call}) {
		if len(entry.From) == 0 {
			continue
		}
		passed++
		if entry.From[0] != "pages/read" || !strings.Contains(string(entry.Arguments), "$from") || strings.Contains(string(entry.Arguments), "A page") {
			t.Errorf("recorded %+v with %s", entry.From, entry.Arguments)
		}
	}
	if passed != 8 {
		t.Errorf("%d calls are recorded as passing something on, want 8", passed)
	}
}

// TestReferences_bounds: however much arguments refer to, they stay bounded.
func TestReferences_bounds(t *testing.T) {
	t.Parallel()
	h, task, handle := passing(t, nil)
	reference := `{"$from":"` + handle + `"}`
	for name, arguments := range map[string]string{
		"many":      `{"list":[` + strings.Repeat(reference+",", 40) + `1]}`,
		"expensive": `{"text":{"$from":"` + handle + `","match":"(y?){900}y{900}z"}}`,
	} {
		r := enginetest.Call(h, h.TaskCall, protocol.TaskCallParams{Task: task, Name: "same", Arguments: []byte(arguments)})
		if text := enginetest.Text(r); !r.IsError || !strings.Contains(text, "not called") {
			t.Errorf("%s: %.200s", name, text)
		}
	}
}

// TestReferences_ofHosts: a member "$from" of a host's own tool goes to it, and a
// reference, which nobody would put in, is refused.
func TestReferences_ofHosts(t *testing.T) {
	t.Parallel()
	h := enginetest.Begin(t, nil, nil, nil)
	enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: "host", Tools: enginetest.HostTools(5)})
	task := h.OpenRouted("send an e-mail").Task
	if r := h.CallTool(task, "mcp_mail_send", map[string]any{"$from": "2020-01-01"}); r.Host == nil {
		t.Errorf("the host's own member: %s", enginetest.Text(r))
	}
	if r := h.CallTool(task, "mcp_mail_send", map[string]any{"to": map[string]any{"$from": "r_aaaaaaaaaaaaaaaaaaaa"}}); r.Host != nil || !r.IsError {
		t.Errorf("a reference: %+v", r)
	}
}
