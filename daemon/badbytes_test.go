package daemon_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// badBytes is a value that some decoder refuses.
type badBytes struct {
	value string
	// mended: the message arrives. Otherwise it is no JSON, and whoever waits for
	// it is told.
	mended bool
}

func allBadBytes() map[string]badBytes {
	return map[string]badBytes{
		"lone surrogate": {`"cut \ud83d"`, true},
		"invalid UTF-8":  {"\"cut \xff\"", true},
		"repeated key":   {`{"k":1,"k":{"k":2,"k":3}}`, true},
		"NaN":            {`NaN`, false},
		"depth":          {strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), false},
	}
}

// badScripts are servers that send such a value in one kind of message each,
// but for the last, which does so in each kind after the first two.
func badScripts(bad string, modern bool) map[string]upstreamtest.Script {
	with := func(format string) []byte { return []byte(strings.ReplaceAll(format, "BAD", bad)) }
	const capabilities = `"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{},"completions":{}}`
	first, hello := "initialize", `"result":{"protocolVersion":"2025-11-25",`+capabilities+`,"serverInfo":{"name":"scripted","version":"1"}`
	if modern {
		first, hello = "server/discover", `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],`+capabilities
	}
	offers := func(bad string) map[string][]byte {
		with := func(format string) []byte { return []byte(strings.ReplaceAll(format, "BAD", bad)) }
		return map[string][]byte{
			first:                      []byte(hello + `}`),
			"resources/list":           with(`"result":{"resources":[{"uri":"a:1","name":"one","_meta":{"x":BAD}}]}`),
			"resources/templates/list": with(`"result":{"resourceTemplates":[{"uriTemplate":"a:{x}","name":"any","_meta":{"x":BAD}}]}`),
			"resources/read":           with(`"result":{"contents":[{"uri":"a:1","text":"read","_meta":{"x":BAD}}]}`),
			"prompts/list":             with(`"result":{"prompts":[{"name":"hello","_meta":{"x":BAD}}]}`),
			"completion/complete":      with(`"result":{"completion":{"values":["v"],"x":BAD}}`),
			"logging/setLevel":         with(`"result":{"x":BAD}`),
			"resources/subscribe":      with(`"result":{"x":BAD}`),
			"resources/unsubscribe":    with(`"result":{"x":BAD}`),
			"subscriptions/listen":     with(`"result":{"x":BAD}`),
			"ping":                     with(`"result":{"x":BAD}`),
			"prompts/get":              with(`"result":{"messages":[{"role":"user","content":{"type":"text","text":"got","_meta":{"x":BAD}}}]}`),
		}
	}
	rest := upstreamtest.Script{
		Tools: []string{tool("answers", "Answers."), tool("errs", "Errs."), tool("needs", "Needs input."), tool("fine", "Is fine.")},
		Says:  map[string][]byte{},
	}
	for name, said := range badSaid() {
		rest.Tools = append(rest.Tools, tool(name, "Says something first."))
		rest.Says["tools/call "+name] = with(`{"jsonrpc":"2.0",` + said + `}`)
	}
	rest.Replies = offers(bad)
	rest.Replies["tools/call answers"] = with(`"result":{"content":[{"type":"text","text":"answered","_meta":{"x":BAD}}],"structuredContent":{"x":BAD}}`)
	rest.Replies["tools/call errs"] = with(`"error":{"code":-32000,"message":"erred","data":{"x":BAD}}`)
	rest.Replies["tools/call needs"] = with(`"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"?","x":BAD}}}}`)
	scripts := map[string]upstreamtest.Script{
		"good": {Tools: []string{tool("works", "Works.")}, Replies: offers("1")},
		"bad-hello": {Tools: []string{tool("behind_hello", "Comes later.")}, Replies: map[string][]byte{
			first: with(hello + `,"_meta":{"x":BAD}}`),
		}},
		"bad-list": {Replies: map[string][]byte{
			"tools/list": with(`"result":{"tools":[` + tool("other", "Beside it.") + `,{"name":"listed","inputSchema":{"type":"object","properties":{"a":{"default":BAD}}}}]}`),
		}},
		"bad-rest": rest,
	}
	for name, script := range scripts {
		script.Modern = modern
		scripts[name] = script
	}
	return scripts
}

