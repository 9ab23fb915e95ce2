package calls_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestResults_theLimitHoldsInEveryMode: routing off, watched only, or searching
// switched off: a long result is cut, and the rest is read.
func TestResults_theLimitHoldsInEveryMode(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]map[string]any{
		"routed":         {},
		"dispatch":       {"strategy": "dispatch"},
		"off":            {"enabled": false},
		"shadow":         {"shadow": true},
		"searchTurns: 0": {"searchTurns": 0},
		"few tools":      {"threshold": 1000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings["results"] = map[string]any{"maxChars": 1000}
			h := enginetest.Standard(t, settings)
			a := h.Open("big")
			r := h.CallTool(a.Task, "big", map[string]any{"bytes": 5000})
			if r.Shaped == nil || len(enginetest.Text(r)) > 1000 {
				t.Fatalf("%+v, %d characters", r.Shaped, len(enginetest.Text(r)))
			}
			tool, arguments := "mcp_result", any(map[string]any{"handle": r.Shaped.Handle, "offset": 4999})
			attached := &a
			if r.Attachment != nil {
				attached = r.Attachment
			}
			names := map[string]bool{}
			for _, meta := range attached.MetaTools {
				names[meta.Name] = true
			}
			if !names[tool] && names["mcp_call"] {
				tool, arguments = "mcp_call", enginetest.ByName(tool, arguments)
			}
			if !names[tool] || !strings.Contains(enginetest.Text(r), tool+"(") {
				t.Errorf("the model has %v to read by: %s", names, enginetest.Text(r))
			}
			if part := h.CallTool(a.Task, tool, arguments); part.IsError || !strings.HasPrefix(enginetest.Text(part), "x") {
				t.Errorf("the end reads %s", enginetest.Text(part))
			}
		})
	}
}

func TestResults_noLimit(t *testing.T) {
	t.Parallel()
	h := enginetest.Standard(t, map[string]any{"results": map[string]any{"maxChars": 0}})
	a := h.Open("big")
	if r := h.CallTool(a.Task, "big", map[string]any{"bytes": 50_000}); r.Shaped != nil || len(enginetest.Text(r)) != 50_000 {
		t.Errorf("%+v, %d characters", r.Shaped, len(enginetest.Text(r)))
	}
}

// TestResults_errorsCount: an error is as long as a result may be, and the rest
// of it is read like the rest of any other.
func TestResults_errorsCount(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("why ", 10_000)
	s := configtest.Servers{"s": configtest.Scripted(t, upstreamtest.Script{
		Tools: []string{configtest.Tool("refuse", "Refuse."), configtest.Tool("fail", "Fail."), configtest.Tool("open", "Open.")},
		Replies: map[string][]byte{
			// What the user is to do first is for the face, however long it is.
			"tools/call open":   fmt.Appendf(nil, `"error":{"code":%d,"message":%q}`, upstream.CodeURLRequired, long[:8000]),
			"tools/call refuse": fmt.Appendf(nil, `"error":{"code":-32000,"message":%q}`, long),
			"tools/call fail":   fmt.Appendf(nil, `"result":{"isError":true,"content":[{"type":"text","text":%q}]}`, long),
		},
	})}
	h := enginetest.Begin(t, map[string]any{"results": map[string]any{"maxChars": 2000}}, s, nil)
	a := h.Open("x")
	for _, tool := range []string{"refuse", "fail"} {
		r := h.CallTool(a.Task, tool, nil)
		if !r.IsError || r.Shaped == nil || r.Server != "s" || utf8.RuneCountInString(enginetest.Text(r)) > 2000 {
			t.Fatalf("%s: %+v, %d characters", tool, r, len(enginetest.Text(r)))
		}
		part := h.CallTool(a.Task, "mcp_result", map[string]any{"handle": r.Shaped.Handle, "offset": 39_000})
		if part.IsError || !strings.Contains(enginetest.Text(part), "why why") {
			t.Errorf("%s: the rest reads %.200s", tool, enginetest.Text(part))
		}
	}
	open := protocol.TaskCallParams{Task: a.Task, Name: "open", Arguments: []byte("{}")}
	if e := enginetest.Refused(h, h.TaskCall, open); !strings.Contains(e.Message, "why why") {
		t.Errorf("a page to open first: %+v", e)
	}
}

