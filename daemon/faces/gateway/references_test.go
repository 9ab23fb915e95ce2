package gateway_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// TestReferences: what one server answered goes to another without being read by
// the model, once its user has been asked, who is told what goes where; never by
// a client whose user cannot be asked.
func TestReferences(t *testing.T) {
	t.Parallel()
	page := strings.Repeat("line of a page\n", 500)
	s := servers{
		"pages": scripted(t, upstreamtest.Script{
			Tools:   []string{tool("fetch", "Fetch a page.")},
			Replies: map[string][]byte{"tools/call fetch": fmt.Appendf(nil, `"result":{"content":[{"type":"text","text":%q}]}`, page)},
		}),
		"notes": scripted(t, upstreamtest.Script{Tools: []string{tool("echo", "Writes.")}}),
	}
	handleForm := regexp.MustCompile(`\{"\$from":"(r_\w+)"\}`)
	for _, mode := range []string{"dispatch", "all"} {
		h := begin(t, map[string]any{"gateway": map[string]any{"mode": mode}, "results": map[string]any{"maxChars": 1000}}, s, nil)
		h.UntilReady(s)
		p, plain := meet(t, h, ways()["http"], false), meet(t, h, ways()["http"], true)
		run := func(person int, name string, arguments map[string]any) (string, bool) {
			client := []*gatewaytest.Person{p, plain}[person].Client
			if mode == "dispatch" {
				name, arguments = "mcp_call", byName(name, arguments)
			}
			text, r := callClient(t, client, name, arguments)
			return text, r.IsError
		}
		for person := range 2 {
			text, _ := run(person, "fetch", nil)
			handle := handleForm.FindStringSubmatch(text)
			if handle == nil {
				t.Fatalf("%s: the result does not say how it is passed on: %s", mode, text)
			}
			before := len(p.Questions())
			text, refused := run(person, "echo", map[string]any{"body": map[string]any{"$from": handle[1], "lines": "2-3"}})
			if person == 1 {
				if !refused || !strings.Contains(text, "could not be asked") {
					t.Errorf("%s: a client that cannot ask passes it on: %s", mode, text)
				}
				continue
			}
			if want := `{"body":"line of a page\nline of a page\n"}`; refused || text != want {
				t.Errorf("%s: what arrived is %s, want %s", mode, text, want)
			}
			asked := p.Questions()[before:]
			if len(asked) != 1 || !strings.Contains(asked[0], "fetch of pages answered (lines \"2-3\")") || strings.Contains(asked[0], "line of a page") {
				t.Errorf("%s: the user was asked %q", mode, asked)
			}
			p.Action = mcp.ElicitationResponseActionDecline
			if text, refused := run(person, "echo", map[string]any{"body": map[string]any{"$from": handle[1]}}); !refused || !strings.Contains(text, "declined") {
				t.Errorf("%s: declined, and %s", mode, text)
			}
			p.Action = mcp.ElicitationResponseActionAccept
		}
	}
}

// TestPrograms: a program's calls are put to the client's user one by one, and none
// that may write is made for a client that cannot ask.
func TestPrograms(t *testing.T) {
	t.Parallel()
	s := servers{
		"pages": scripted(t, upstreamtest.Script{
			Tools:   []string{tool("fetch", "Fetch a page.")},
			Replies: map[string][]byte{"tools/call fetch": fmt.Appendf(nil, `"result":{"content":[{"type":"text","text":%q}]}`, strings.Repeat("line of a page\n", 500))},
		}),
		"notes": scripted(t, upstreamtest.Script{Tools: []string{tool("echo", "Writes.")}}),
	}
	const program = "p = call(\"fetch\")\nresult = call(\"echo\", body = p.splitlines()[0])"
	for _, mode := range []string{"dispatch", "dynamic", "all"} {
		h := begin(t, map[string]any{"gateway": map[string]any{"mode": mode}, "results": map[string]any{"programs": true}}, s, nil)
		h.UntilReady(s)
		p, plain := meet(t, h, ways()["http"], false), meet(t, h, ways()["http"], true)
		text, r := callClient(t, p.Client, "mcp_run", map[string]any{"program": program})
		if want := `{"body":"line of a page"}`; r.IsError || text != want {
			t.Errorf("%s: got %s, want %s", mode, text, want)
		}
		if asked := p.Questions(); len(asked) != 2 || !strings.Contains(asked[1], "fetch of pages answered (in a program)") || !strings.Contains(asked[1], "line of a page") {
			t.Errorf("%s: the user was asked %q", mode, asked)
		}
		p.Action = mcp.ElicitationResponseActionDecline
		if text, r := callClient(t, p.Client, "mcp_run", map[string]any{"program": program}); !r.IsError || !strings.Contains(text, "line 1: fetch: the user declined") {
			t.Errorf("%s: declined, and %s", mode, text)
		}
		if text, r := callClient(t, plain.Client, "mcp_run", map[string]any{"program": program}); !r.IsError || !strings.Contains(text, "call it by itself") {
			t.Errorf("%s: nobody can be asked, and %s", mode, text)
		}
	}
}
