package clienttest_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// patience bounds what a test waits for; nothing is expected to take as long.
const patience = 2 * time.Minute

// place is a daemon with servers, and the ways to its gateway.
type place struct {
	host      *daemontest.Host
	info      protocol.GatewayInfoResult
	workspace string
	settings  string
}

// openPlace runs a daemon with the servers, which are ready.
func openPlace(t *testing.T, settings map[string]any, servers map[string]any) *place {
	t.Helper()
	p := &place{workspace: t.TempDir(), settings: filepath.Join(t.TempDir(), "settings.json")}
	writeServers(t, p.workspace, servers)
	text, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.settings, text, 0o600); err != nil {
		t.Fatal(err)
	}
	p.host = daemontest.Run(t, daemontest.Options{Workspace: p.workspace})
	p.host.Initialize(settings)
	for name := range servers {
		p.host.UntilState(name, protocol.ServerReady)
	}
	p.info = daemontest.Call[protocol.GatewayInfoResult](p.host, protocol.MethodGatewayInfo, protocol.Empty{})
	return p
}

// ways are the transports by which a client reaches the gateway: its address,
// `winnowd mcp` that joins the daemon, and `winnowd mcp` by itself.
func (p *place) ways(t *testing.T) map[string]mcp.Transport {
	program := winnowd(t)
	return map[string]mcp.Transport{
		"http":   overHTTP(p.info),
		"joined": &mcp.CommandTransport{Command: exec.Command(program, "mcp", "-workspace", p.workspace)},
		"alone": &mcp.CommandTransport{Command: exec.Command(program, "mcp", "-alone", "-trust", "-workspace", p.workspace,
			"-storage", t.TempDir(), "-settings", p.settings)},
	}
}

// scripted is a server of the standard tools or of those of a script.
func scripted(t *testing.T, script upstreamtest.Script) map[string]any {
	t.Helper()
	command, args, env := upstreamtest.Program(t, script)
	return map[string]any{"command": command, "args": args, "env": env}
}

// A client that may choose takes the newest revision, and is served by search
// and call whatever the growing list's setting says: lists may not grow there.
func TestGoSDK_withoutSessions(t *testing.T) {
	t.Parallel()
	p := openPlace(t, map[string]any{"gateway": map[string]any{"mode": "dynamic"}}, map[string]any{"std": scripted(t, upstreamtest.Script{})})
	for name, by := range p.ways(t) {
		t.Run(name, func(t *testing.T) {
			s := connectBy(t, by, "", "go-sdk", nil)
			if got := s.InitializeResult(); got.ProtocolVersion != withoutSessions || got.ServerInfo.Name != "winnow" || got.Instructions == "" {
				t.Errorf("server/discover: got %+v, want revision %s of winnow, with instructions", got, withoutSessions)
			}
			want := []string{"mcp_search", "mcp_call", "mcp_read"}
			list, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if list.CacheScope != "private" {
				t.Errorf("the list may be cached as %q, want private", list.CacheScope)
			}
			found, _ := call(t, s, "mcp_search", map[string]any{"query": "answers with what it was given"})
			if !strings.Contains(found, "echo(text") {
				t.Errorf("a search answers %s", found)
			}
			// Another conversation may be the one that asks next.
			if again, _ := call(t, s, "mcp_search", map[string]any{"query": "answers with what it was given"}); again != found {
				t.Errorf("the same search answers\n%s\nthen\n%s", found, again)
			}
			if text, r := call(t, s, "mcp_call", map[string]any{"name": "echo", "arguments": map[string]any{"text": "hi"}}); r.IsError || text != `{"text":"hi"}` {
				t.Errorf("a call by mcp_call answers %s", text)
			}
			if text, r := call(t, s, "echo", map[string]any{"text": "hi"}); r.IsError || text != `{"text":"hi"}` {
				t.Errorf("a call by name answers %s", text)
			}
			if got := names(t, s); !slices.Equal(got, want) {
				t.Errorf("after calls the list is %q, want %q", got, want)
			}
		})
	}
}