// TestResults_bodyOfAnError: what a server sends with an HTTP error reaches the
// model cut.
func TestResults_bodyOfAnError(t *testing.T) {
	t.Parallel()
	speaks := upstreamtest.Handler(upstreamtest.Script{Tools: []string{configtest.Tool("fail", "Fail.")}})
	page := "<html>begins " + strings.Repeat("why ", 750_000) + "</html>"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !strings.Contains(string(body), `"tools/call"`) {
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			speaks.ServeHTTP(w, r)
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, page)
	}))
	t.Cleanup(server.Close)
	h := enginetest.Begin(t, map[string]any{"results": map[string]any{"maxChars": 2000}}, configtest.Servers{"s": {URL: server.URL}}, nil)
	task := h.Open("x").Task
	params := protocol.TaskCallParams{Task: task, Name: "fail", Arguments: []byte("{}")}
	answer, err := h.TaskCall(t.Context(), &params)
	text := enginetest.Text(answer)
	if err != nil {
		text = err.Error()
	}
	if n := len(text); n == 0 || n > 2500 || !strings.Contains(text, "500") {
		t.Errorf("%d bytes reach the model: %.300s", n, text)
	}
	t.Logf("%d bytes of %d: %.200s", len(text), len(page), text)
}

// TestResults_images: images have a limit of their own, which is a setting and is
// named where one is left out.
func TestResults_images(t *testing.T) {
	t.Parallel()
	image := strings.Repeat("A", 4_000)
	s := configtest.Servers{"s": configtest.Scripted(t, upstreamtest.Script{
		Tools:   []string{configtest.Tool("shoot", "Take a picture.")},
		Replies: map[string][]byte{"tools/call shoot": fmt.Appendf(nil, `"result":{"content":[{"type":"image","mimeType":"image/png","data":%q}]}`, image)},
	})}
	for limit, arrives := range map[int]bool{-1: true, 0: true, 4_000: true, 3_999: false} {
		results := map[string]any{"maxChars": 1000}
		if limit >= 0 {
			results["maxMediaChars"] = limit
		}
		h := enginetest.Begin(t, map[string]any{"results": results}, s, nil)
		r := h.CallTool(h.Open("shoot").Task, "shoot", nil)
		if got := strings.Contains(fmt.Sprintf("%s", r.Content), image); got != arrives {
			t.Errorf("limit %d: it arrives: %t: %.300s", limit, got, r.Content)
		}
		if text := enginetest.Text(r); !arrives && !strings.Contains(text, "winnow.results.maxMediaChars") {
			t.Errorf("limit %d: %s", limit, text)
		}
	}
}