// badSaid are the messages that a server sends of its own accord, by the tool
// that does so.
func badSaid() map[string]string {
	return map[string]string{
		"logs":              `"method":"notifications/message","params":{"level":"info","data":BAD}`,
		"steps":             `"method":"notifications/progress","params":{"progressToken":"winnow-1","progress":1,"message":BAD}`,
		"changes_tools":     `"method":"notifications/tools/list_changed","params":{"x":BAD}`,
		"changes_resources": `"method":"notifications/resources/list_changed","params":{"x":BAD}`,
		"changes_prompts":   `"method":"notifications/prompts/list_changed","params":{"x":BAD}`,
		"updates":           `"method":"notifications/resources/updated","params":{"uri":"a:1","x":BAD}`,
		"visited":           `"method":"notifications/elicitation/complete","params":{"elicitationId":BAD}`,
		"asks":              `"id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}},"x":BAD}`,
		"samples":           `"id":"q","method":"sampling/createMessage","params":{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":BAD}}]}`,
		"roots":             `"id":"q","method":"roots/list","params":{"x":BAD}`,
		"pings":             `"id":"q","method":"ping","params":{"x":BAD}`,
		"cancels":           `"method":"notifications/cancelled","params":{"requestId":"q","reason":BAD}`,
		"acknowledges":      `"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"x":BAD}}`,
		"hints":             `"method":"notifications/of/the/future","params":{"x":BAD}`,
		"invents":           `"id":"q","method":"of/the/future","params":{"x":BAD}`,
	}
}

// TestBadBytes: whatever a server sends that some decoder refuses, in every
// message and over every transport, nothing else stops, and where the message
// is lost whoever waits for it hears at once whose it was.
func TestBadBytes(t *testing.T) {
	t.Parallel()
	for name, bad := range allBadBytes() {
		for transport, serve := range badTransports() {
			t.Run(name+" by "+transport, func(t *testing.T) {
				t.Parallel()
				s := servers{}
				for name, script := range badScripts(bad.value, strings.HasSuffix(transport, "2026-07-28")) {
					s[name] = serve(t, script)
				}
				h := daemontest.Run(t, daemontest.Options{Workspace: workspaceWith(t, s, nil)})
				h.Initialize(map[string]any{"searchTurns": 0, "gateway": map[string]any{"mode": "all"}})
				checkBadStarts(t, h, bad)
				checkBadAtHost(t, h, bad)
				for name, way := range ways() {
					p := gatewaytest.Meet(t, h, way, true)
					t.Run("gateway by "+name, func(t *testing.T) { checkBadAtGateway(t, p, bad, strings.HasSuffix(transport, "2026-07-28")) })
				}
			})
		}
	}
}