// What was cut is read by a later request, which has no session.
func TestGoSDK_withoutSessionsReadsToTheEnd(t *testing.T) {
	t.Parallel()
	p := openPlace(t, map[string]any{"results": map[string]any{"maxChars": 2000}}, map[string]any{"std": scripted(t, upstreamtest.Script{})})
	s := connectBy(t, overHTTP(p.info), withoutSessions, "go-sdk", nil)
	cut, _ := call(t, s, "mcp_call", map[string]any{"name": "big", "arguments": map[string]any{"bytes": 5000}})
	_, handle, _ := strings.Cut(cut, `"handle":"`)
	handle, _, _ = strings.Cut(handle, `"`)
	whole := ""
	for len(whole) < 5000 {
		part, r := call(t, s, "mcp_call", map[string]any{
			"name": "mcp_result", "arguments": map[string]any{"handle": handle, "offset": len(whole)},
		})
		if r.IsError || part == "" {
			t.Fatalf("%s", part)
		}
		whole += part
	}
	if whole != strings.Repeat("x", 5000) {
		t.Errorf("%d characters were read, want 5000", len(whole))
	}
}

// Everything is listed where the user wants that, in one order for all.
func TestGoSDK_withoutSessionsAll(t *testing.T) {
	t.Parallel()
	p := openPlace(t, map[string]any{"gateway": map[string]any{"mode": "all"}}, map[string]any{
		"b": scripted(t, upstreamtest.Script{Tools: []string{tool("two"), tool("one")}}),
		"a": scripted(t, upstreamtest.Script{Tools: []string{tool("three")}}),
	})
	first := connectBy(t, overHTTP(p.info), withoutSessions, "go-sdk", nil)
	want := names(t, first)
	if len(want) != 4 || want[0] != "mcp_result" {
		t.Errorf("got %q, want mcp_result and three tools", want)
	}
	call(t, first, "one", nil)
	if got := names(t, connectBy(t, overHTTP(p.info), withoutSessions, "another", nil)); !slices.Equal(got, want) {
		t.Errorf("one client sees %q, another %q", want, got)
	}
}

// tool is a tool that takes anything.
func tool(name string) string {
	return `{"name":"` + name + `","description":"Does something.","inputSchema":{"type":"object"}}`
}

// Who listens is told when the list changes, with the subscription's id.
func TestGoSDK_withoutSessionsListens(t *testing.T) {
	t.Parallel()
	p := openPlace(t, map[string]any{"gateway": map[string]any{"mode": "all"}}, map[string]any{"std": scripted(t, upstreamtest.Script{Tools: []string{tool("one")}})})
	program := winnowd(t)
	changed := map[string]chan struct{}{}
	sessions := map[string]*mcp.ClientSession{}
	for name, by := range map[string]mcp.Transport{
		"http": overHTTP(p.info), "joined": &mcp.CommandTransport{Command: exec.Command(program, "mcp", "-workspace", p.workspace)},
	} {
		told := make(chan struct{}, 16)
		changed[name] = told
		sessions[name] = connectBy(t, by, withoutSessions, "go-sdk", &mcp.ClientOptions{
			ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} },
		})
		names(t, sessions[name])
	}
	writeServers(t, p.workspace, map[string]any{"std": scripted(t, upstreamtest.Script{Tools: []string{tool("one"), tool("two")}})})
	p.host.Allow("std") // it starts something else now
	for name, s := range sessions {
		deadline := time.After(patience)
		for !slices.Contains(names(t, s), "two") {
			select {
			case <-changed[name]:
			case <-deadline:
				t.Fatalf("%s: the client is not told of the new tool", name)
			}
		}
	}
}

