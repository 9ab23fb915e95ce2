package gateway_test

import (
	"fmt"
	"os"
	"path/filepath"
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

// TestReferences_realServers: a page goes from a real server's file into another
// file and into another server's document; where the user cannot be asked, only
// where it came from. The model reads a small part of it.
func TestReferences_realServers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := npmServers(t, dir)
	s := servers{"files": all["filesystem"], "memory": all["memory"]}
	page := strings.Repeat("The compost is behind the shed, and the beans are sown in May.\n", 8000) + "the last line\n"
	from, to := filepath.Join(dir, "page.txt"), filepath.Join(dir, "copy.txt")
	if err := os.WriteFile(from, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	h := begin(t, map[string]any{"gateway": map[string]any{"mode": "dispatch"}}, s, nil)
	h.UntilReady(s)
	asked, plain := meet(t, h, ways()["http"], false), meet(t, h, ways()["http"], true)
	seen := 0
	run := func(p *gatewaytest.Person, name string, arguments map[string]any) (string, bool) {
		text, r := callClient(t, p.Client, "mcp_call", byName(name, arguments))
		seen += len(text)
		return text, r.IsError
	}
	read := func(p *gatewaytest.Person) string {
		text, _ := run(p, "read_text_file", map[string]any{"path": from})
		handle := regexp.MustCompile(`\{"\$from":"(r_\w+)"\}`).FindStringSubmatch(text)
		if handle == nil {
			t.Fatalf("the result does not say how it is passed on: %.300s", text)
		}
		return handle[1]
	}
	remember := func(handle string) map[string]any {
		return map[string]any{"entities": []any{map[string]any{
			"name": "garden", "entityType": "note",
			"observations": []any{map[string]any{"$from": handle, "match": "the last line"}},
		}}}
	}
	handle := read(asked)
	if text, refused := run(asked, "write_file", map[string]any{"path": to, "content": map[string]any{"$from": handle}}); refused {
		t.Errorf("not written: %s", text)
	}
	if copied, err := os.ReadFile(to); err != nil || string(copied) != page {
		t.Errorf("%d of %d bytes arrived, %v", len(copied), len(page), err)
	}
	if text, refused := run(asked, "create_entities", remember(handle)); refused || !strings.Contains(text, "the last line") {
		t.Errorf("not remembered: %s", text)
	}
	if questions := strings.Join(asked.Questions(), "\n"); !strings.Contains(questions, "read_text_file of files answered (what matches \"the last line\")") {
		t.Errorf("the user was asked %s", questions)
	}
	t.Logf("of a page of %d bytes that went to two places the model saw %d", len(page), seen)
	if seen > len(page)/20 {
		t.Errorf("the model saw %d of %d bytes", seen, len(page))
	}
	if text, refused := run(plain, "create_entities", remember(read(plain))); !refused || !strings.Contains(text, "could not be asked") {
		t.Errorf("a client that cannot ask passes it on: %s", text)
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