// badTransports are the ways in which a server can be reached.
func badTransports() map[string]func(t *testing.T, s upstreamtest.Script) entry {
	byHTTP := func(t *testing.T, s upstreamtest.Script) entry { return entry{URL: serve(t, upstreamtest.Handler(s))} }
	byStdio := func(t *testing.T, s upstreamtest.Script) entry { return scriptedByFile(t, s) }
	return map[string]func(t *testing.T, s upstreamtest.Script) entry{
		"stdio": byStdio, "stdio of 2026-07-28": byStdio,
		"http": byHTTP, "http of 2026-07-28": byHTTP,
		"sse": func(t *testing.T, s upstreamtest.Script) entry {
			return entry{Type: protocol.TypeSSE, URL: serve(t, upstreamtest.SSEHandler(s)) + "/sse"}
		},
	}
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// checkBadStarts checks the servers that send the value before they are ready.
func checkBadStarts(t *testing.T, h *daemontest.Host, bad badBytes) {
	t.Helper()
	for _, name := range []string{"good", "bad-rest"} {
		h.UntilState(name, protocol.ServerReady)
	}
	for _, name := range []string{"bad-hello", "bad-list"} {
		if bad.mended {
			h.UntilState(name, protocol.ServerReady)
			continue
		}
		if s := h.UntilState(name, protocol.ServerFailed); !strings.Contains(s.Error, "not JSON") {
			t.Errorf("%s failed with %q, want that its answer is not JSON", name, s.Error)
		}
	}
}

func checkBadAtHost(t *testing.T, h *daemontest.Host, bad badBytes) {
	t.Helper()
	a := open(h, "anything")
	said := slices.Sorted(maps.Keys(badSaid()))
	want := append([]string{"works", "answers", "errs", "needs", "fine"}, said...)
	if bad.mended {
		want = append(want, "behind_hello", "listed", "other")
	}
	for _, name := range want {
		if !slices.Contains(names(a), name) {
			t.Errorf("the task lacks %s: %q", name, names(a))
		}
	}
	call := func(name string) (protocol.TaskCallResult, *daemontest.Error) {
		r, err := daemontest.Try[protocol.TaskCallResult](h, protocol.MethodTaskCall,
			protocol.TaskCallParams{Task: a.Task, Name: name, Arguments: json.RawMessage(`{"id":"1"}`)})
		var failure *daemontest.Error
		if err != nil && !errors.As(err, &failure) {
			t.Fatalf("%s: %v", name, err)
		}
		return r, failure
	}
	for _, name := range append([]string{"works", "fine"}, said...) {
		if r, err := call(name); err != nil || text(r) != `{"id":"1"}` {
			t.Errorf("%s answered %q, %v", name, text(r), err)
		}
	}
	if r, err := call("answers"); bad.mended && (err != nil || text(r) != "answered") || !bad.mended && !blamed(err) {
		t.Errorf("answers: %q, %v", text(r), err)
	}
	if _, err := call("needs"); err == nil || bad.mended && (err.Data.Server != "bad-rest" || !strings.Contains(err.Message, "asks for input")) || !bad.mended && !blamed(err) {
		t.Errorf("needs: %v", err)
	}
	if _, err := call("errs"); err == nil || bad.mended && !strings.Contains(err.Message, "erred") || !bad.mended && !blamed(err) {
		t.Errorf("errs: %v", err)
	}
}

// blamed reports whether an error says whose answer was not JSON.
func blamed(err *daemontest.Error) bool {
	return err != nil && err.Data.Server == "bad-rest" && err.Code == protocol.CodeCallFailed && strings.Contains(err.Message, "not JSON")
}

func checkBadAtGateway(t *testing.T, p *gatewaytest.Person, bad badBytes, modern bool) {
	t.Helper()
	c := p.Client
	tools := listNames(t, c)
	for _, name := range []string{"works", "answers", "fine"} {
		if !slices.Contains(tools, name) {
			t.Errorf("tools are %q", tools)
		}
	}
	text, r := callClient(t, c, "works", map[string]any{"id": "1"})
	if r.IsError {
		t.Errorf("works answered %s", text)
	}
	text, r = callClient(t, c, "answers", map[string]any{"id": "1"})
	if r.IsError == bad.mended || !bad.mended && !strings.Contains(text, `"bad-rest"`) {
		t.Errorf("answers: %s", text)
	}
	// The list of the good one comes in any case.
	from := []string{"good"}
	if bad.mended {
		from = []string{"bad-rest", "good"}
	}
	checkBadOffers(t, p, from)
	checkBadAnswers(t, c, bad, modern)
}

// checkBadAnswers checks what is asked about one resource, prompt or argument.
func checkBadAnswers(t *testing.T, c *client.Client, bad badBytes, modern bool) {
	t.Helper()
	ctx := t.Context()
	// A server's log is not worth an error of the client's.
	//lint:ignore SA1019 the revisions that have sessions have it
	if err := c.SetLevel(ctx, mcp.SetLevelRequest{Params: mcp.SetLevelParams{Level: mcp.LoggingLevelDebug}}); err != nil {
		t.Errorf("level: %v", err)
	}
	var subscribe mcp.SubscribeRequest
	subscribe.Params.URI = "winnow:///bad-rest/a:1"
	// In 2026-07-28 nobody waits for the answer.
	//lint:ignore SA1019 the revisions that have sessions have it
	if err := c.Subscribe(ctx, subscribe); (err == nil) != (bad.mended || modern) || err != nil && !strings.Contains(err.Error(), "bad-rest") {
		t.Errorf("subscribe: %v", err)
	}
	var unsubscribe mcp.UnsubscribeRequest
	unsubscribe.Params.URI = subscribe.Params.URI
	//lint:ignore SA1019 the revisions that have sessions have it
	if err := c.Unsubscribe(ctx, unsubscribe); err != nil {
		t.Errorf("unsubscribe: %v", err)
	}
	var complete mcp.CompleteRequest
	complete.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: "bad-rest__hello"}
	complete.Params.Argument.Name = "a"
	if r, err := c.Complete(ctx, complete); (err == nil) != bad.mended || err != nil && !strings.Contains(err.Error(), "bad-rest") ||
		err == nil && !slices.Equal(r.Completion.Values, []string{"v"}) {
		t.Errorf("complete: %+v, %v", r, err)
	}
	_, err := c.ReadResource(ctx, mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: "winnow:///bad-rest/a:1"}})
	if (err == nil) != bad.mended || err != nil && !strings.Contains(err.Error(), "bad-rest") {
		t.Errorf("read: %v", err)
	}
	_, err = c.GetPrompt(ctx, mcp.GetPromptRequest{Params: mcp.GetPromptParams{Name: "bad-rest__hello"}})
	if (err == nil) != bad.mended || err != nil && !strings.Contains(err.Error(), "bad-rest") {
		t.Errorf("prompt: %v", err)
	}
}