// A question in the middle of a call is answered by making the call again, and
// the tool runs once.
func TestGoSDK_withoutSessionsIsAsked(t *testing.T) {
	t.Parallel()
	received := filepath.Join(t.TempDir(), "received")
	p := openPlace(t, nil, map[string]any{"std": scripted(t, upstreamtest.Script{Tools: []string{tool("write")}, ReceivedFile: received})})
	for name, by := range p.ways(t) {
		t.Run(name, func(t *testing.T) {
			var asked []string
			action := "accept"
			s := connectBy(t, by, withoutSessions, "go-sdk", &mcp.ClientOptions{
				ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked = append(asked, r.Params.Message)
					return &mcp.ElicitResult{Action: action}, nil
				},
			})
			before := calls(t, received)
			write := map[string]any{"name": "write", "arguments": map[string]any{"path": "of/mine"}}
			if text, r := call(t, s, "mcp_call", write); r.IsError {
				t.Errorf("accepted: %s", text)
			}
			if len(asked) != 1 || !strings.Contains(asked[0], `"write"`) || calls(t, received) != before+1 {
				t.Errorf("asked %q, and %d calls reached the server; want one each", asked, calls(t, received)-before)
			}
			action = "decline"
			if text, r := call(t, s, "mcp_call", write); !r.IsError || !strings.Contains(text, "declined") || calls(t, received) != before+1 {
				t.Errorf("declined: %s; %d calls reached the server, want 1", text, calls(t, received)-before)
			}
		})
	}
}

// calls counts the calls that a server received, in a file that may not be there yet.
func calls(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(text), `"tools/call"`)
}

// Servers of the older revisions ask as they always did; a client without a
// session answers in its way. What servers offer besides tools is there too.
func TestGoSDK_withoutSessionsServersAsk(t *testing.T) {
	t.Parallel()
	everything, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	p := openPlace(t, map[string]any{"gateway": map[string]any{"mode": "all"}},
		map[string]any{"everything": map[string]any{"command": need(t, "node"), "args": []string{everything, "stdio"}}})
	for name, by := range p.ways(t) {
		t.Run(name, func(t *testing.T) {
			updated := make(chan string, 16)
			s := connectBy(t, by, withoutSessions, "go-sdk", &mcp.ClientOptions{
				// Without roots, which the server asks for by itself: this version of the
				// SDK does not read an input request that has no params.
				Capabilities: &mcp.ClientCapabilities{
					Sampling: &mcp.SamplingCapabilities{}, Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}},
				},
				ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
				CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
					return &mcp.CreateMessageResult{Role: "assistant", Model: "mine", Content: &mcp.TextContent{Text: "forty-two"}}, nil
				},
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "integer": 7}}, nil
				},
			})
			if text := all(t, s, "trigger-sampling-request", map[string]any{"prompt": "what is it?"}); !strings.Contains(text, "forty-two") {
				t.Errorf("sampling: %s", text)
			}
			if text := all(t, s, "trigger-elicitation-request", nil); !strings.Contains(text, "Favorite Integer: 7") {
				t.Errorf("elicitation: %s", text)
			}
			uri := firstResource(t, s)
			if r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err != nil || r.Contents[0].Text == "" {
				t.Errorf("a resource: %+v, %v", r, err)
			}
			if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
				t.Fatal(err)
			}
			call(t, s, "toggle-subscriber-updates", nil) // on, and at the end off again
			select {
			case got := <-updated:
				if got != uri {
					t.Errorf("told of %s, want %s", got, uri)
				}
			case <-time.After(patience):
				t.Error("the client is not told of its resource's update")
			}
			call(t, s, "toggle-subscriber-updates", nil)
			completed, err := s.Complete(t.Context(), &mcp.CompleteParams{
				Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "everything__completable-prompt"},
				Argument: mcp.CompleteParamsArgument{Name: "department", Value: "Eng"},
			})
			if err != nil || !slices.Equal(completed.Completion.Values, []string{"Engineering"}) {
				t.Errorf("a completion: %+v, %v", completed, err)
			}
			if r, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "everything__simple-prompt"}); err != nil || len(r.Messages) == 0 {
				t.Errorf("a prompt: %+v, %v", r, err)
			}
		})
	}
}

