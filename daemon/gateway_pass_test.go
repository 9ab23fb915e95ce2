package daemon_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/socket"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// person is a client that can be asked for all that MCP knows. It notes what
// it was asked and told.
type person struct {
	*client.Client
	// action is the answer to every elicitation; "" is accept. hold, when not
	// nil, delays it until it is closed.
	action mcp.ElicitationResponseAction
	hold   chan struct{}
	told   chan mcp.JSONRPCNotification

	mu    sync.Mutex
	asked []string // guarded by mu
}

func (p *person) note(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, what)
}

// questions returns what was asked so far.
func (p *person) questions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// CreateMessage implements client.SamplingHandler.
func (p *person) CreateMessage(_ context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	p.note("sampling: " + r.SystemPrompt)
	return &mcp.CreateMessageResult{
		SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent("forty-two")}, Model: "a model of mine",
	}, nil
}

// Elicit implements client.ElicitationHandler.
func (p *person) Elicit(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	p.note(r.Params.Message)
	if p.hold != nil {
		select {
		case <-p.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	answer := mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"name": "Ada", "integer": 7}}
	if p.action != "" {
		answer = mcp.ElicitationResponse{Action: p.action}
	}
	return &mcp.ElicitationResult{ElicitationResponse: answer}, nil
}

// ListRoots implements client.RootsHandler.
func (p *person) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	p.note("roots")
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///of/mine", Name: "mine"}}}, nil
}

// way is how a client reaches the gateway.
type way func(t testing.TB, h *daemontest.Host) transport.Interface

// ways are the two transports of the gateway.
func ways() map[string]way {
	return map[string]way{
		"http": func(t testing.TB, h *daemontest.Host) transport.Interface {
			info := gatewayOf(h)
			//lint:ignore SA1019 only the revisions that have sessions have lists of one's own
			stream := transport.WithContinuousListening()
			s, err := transport.NewStreamableHTTP(info.URL, stream,
				transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + info.Token}))
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		"stdio": func(t testing.TB, h *daemontest.Host) transport.Interface {
			h.Catalog() // what is answered after initialized finds the door open
			c, err := socket.Dial(socket.Place{}, h.Options.Workspace)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
			return transport.NewIO(c, c, nil)
		},
	}
}

// meet connects a person. One that is deaf supports nothing that can be asked.
func meet(t testing.TB, h *daemontest.Host, by way, deaf bool) *person {
	t.Helper()
	p := &person{told: make(chan mcp.JSONRPCNotification, 1000)}
	var options []client.ClientOption
	if !deaf {
		options = append(options, client.WithSamplingHandler(p), client.WithElicitationHandler(p), client.WithRootsHandler(p))
	}
	p.Client = client.NewClient(by(t, h), options...)
	p.OnNotification(func(n mcp.JSONRPCNotification) { p.told <- n })
	if err := p.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	hello(t, p.Client, mcp.ClientCapabilities{})
	return p
}

func hello(t testing.TB, c *client.Client, can mcp.ClientCapabilities) {
	t.Helper()
	var r mcp.InitializeRequest
	r.Params.ProtocolVersion = "2025-11-25"
	r.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	r.Params.Capabilities = can
	if _, err := c.Initialize(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

// startMCP starts `winnowd mcp` as a client does, and shakes hands.
func startMCP(t testing.TB, env []string, args ...string) *client.Client {
	t.Helper()
	c, _ := startTold(t, env, args...)
	return c
}

// startTold is startMCP, with the methods of the notifications that come. Of
// more than a test looks at, the latest are left out.
func startTold(t testing.TB, env []string, args ...string) (*client.Client, <-chan string) {
	t.Helper()
	c, err := client.NewStdioMCPClient(winnowd(t), env, append([]string{"mcp"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	log, _ := client.GetStderr(c)
	go func() { _, _ = io.Copy(io.Discard, log) }()
	// The process runs already; this is what lets notifications in.
	if err := c.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 100)
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		select {
		case told <- n.Method:
		default:
		}
	})
	hello(t, c, mcp.ClientCapabilities{})
	return c, told
}

// await returns the first notification of a kind that fits.
func (p *person) await(t testing.TB, method string, fits func(params map[string]any) bool) {
	t.Helper()
	deadline := time.After(60 * time.Second)
	for {
		select {
		case n := <-p.told:
			if n.Method == method && fits(n.Params.AdditionalFields) {
				return
			}
		case <-deadline:
			t.Fatalf("the client is not told of %s", method)
		}
	}
}

// everything runs the reference server that uses all of MCP, and a scripted
// one besides.
func everything(t testing.TB, settings map[string]any) *daemontest.Host {
	t.Helper()
	s := servers{"everything": npmServers(t, t.TempDir())["everything"], "std": scripted(t, upstreamtest.Script{})}
	all := map[string]any{"gateway": map[string]any{"mode": "all"}}
	for k, v := range settings {
		all[k] = v
	}
	h := begin(t, all, s, modes{"none": {AllowedMcpServers: &[]string{"std"}}})
	untilReady(h, s)
	return h
}

// perWay runs a test over each transport.
func perWay(t *testing.T, test func(t *testing.T, by way)) {
	t.Parallel()
	for name, by := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, by)
		})
	}
}