// TestResults_nothingCanBeKept: the limit holds on a storage that takes nothing,
// and the result says that the rest is lost.
func TestResults_nothingCanBeKept(t *testing.T) {
	t.Parallel()
	s := configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{})}
	o := enginetest.Options{Workspace: configtest.WorkspaceWith(t, s, nil), Storage: t.TempDir()}
	if err := os.WriteFile(filepath.Join(o.Storage, "results"), []byte("in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := enginetest.Start(t, o, map[string]any{"results": map[string]any{"maxChars": 1000}})
	h.UntilReady(s)
	a := h.Open("big")
	r := h.CallTool(a.Task, "big", map[string]any{"bytes": 5000})
	if text := enginetest.Text(r); r.Shaped == nil || r.Shaped.Handle != "" || len(text) > 1000 || !strings.Contains(text, "lost") || strings.Contains(text, "mcp_result") {
		t.Errorf("%+v: %s", r.Shaped, text)
	}
}

// TestResults_ownArguments: arguments of Winnow's own tools are read as models
// write them, and refused in words.
func TestResults_ownArguments(t *testing.T) {
	t.Parallel()
	h := enginetest.Standard(t, map[string]any{"strategy": "dispatch", "results": map[string]any{"maxChars": 1000}})
	a := h.Open("big")
	r := h.CallTool(a.Task, "mcp_call", enginetest.ByName("big", map[string]any{"bytes": 5000}))
	if r.Shaped == nil {
		t.Fatal("nothing was cut")
	}
	read := func(name, key string, value any) protocol.TaskCallResult {
		return h.CallTool(a.Task, name, map[string]any{"handle": r.Shaped.Handle, "query": "time", key: value})
	}
	for _, good := range []struct {
		name, key string
		value     any
		want      string
	}{
		{"mcp_result", "offset", "4990", "Characters 4990 to 5000"},
		{"mcp_result", "offset", 4990.0, "Characters 4990 to 5000"},
		{"mcp_result", "grep", 5, "0 of 0 matching lines"},
		{"mcp_search", "limit", "1", "sleep"},
		{"mcp_search", "names", "echo", "echo"},
	} {
		if r := read(good.name, good.key, good.value); r.IsError || !strings.Contains(enginetest.Text(r), good.want) {
			t.Errorf("%s %s %v: %s", good.name, good.key, good.value, enginetest.Text(r))
		}
	}
	for _, bad := range []struct {
		name, key string
		value     any
		want      string
	}{
		{"mcp_result", "offset", "three", `"offset" has to be a whole number`},
		{"mcp_result", "offset", 1.5, `"offset" has to be a whole number`},
		{"mcp_result", "lines", []int{1}, `"lines" has to be a text`},
		{"mcp_search", "limit", map[string]any{}, `"limit" has to be a whole number`},
		{"mcp_search", "names", map[string]any{}, `"names" has to be a list of texts`},
	} {
		if r := read(bad.name, bad.key, bad.value); !r.IsError || !strings.Contains(enginetest.Text(r), bad.want) || strings.Contains(enginetest.Text(r), "unmarshal") {
			t.Errorf("%s %s %v: %s", bad.name, bad.key, bad.value, enginetest.Text(r))
		}
	}
}

// TestResults_whatAFilesystemServerAnswers: a JSON file as its server sends it,
// once as text and once as a string in structured content, is cut as the JSON
// that it is, and the offered path reads on.
func TestResults_whatAFilesystemServerAnswers(t *testing.T) {
	t.Parallel()
	items := make([]string, 1000)
	for i := range items {
		items[i] = fmt.Sprintf(`{"id":%d,"name":"item %d"}`, i, i)
	}
	file := "[" + strings.Join(items, ",\n") + "]"
	s := configtest.Servers{"files": configtest.Scripted(t, upstreamtest.Script{
		Tools: []string{configtest.Tool("read", "Read a file.")},
		Replies: map[string][]byte{"tools/call read": fmt.Appendf(nil,
			`"result":{"content":[{"type":"text","text":%q}],"structuredContent":{"content":%q}}`, file, file)},
	})}
	h := enginetest.Begin(t, nil, s, nil)
	a := h.Open("read")
	r := h.CallTool(a.Task, "read", nil)
	if r.Shaped == nil || r.Shaped.Kind != protocol.ShapedArray || len(r.StructuredContent) > 0 {
		t.Fatalf("%+v, structured content %.100s", r.Shaped, r.StructuredContent)
	}
	_, offered, _ := strings.Cut(enginetest.Text(r), `"jsonpath":"`)
	path, _, _ := strings.Cut(offered, `"`)
	part := h.CallTool(a.Task, "mcp_result", map[string]any{"handle": r.Shaped.Handle, "jsonpath": path})
	if text := enginetest.Text(part); !strings.HasPrefix(path, "$[") || part.IsError || !strings.Contains(text, fmt.Sprintf(`[{"id":%s,`, strings.Trim(path, "$[:]"))) {
		t.Errorf("%s reads %.200s", path, text)
	}
}

// TestResults_leaner: JSON that fits comes without its blanks, unless it may be
// a file that a tool wrote or edits.
func TestResults_leaner(t *testing.T) {
	t.Parallel()
	s := configtest.Servers{"s": configtest.Scripted(t, upstreamtest.Script{
		Tools:   []string{configtest.Tool("get", "Get it.")},
		Replies: map[string][]byte{"tools/call get": []byte(`"result":{"content":[{"type":"text","text":"{ \"a\": 1 }"}]}`)},
	})}
	for _, tt := range []struct {
		limit     int
		arguments any
		want      string
	}{
		{12_000, map[string]any{"id": 7, "query": "all of it"}, `{"a":1}`},
		{12_000, map[string]any{"files": []string{"a.json"}}, `{ "a": 1 }`},
		{12_000, map[string]any{"path": `C:\x`}, `{ "a": 1 }`},
		{0, nil, `{ "a": 1 }`},
	} {
		h := enginetest.Begin(t, map[string]any{"results": map[string]any{"maxChars": tt.limit}}, s, nil)
		if r := h.CallTool(h.Open("get").Task, "get", tt.arguments); enginetest.Text(r) != tt.want {
			t.Errorf("%d, %v: %s, want %s", tt.limit, tt.arguments, enginetest.Text(r), tt.want)
		}
	}
}