// firstResource returns the address of the first resource. A server that takes
// its time to list what it has is not waited for: the list is asked for again.
func firstResource(t *testing.T, s *mcp.ClientSession) string {
	t.Helper()
	for over := time.Now().Add(patience); time.Now().Before(over); {
		list, err := s.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatalf("resources: %v", err)
		}
		if len(list.Resources) > 0 {
			return list.Resources[0].URI
		}
	}
	t.Fatal("no resource is listed")
	return ""
}

// all returns all text of a call's answer.
func all(t *testing.T, s *mcp.ClientSession, name string, arguments any) string {
	t.Helper()
	_, r := call(t, s, name, arguments)
	var b strings.Builder
	for _, block := range r.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			b.WriteString(text.Text + "\n")
		}
	}
	return b.String()
}

func TestGoSDK_withoutSessionsProgressAndCancel(t *testing.T) {
	t.Parallel()
	arrived := upstreamtest.Listen(t)
	p := openPlace(t, map[string]any{"gateway": map[string]any{"mode": "all"}},
		map[string]any{"std": scripted(t, upstreamtest.Script{ReceivedFile: arrived.Address()})})
	for name, by := range p.ways(t) {
		t.Run(name, func(t *testing.T) {
			reports := make(chan float64, 16)
			s := connectBy(t, by, withoutSessions, "go-sdk", &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
					reports <- r.Params.Progress
				},
			})
			params := &mcp.CallToolParams{Name: "count", Arguments: map[string]any{"steps": 3}}
			params.SetProgressToken("p")
			if _, err := s.CallTool(t.Context(), params); err != nil {
				t.Fatal(err)
			}
			for want := 1.0; want <= 3; want++ {
				select {
				case got := <-reports:
					if got != want {
						t.Errorf("report %v, want %v", got, want)
					}
				case <-time.After(patience):
					t.Fatalf("report %v did not come", want)
				}
			}
			checkCancels(t, s, arrived)
		})
	}
}

// Questions by a page to open pass, and so does the error of a server that wants
// a page opened before a call, which is then made.
func TestGoSDK_pages(t *testing.T) {
	t.Parallel()
	everything, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	p := openPlace(t, map[string]any{"gateway": map[string]any{"mode": "all"}},
		map[string]any{"everything": map[string]any{"command": need(t, "node"), "args": []string{everything, "stdio"}}})
	for _, version := range []string{withSessions, withoutSessions} {
		for _, needsPage := range []bool{false, true} {
			var asked []string
			s := connectBy(t, overHTTP(p.info), version, "go-sdk", &mcp.ClientOptions{
				Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}},
				ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked = append(asked, r.Params.Mode+" "+r.Params.URL+" "+r.Params.Message)
					return &mcp.ElicitResult{Action: "accept"}, nil
				},
			})
			arguments := map[string]any{"url": "https://example.org/" + version, "message": "Open it.", "errorPath": needsPage}
			r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "trigger-url-elicitation", Arguments: arguments})
			if needsPage && version == withSessions {
				// Its client is told, and calls again when it has done so.
				if err == nil || !strings.Contains(err.Error(), "URL elicitation required") {
					t.Errorf("%s, a page first: %+v, %v; want MCP's error for it", version, r, err)
				}
				continue
			}
			if err != nil || r.IsError {
				t.Errorf("%s, a page first %v: %+v, %v", version, needsPage, r, err)
				continue
			}
			want := []string{`url https://example.org/` + version + ` MCP server "everything" asks: Open it.`}
			if needsPage {
				want = append([]string{`url https://modelcontextprotocol.io MCP server "everything" asks: Open this link to satisfy the prerequisite, then retry the request.`}, want...)
			}
			if !slices.Equal(asked, want) {
				t.Errorf("%s, a page first %v: asked %q, want %q", version, needsPage, asked, want)
			}
		}
	}
}