// askedOnce reports whether one question was asked by a call. The server asks
// for the roots once by itself, some time after its start: that may fall into
// another call, and then the tool for it asks no more.
func askedOnce(all, byCall []string, want string) bool {
	const roots = "roots"
	if want == roots {
		return slices.Contains(all, roots)
	}
	asked := slices.DeleteFunc(slices.Clone(byCall), func(q string) bool { return q == roots })
	return len(asked) == 1 && strings.HasPrefix(asked[0], want)
}

func TestPass_whatServersAsk(t *testing.T) {
	perWay(t, func(t *testing.T, by way) {
		h := everything(t, nil)
		p, deaf := meet(t, h, by, false), meet(t, h, by, true)
		for _, tc := range []struct {
			tool      string
			arguments any
			asked     string
			answer    string
			refusal   string
		}{
			{
				"trigger-sampling-request", map[string]any{"prompt": "what is it?"},
				"sampling: You are a helpful test server.", "forty-two", "does not support sampling",
			},
			{
				"trigger-elicitation-request", nil,
				`MCP server "everything" asks: Please provide inputs`, "Favorite Integer: 7", "does not support elicitation",
			},
			{"get-roots-list", nil, "roots", "file:///of/mine", ""}, // who cannot be asked sees what the server has kept
		} {
			before := len(p.questions())
			text, r := callClient(t, p.Client, tc.tool, tc.arguments)
			if r.IsError || !strings.Contains(text, tc.answer) {
				t.Errorf("%s: %s", tc.tool, text)
			}
			if asked := p.questions()[before:]; !askedOnce(p.questions(), asked, tc.asked) {
				t.Errorf("%s: the client was asked %q, want %q", tc.tool, asked, tc.asked)
			}
			if text, _ := callClient(t, deaf.Client, tc.tool, tc.arguments); !strings.Contains(text, tc.refusal) {
				t.Errorf("%s by a client that cannot be asked: %s", tc.tool, text)
			}
		}
		p.action = mcp.ElicitationResponseActionDecline
		if text, _ := callClient(t, p.Client, "trigger-elicitation-request", nil); !strings.Contains(text, "declined") {
			t.Errorf("%s", text)
		}
	})
}

// With calls of two clients under way, nobody can tell whom the server asks.
func TestPass_asksNobodyElse(t *testing.T) {
	perWay(t, func(t *testing.T, by way) {
		h := everything(t, nil)
		p, other := meet(t, h, by, false), meet(t, h, by, false)
		p.hold = make(chan struct{})
		first := make(chan string, 1)
		go func() {
			text, _ := callClient(t, p.Client, "trigger-elicitation-request", nil)
			first <- text
		}()
		h.Until("the first client to be asked", func() bool { return len(p.questions()) > 0 })
		text, _ := callClient(t, other.Client, "trigger-elicitation-request", nil)
		if !strings.Contains(text, "several clients are calling") || len(other.questions()) > 0 {
			t.Errorf("the second client was asked %q, and answered %s", other.questions(), text)
		}
		close(p.hold)
		if text := <-first; !strings.Contains(text, "Favorite Integer: 7") {
			t.Errorf("%s", text)
		}
	})
}