// checkBadOffers checks what is listed besides tools, and from which servers.
func checkBadOffers(t *testing.T, p *gatewaytest.Person, from []string) {
	t.Helper()
	var want []string
	for _, name := range from {
		want = append(want, "winnow:///"+name+"/a:1", "winnow:///"+name+"/a:{x}", name+"__hello")
	}
	slices.Sort(want)
	var got []string
	defer func() {
		if !slices.Equal(got, want) {
			t.Logf("listed %q", got)
		}
	}()
	p.Until(t, fmt.Sprintf("the lists to be %q", want), func() bool {
		got = offered(t, p.Client)
		return slices.Equal(got, want)
	})
}

// offered are the addresses and names of what a client is told of besides tools.
func offered(t *testing.T, c *client.Client) []string {
	t.Helper()
	resources, err := c.ListResources(t.Context(), mcp.ListResourcesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	templates, err := c.ListResourceTemplates(t.Context(), mcp.ListResourceTemplatesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	prompts, err := c.ListPrompts(t.Context(), mcp.ListPromptsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range resources.Resources {
		all = append(all, r.URI)
	}
	for _, r := range templates.ResourceTemplates {
		all = append(all, r.URITemplate.Raw())
	}
	for _, p := range prompts.Prompts {
		all = append(all, p.Name)
	}
	slices.Sort(all)
	return all
}

// helpless lets the target of a fuzz test use what was made outside of it.
type helpless struct{ testing.TB }

// Helper does nothing: of a fuzz test's own it may not be called in its target.
func (helpless) Helper() {}

// FuzzBadBytes: whatever a server answers, the host and a client of the gateway
// have an answer, and another server works.
func FuzzBadBytes(f *testing.F) {
	for _, bad := range allBadBytes() {
		f.Add([]byte(`{"content":[{"type":"text","text":"x","_meta":` + bad.value + `}]}`))
		f.Add([]byte(`{"content":` + bad.value + `}`))
		f.Add([]byte(bad.value))
	}
	var reply atomic.Pointer[[]byte]
	bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := upstreamtest.Script{Tools: []string{tool("any", "Answers anything.")}}
		if b := reply.Load(); b != nil {
			s.Replies = map[string][]byte{"tools/call any": append([]byte(`"result":`), *b...)}
		}
		upstreamtest.Handler(s).ServeHTTP(w, r)
	}))
	f.Cleanup(bad.Close)
	good := httptest.NewServer(upstreamtest.Handler(upstreamtest.Script{Tools: []string{tool("works", "Works.")}}))
	f.Cleanup(good.Close)
	s := servers{"bad": entry{URL: bad.URL}, "good": entry{URL: good.URL}}
	h := begin(helpless{f}, map[string]any{"searchTurns": 0, "gateway": map[string]any{"mode": "all"}}, s, nil)
	a := open(h, "anything")
	c := connect(f, gatewayOf(h), "test")
	f.Fuzz(func(t *testing.T, result []byte) {
		result = bytes.ReplaceAll(result, []byte("\n"), []byte(" "))
		reply.Store(&result)
		_, err := daemontest.Try[protocol.TaskCallResult](h, protocol.MethodTaskCall, protocol.TaskCallParams{Task: a.Task, Name: "any"})
		var failure *daemontest.Error
		if err != nil && (!errors.As(err, &failure) || failure.Data.Server != "bad") {
			t.Errorf("the host has %v", err)
		}
		var r mcp.CallToolRequest
		r.Params.Name = "any"
		if _, err := c.CallTool(t.Context(), r); err != nil && strings.Contains(err.Error(), "EOF") {
			t.Errorf("the client has %v", err)
		}
		if got := call(h, a.Task, "works", `{"id":"1"}`); got != `{"id":"1"}` {
			t.Errorf("the other server answered %q", got)
		}
	})
}
