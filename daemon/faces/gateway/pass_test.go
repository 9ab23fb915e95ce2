package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/socket"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

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
	h.UntilReady(s)
	return h
}

// The tests of this file go through the whole, to the reference server that uses
// all of MCP, or to a scripted one that says what it has received: what is passed
// has to fit what real servers send and understand. The gateway's own rules are
// tested with a fake engine (calls_test.go, offers_test.go, logs_test.go).

// perWay runs a test over each transport.
func perWay(t *testing.T, test func(t *testing.T, by gatewaytest.Way)) {
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
	perWay(t, func(t *testing.T, by gatewaytest.Way) {
		h := everything(t, nil)
		p, plain := meet(t, h, by, false), meet(t, h, by, true)
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
			before := len(p.Questions())
			text, r := callClient(t, p.Client, tc.tool, tc.arguments)
			if r.IsError || !strings.Contains(text, tc.answer) {
				t.Errorf("%s: %s", tc.tool, text)
			}
			if asked := p.Questions()[before:]; !askedOnce(p.Questions(), asked, tc.asked) {
				t.Errorf("%s: the client was asked %q, want %q", tc.tool, asked, tc.asked)
			}
			if text, _ := callClient(t, plain.Client, tc.tool, tc.arguments); !strings.Contains(text, tc.refusal) {
				t.Errorf("%s by a client that cannot be asked: %s", tc.tool, text)
			}
		}
		p.Action = mcp.ElicitationResponseActionDecline
		if text, _ := callClient(t, p.Client, "trigger-elicitation-request", nil); !strings.Contains(text, "declined") {
			t.Errorf("%s", text)
		}
	})
}

// Of two clients that call a server at once over stdio, nobody can tell whom it asks.
// Once it has asked, the second call waits for the first, its client is told so, and is
// then asked itself.
func TestPass_asksOneAfterAnother(t *testing.T) {
	perWay(t, func(t *testing.T, by gatewaytest.Way) {
		h := everything(t, nil)
		p, other := meet(t, h, by, false), meet(t, h, by, false)
		p.Hold = make(chan struct{})
		first, second := make(chan string, 1), make(chan string, 1)
		go func() {
			text, _ := callClient(t, p.Client, "trigger-elicitation-request", nil)
			first <- text
		}()
		p.UntilAsked(t)
		go func() {
			var r mcp.CallToolRequest
			r.Params.Name, r.Params.Meta = "trigger-elicitation-request", &mcp.Meta{ProgressToken: "p"}
			result, err := other.CallTool(t.Context(), r)
			second <- fmt.Sprint(result, err)
		}()
		for n := range other.Told {
			if message, _ := n.Params.AdditionalFields["message"].(string); strings.Contains(message, "answers another client first") {
				break
			}
		}
		if asked := other.Questions(); slices.ContainsFunc(asked, func(q string) bool { return q != "roots" }) {
			t.Errorf("the second client was asked %q before its turn", asked)
		}
		close(p.Hold)
		for _, answered := range []chan string{first, second} {
			if text := <-answered; !strings.Contains(text, "Favorite Integer: 7") {
				t.Errorf("%s", text)
			}
		}
		if asked := other.Questions(); !strings.Contains(strings.Join(asked, "\n"), "Please provide inputs") {
			t.Errorf("the second client was asked %q", asked)
		}
	})
}

func TestPass_resources(t *testing.T) {
	perWay(t, func(t *testing.T, by gatewaytest.Way) {
		h := everything(t, nil)
		p := meet(t, h, by, false)
		var list *mcp.ListResourcesResult
		p.Until(t, "the list of resources", func() (listed bool) {
			var err error
			if list, err = p.ListResources(t.Context(), mcp.ListResourcesRequest{}); err != nil {
				t.Fatal(err)
			}
			return len(list.Resources) > 0
		})
		for _, r := range list.Resources {
			if !strings.HasPrefix(r.URI, "winnow:///everything/demo://") {
				t.Errorf("%s is listed as %s", r.Name, r.URI)
			}
		}
		var templates *mcp.ListResourceTemplatesResult
		p.Until(t, "the list of templates", func() (listed bool) {
			var err error
			if templates, err = p.ListResourceTemplates(t.Context(), mcp.ListResourceTemplatesRequest{}); err != nil {
				t.Fatal(err)
			}
			return len(templates.ResourceTemplates) > 0
		})
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
		p.Await(t, mcp.MethodNotificationResourcesListChanged, func(map[string]any) bool { return true })
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
func readResource(t *testing.T, p *gatewaytest.Person, uri string) string {
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
	perWay(t, func(t *testing.T, by gatewaytest.Way) {
		h := everything(t, nil)
		p := meet(t, h, by, false)
		var list *mcp.ListPromptsResult
		p.Until(t, "the list of prompts", func() (listed bool) {
			var err error
			if list, err = p.ListPrompts(t.Context(), mcp.ListPromptsRequest{}); err != nil {
				t.Fatal(err)
			}
			return len(list.Prompts) > 0
		})
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

func TestPass_logs(t *testing.T) {
	perWay(t, func(t *testing.T, by gatewaytest.Way) {
		h := everything(t, nil)
		p, other := meet(t, h, by, false), meet(t, h, by, false)
		for _, c := range []*gatewaytest.Person{p, other} {
			var level mcp.SetLevelRequest
			level.Params.Level = mcp.LoggingLevelDebug
			//lint:ignore SA1019 the revisions that have sessions have it
			if err := c.SetLevel(t.Context(), level); err != nil {
				t.Fatal(err)
			}
		}
		callClient(t, p.Client, "toggle-simulated-logging", nil)
		p.Await(t, "notifications/message", func(params map[string]any) bool {
			logger, _ := params["logger"].(string)
			return strings.HasPrefix(logger, "everything")
		})
		for len(other.Told) > 0 {
			if n := <-other.Told; n.Method == "notifications/message" {
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
	h.UntilReady(s)
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
	p.Hold = make(chan struct{})
	defer close(p.Hold)
	done := make(chan error, 1)
	go func() {
		var r mcp.CallToolRequest
		r.Params.Name = "trigger-elicitation-request"
		_, err := p.CallTool(context.WithoutCancel(t.Context()), r)
		done <- err
	}()
	p.UntilAsked(t)
	if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("the call is answered")
	}
	next := meet(t, h, ways()["stdio"], false)
	// For a moment the call of the one who went may still be under way.
	for text := ""; !strings.Contains(text, "Favorite Integer: 7"); {
		text, _ = callClient(t, next.Client, "trigger-elicitation-request", nil)
	}
}

// A client hears of changes of the resources that it has subscribed to, and of
// no others.
func TestPass_subscriptions(t *testing.T) {
	perWay(t, func(t *testing.T, by gatewaytest.Way) {
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
		p.Await(t, mcp.MethodNotificationResourceUpdated, func(params map[string]any) bool { return params["uri"] == uri })
		var undo mcp.UnsubscribeRequest
		undo.Params.URI = uri
		//lint:ignore SA1019 the revisions that have sessions have it
		if err := p.Unsubscribe(t.Context(), undo); err != nil {
			t.Error(err)
		}
		for len(other.Told) > 0 {
			if n := <-other.Told; n.Method == mcp.MethodNotificationResourceUpdated {
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
	perWay(t, func(t *testing.T, by gatewaytest.Way) {
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