func TestPass_resources(t *testing.T) {
	perWay(t, func(t *testing.T, by way) {
		h := everything(t, nil)
		p := meet(t, h, by, false)
		list, err := p.ListResources(t.Context(), mcp.ListResourcesRequest{})
		if err != nil || len(list.Resources) == 0 {
			t.Fatalf("%v, %v", list, err)
		}
		for _, r := range list.Resources {
			if !strings.HasPrefix(r.URI, "winnow:///everything/demo://") {
				t.Errorf("%s is listed as %s", r.Name, r.URI)
			}
		}
		templates, err := p.ListResourceTemplates(t.Context(), mcp.ListResourceTemplatesRequest{})
		if err != nil || len(templates.ResourceTemplates) == 0 {
			t.Fatalf("%v, %v", templates, err)
		}
		if raw := templates.ResourceTemplates[0].URITemplate.Raw(); !strings.HasPrefix(raw, "winnow:///everything/demo://resource/dynamic/") || !strings.HasSuffix(raw, "{resourceId}") {
			t.Errorf("%s", raw)
		}
		if text := readResource(t, p, "winnow:///everything/demo://resource/dynamic/text/3"); !strings.Contains(text, "Resource 3") {
			t.Errorf("%s", text)
		}
		// A link in a result can be read, and what a call adds is announced.
		_, r := callClient(t, p.Client, "gzip-file-as-resource", map[string]any{"name": "a.gz", "data": "data:text/plain,hello"})
		link, ok := r.Content[0].(mcp.ResourceLink)
		if !ok || !strings.HasPrefix(link.URI, "winnow:///everything/") {
			t.Fatalf("%+v", r.Content)
		}
		p.await(t, mcp.MethodNotificationResourcesListChanged, func(map[string]any) bool { return true })
		if blob := readResource(t, p, link.URI); !strings.HasPrefix(blob, "H4sI") {
			t.Errorf("%s", blob)
		}
		for _, uri := range []string{
			"demo://resource/dynamic/text/3", "winnow:///", "winnow:///everything", "winnow:///nobody/demo://x", "winnow:///%zz/x",
			"winnow:///std/demo://resource/dynamic/text/3", "winnow:///everything/demo://no/such",
		} {
			var ask mcp.ReadResourceRequest
			ask.Params.URI = uri
			if result, err := p.ReadResource(t.Context(), ask); err == nil {
				t.Errorf("%s is read: %+v", uri, result.Contents)
			}
		}
	})
}

// readResource returns the text or blob of a resource, which says its own URI.
func readResource(t *testing.T, p *person, uri string) string {
	t.Helper()
	var ask mcp.ReadResourceRequest
	ask.Params.URI = uri
	result, err := p.ReadResource(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	switch c := result.Contents[0].(type) {
	case mcp.TextResourceContents:
		if c.URI != uri {
			t.Errorf("%s calls itself %s", uri, c.URI)
		}
		return c.Text
	case mcp.BlobResourceContents:
		return c.Blob
	}
	t.Fatalf("%+v", result.Contents)
	return ""
}

func TestPass_prompts(t *testing.T) {
	perWay(t, func(t *testing.T, by way) {
		h := everything(t, nil)
		p := meet(t, h, by, false)
		list, err := p.ListPrompts(t.Context(), mcp.ListPromptsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(list.Prompts, func(p mcp.Prompt) bool { return p.Name == "everything__args-prompt" })
		if at < 0 || len(list.Prompts[at].Arguments) == 0 {
			t.Fatalf("%+v", list.Prompts)
		}
		var ask mcp.GetPromptRequest
		ask.Params.Name, ask.Params.Arguments = "everything__args-prompt", map[string]string{"city": "Ulm"}
		result, err := p.GetPrompt(t.Context(), ask)
		if err != nil || len(result.Messages) != 1 {
			t.Fatalf("%+v, %v", result, err)
		}
		if text, ok := result.Messages[0].Content.(mcp.TextContent); !ok || !strings.Contains(text.Text, "Ulm") {
			t.Errorf("%+v", result.Messages)
		}
		for _, name := range []string{"args-prompt", "everything__", "nobody__args-prompt", ""} {
			ask.Params.Name = name
			if result, err := p.GetPrompt(t.Context(), ask); err == nil {
				t.Errorf("%q is a prompt: %+v", name, result)
			}
		}
	})
}

// What a mode leaves out is left out in every kind.
func TestPass_scope(t *testing.T) {
	t.Parallel()
	h := everything(t, nil)
	p := meet(t, h, ways()["stdio"], false)
	daemontest.Call[struct{}](h, "mode/set", map[string]any{"mode": "none"})
	resources, err := p.ListResources(t.Context(), mcp.ListResourcesRequest{})
	if err != nil || len(resources.Resources) != 0 {
		t.Errorf("%+v, %v", resources, err)
	}
	prompts, err := p.ListPrompts(t.Context(), mcp.ListPromptsRequest{})
	if err != nil || len(prompts.Prompts) != 0 {
		t.Errorf("%+v, %v", prompts, err)
	}
	var ask mcp.ReadResourceRequest
	ask.Params.URI = "winnow:///everything/demo://resource/dynamic/text/3"
	if _, err := p.ReadResource(t.Context(), ask); err == nil || !strings.Contains(err.Error(), "allowedMcpServers") {
		t.Errorf("%v", err)
	}
}

func TestPass_logs(t *testing.T) {
	perWay(t, func(t *testing.T, by way) {
		h := everything(t, nil)
		p, other := meet(t, h, by, false), meet(t, h, by, false)
		for _, c := range []*person{p, other} {
			var level mcp.SetLevelRequest
			level.Params.Level = mcp.LoggingLevelDebug
			//lint:ignore SA1019 the revisions that have sessions have it
			if err := c.SetLevel(t.Context(), level); err != nil {
				t.Fatal(err)
			}
		}
		callClient(t, p.Client, "toggle-simulated-logging", nil)
		p.await(t, "notifications/message", func(params map[string]any) bool {
			logger, _ := params["logger"].(string)
			return strings.HasPrefix(logger, "everything")
		})
		for len(other.told) > 0 {
			if n := <-other.told; n.Method == "notifications/message" {
				t.Errorf("a client that has called nothing is told %v", n.Params.AdditionalFields)
			}
		}
	})
}

// `_meta` passes both ways: of a tool, of a request, and not the client's own
// progress token.
func TestPass_meta(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "received")
	marked := `{"name":"echo","description":"d","inputSchema":{"type":"object"},"_meta":{"example.org/kind":"mine"}}`
	s := servers{"std": scripted(t, upstreamtest.Script{Tools: []string{marked, tool("meta", "m")}, ReceivedFile: file})}
	h := begin(t, map[string]any{"gateway": map[string]any{"mode": "all"}}, s, nil)
	untilReady(h, s)
	for name, by := range ways() {
		p := meet(t, h, by, false)
		list, err := p.ListTools(t.Context(), mcp.ListToolsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(list.Tools, func(t mcp.Tool) bool { return t.Name == "echo" })
		if at < 0 {
			t.Fatalf("%s: the tool is not listed: %+v", name, list.Tools)
		}
		if meta := list.Tools[at].Meta; meta == nil || meta.AdditionalFields["example.org/kind"] != "mine" {
			t.Errorf("%s: the tool's _meta is %+v", name, meta)
		}
		var r mcp.CallToolRequest
		r.Params.Name = "meta"
		r.Params.Meta = &mcp.Meta{ProgressToken: "of-the-client", AdditionalFields: map[string]any{"example.org/trace": name}}
		result, err := p.CallTool(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if result.Meta == nil || result.Meta.AdditionalFields["example.org/answer"] != "mine" {
			t.Errorf("%s: the result's _meta is %+v", name, result.Meta)
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(raw), `"example.org/trace":"`+name+`"`) || strings.Contains(string(raw), "of-the-client") {
			t.Errorf("%s: the server received %s", name, raw)
		}
	}
}

// A client that goes while it is asked leaves nothing hanging.
func TestPass_theClientGoesWhileItIsAsked(t *testing.T) {
	t.Parallel()
	h := everything(t, nil)
	h.Catalog()
	c, err := socket.Dial(socket.Place{}, h.Options.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	p := meet(t, h, func(testing.TB, *daemontest.Host) transport.Interface { return transport.NewIO(c, c, nil) }, false)
	p.hold = make(chan struct{})
	defer close(p.hold)
	done := make(chan error, 1)
	go func() {
		var r mcp.CallToolRequest
		r.Params.Name = "trigger-elicitation-request"
		_, err := p.CallTool(context.WithoutCancel(t.Context()), r)
		done <- err
	}()
	h.Until("the client to be asked", func() bool { return len(p.questions()) > 0 })
	if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("the call is answered")
	}
	next := meet(t, h, ways()["stdio"], false)
	h.Until("the next client to be asked", func() bool {
		// For a moment the call of the one who went may still be under way.
		text, _ := callClient(t, next.Client, "trigger-elicitation-request", nil)
		return strings.Contains(text, "Favorite Integer: 7")
	})
}

// A client hears of changes of the resources that it has subscribed to, and of
// no others.
func TestPass_subscriptions(t *testing.T) {
	perWay(t, func(t *testing.T, by way) {
		h := everything(t, nil)
		p, other := meet(t, h, by, false), meet(t, h, by, false)
		const uri = "winnow:///everything/demo://resource/static/document/features.md"
		var r mcp.SubscribeRequest
		r.Params.URI = uri
		//lint:ignore SA1019 the revisions that have sessions have it
		if err := p.Subscribe(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		callClient(t, p.Client, "toggle-subscriber-updates", nil)
		p.await(t, mcp.MethodNotificationResourceUpdated, func(params map[string]any) bool { return params["uri"] == uri })
		var undo mcp.UnsubscribeRequest
		undo.Params.URI = uri
		//lint:ignore SA1019 the revisions that have sessions have it
		if err := p.Unsubscribe(t.Context(), undo); err != nil {
			t.Error(err)
		}
		for len(other.told) > 0 {
			if n := <-other.told; n.Method == mcp.MethodNotificationResourceUpdated {
				t.Errorf("a client that has not subscribed is told %v", n.Params.AdditionalFields)
			}
		}
		for _, uri := range []string{"demo://resource/static/document/features.md", "winnow:///nobody/x", "winnow:///std/x"} {
			r.Params.URI = uri
			//lint:ignore SA1019 the revisions that have sessions have it
			if err := p.Subscribe(t.Context(), r); err == nil {
				t.Errorf("%s is subscribed to", uri)
			}
		}
	})
}

// Arguments of prompts and templates are completed by the servers that have them.
func TestPass_completions(t *testing.T) {
	perWay(t, func(t *testing.T, by way) {
		h := everything(t, nil)
		p := meet(t, h, by, false)
		for name, tc := range map[string]struct {
			ref             any
			argument, value string
			want            []string
		}{
			"a prompt": {
				mcp.PromptReference{Type: "ref/prompt", Name: "everything__completable-prompt"}, "department", "Eng", []string{"Engineering"},
			},
			"a template": {
				mcp.ResourceReference{Type: "ref/resource", URI: "winnow:///everything/demo://resource/dynamic/text/{resourceId}"}, "resourceId", "7", []string{"7"},
			},
			"a server that completes nothing": {
				mcp.ResourceReference{Type: "ref/resource", URI: "winnow:///std/x"}, "a", "", []string{},
			},
		} {
			var r mcp.CompleteRequest
			r.Params.Ref, r.Params.Argument = tc.ref, mcp.CompleteArgument{Name: tc.argument, Value: tc.value}
			result, err := p.Complete(t.Context(), r)
			if err != nil || !slices.Equal(result.Completion.Values, tc.want) {
				t.Errorf("%s: got %+v, %v, want %q", name, result, err, tc.want)
			}
		}
		var r mcp.CompleteRequest
		r.Params.Ref, r.Params.Argument = mcp.PromptReference{Type: "ref/prompt", Name: "nobody"}, mcp.CompleteArgument{Name: "a"}
		if result, err := p.Complete(t.Context(), r); err == nil || !strings.Contains(err.Error(), "no prompt") {
			t.Errorf("an unknown prompt: got %+v, %v, want a refusal", result, err)
		}
	})
}
