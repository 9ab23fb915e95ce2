package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
	"github.com/winnow-mcp/winnow/router"
)

// allListed is an engine of one server whose tools are all listed.
func allListed(t testing.TB, tools ...string) *fakeEngine {
	f := newEngine(t, serverOf("std", tools...))
	f.settings.Gateway.Mode = protocol.GatewayAll
	return f
}

// A result is passed on byte for byte, but for links to resources, which get a
// name that leads back to their server; so are arguments and `_meta`, and the
// engine is told who calls.
func TestCalls_passThrough(t *testing.T) {
	t.Parallel()
	f := allListed(t, "echo")
	f.call = func(context.Context, router.Decision, calls.Call) (*protocol.TaskCallResult, error) {
		return &protocol.TaskCallResult{
			Content: []json.RawMessage{
				json.RawMessage(`{"type":"text","text":"12345678901234567890","x-own":1}`),
				json.RawMessage(`{"type":"resource_link","name":"n","uri":"demo://x"}`),
			},
			StructuredContent: json.RawMessage(`{"n":12345678901234567890}`), Meta: json.RawMessage(`{"example.org/a":"mine"}`), IsError: true,
		}, nil
	}
	raw := answerTo(t, faceOf(t, f), "tools/call",
		`{"name":"echo","arguments":{"a":12345678901234567890},"_meta":{"progressToken":"of-the-client","example.org/q":"mine"}}`)
	for _, part := range []string{
		`{"type":"text","text":"12345678901234567890","x-own":1}`, `"uri":"winnow:///std/demo://x"`,
		`"structuredContent":{"n":12345678901234567890}`, `"_meta":{"example.org/a":"mine"}`, `"isError":true`,
	} {
		if !strings.Contains(raw, part) {
			t.Errorf("%s is lost in %s", part, raw)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.calls) != 1 {
		t.Fatalf("the engine was called %d times, want once", len(f.calls))
	}
	c := f.calls[0]
	if string(c.Arguments) != `{"a":12345678901234567890}` || string(c.Meta) != `{"example.org/q":"mine"}` || c.Client != "hand" || c.Name != "echo" {
		t.Errorf("the engine got %s with %s of %q by %q", c.Name, c.Arguments, c.Meta, c.Client)
	}
}

// Text that not every decoder reads is mended before the engine sees it; what
// cannot be is MCP's error, and no call.
func TestCalls_foreignText(t *testing.T) {
	t.Parallel()
	f := allListed(t, "echo")
	face := faceOf(t, f)
	answerTo(t, face, "tools/call", `{"name":"echo","arguments":{"a":"cut \ud83d","b":1,"b":2}}`)
	const levels = ijson.MaxDepth + 1
	deep := strings.Repeat(`[`, levels) + strings.Repeat(`]`, levels)
	raw := answerTo(t, face, "tools/call", `{"name":"echo","arguments":{"a":`+deep+`}}`)
	if !strings.Contains(raw, `"error":{"code":-32603`) || !strings.Contains(raw, "arguments of \\\"echo\\\" are not JSON") {
		t.Errorf("too deep: got %.300s, want an error", raw)
	}
	if len(f.calls) != 1 || string(f.calls[0].Arguments) != "{\"a\":\"cut \ufffd\",\"b\":2}" {
		t.Errorf("the engine got %d calls, the first with %.300s; want that one, mended", len(f.calls), f.calls[0].Arguments)
	}
}

// What a tool reports is passed on to a client that has asked for it.
func TestCalls_progress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := allListed(t, "count")
		f.call = func(_ context.Context, _ router.Decision, c calls.Call) (*protocol.TaskCallResult, error) {
			for i := range 3 {
				if c.Progress != nil {
					c.Progress(upstream.Progress{Progress: float64(i + 1), Total: 3, Message: "counting"})
				}
			}
			return calls.TextResult("counted", false), nil
		}
		p := join(t, faceOf(t, f), "test", true)
		var r mcp.CallToolRequest
		r.Params.Name = "count"
		for _, wants := range []bool{true, false} {
			r.Params.Meta = nil
			if wants {
				r.Params.Meta = &mcp.Meta{ProgressToken: "p1"}
			}
			if _, err := p.CallTool(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			got := notified(p)
			if n := len(got); wants && (n != 3 || got[0] != "notifications/progress") || !wants && n > 0 {
				t.Errorf("wants progress: %t: told %q", wants, got)
			}
		}
	})
}

// A call that is under way holds up nothing.
func TestCalls_sideBySide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := allListed(t, "echo", "slow")
		f.call = func(_ context.Context, d router.Decision, _ calls.Call) (*protocol.TaskCallResult, error) {
			if d.ID.Tool == "slow" {
				time.Sleep(time.Hour) // of synctest's clock
			}
			return calls.TextResult("done "+d.ID.Tool, false), nil
		}
		p := join(t, faceOf(t, f), "test", true)
		begun, slow := time.Now(), make(chan string)
		go func() {
			text, _ := callClient(t, p.Client, "slow", nil)
			slow <- text
		}()
		synctest.Wait()
		if text, _ := callClient(t, p.Client, "echo", nil); text != "done echo" {
			t.Errorf("got %s", text)
		}
		if got := listNames(t, p.Client); !slices.Contains(got, "slow") {
			t.Errorf("got the list %q", got)
		}
		if waited := time.Since(begun); waited != 0 {
			t.Errorf("other requests took %s", waited)
		}
		if text := <-slow; text != "done slow" || time.Since(begun) != time.Hour {
			t.Errorf("got %s after %s, want the slow tool's answer", text, time.Since(begun))
		}
	})
}

// What goes wrong is told to the model, with what can be done about it.
func TestCalls_failures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind protocol.ErrorKind
		err  error
		want string
	}{
		{protocol.KindUnavailable, &upstream.UnavailableError{Server: "std", State: upstream.Failed, Next: "Restart it."},
			`MCP server "std" has failed. Restart it.`},
		{protocol.KindSignIn, &upstream.UnavailableError{Server: "std", State: upstream.SignedOut, Next: "Sign in."},
			`MCP server "std" is signed out. Sign in.`},
		{protocol.KindSignIn, &upstream.SignInError{Server: "std", Cause: errors.New("denied"), Next: "Sign in again."},
			`sign in to MCP server "std": denied. Sign in again.`},
		{protocol.KindTimeout, &upstream.TimeoutError{Server: "std", What: "x", Timeout: time.Second},
			"Raise `timeout` of this server if it needs longer."},
		{protocol.KindCallFailed, &upstream.RPCError{Server: "std", What: `tool "x"`, Code: -32602, Message: "bad arguments"},
			`MCP server "std": tool "x": bad arguments (code -32602). See the server's log.`},
		{protocol.KindCallFailed, &upstream.CallError{Server: "std", What: `tool "x"`, Cause: errors.New("no result")}, "tell the server's author"},
		{protocol.KindUnknownServer, &upstream.UnknownServerError{Server: "std"}, "Check the name in the configuration files."},
		{protocol.KindInvalidArgument, failure.New(protocol.KindInvalidArgument, "Give an object.", "the arguments are not an object"),
			"the arguments are not an object. Give an object."},
		{protocol.KindOutOfScope, &router.Refusal{Kind: protocol.KindOutOfScope, Message: "a rule forbids it", Next: "Use another."}, "Not called: a rule forbids it"},
		{protocol.KindInternal, errors.New("something broke"), "something broke. See the daemon's log, and report it."},
		{protocol.KindCancelled, context.Canceled, "context canceled"}, // that of somebody else
	} {
		t.Run(string(tt.kind), func(t *testing.T) {
			t.Parallel()
			f := allListed(t, "echo")
			f.call = func(context.Context, router.Decision, calls.Call) (*protocol.TaskCallResult, error) {
				return nil, tt.err
			}
			text, r := callClient(t, join(t, faceOf(t, f), "test", true).Client, "echo", nil)
			if !r.IsError || !strings.Contains(text, tt.want) {
				t.Errorf("got %s (an error: %t), want an error with %s", text, r.IsError, tt.want)
			}
			for sentence := range strings.SplitSeq(text, ". ") {
				if strings.Count(strings.ToLower(text), strings.ToLower(strings.Trim(sentence, "."))) > 1 {
					t.Errorf("%q says %q twice", text, sentence)
				}
			}
		})
	}
}

// A tool that is not there is told to the model too.
func TestCalls_unknownTool(t *testing.T) {
	t.Parallel()
	text, r := callClient(t, join(t, faceOf(t, allListed(t, "echo")), "test", true).Client, "no_such_tool", nil)
	if !r.IsError || !strings.Contains(text, "no tool") {
		t.Errorf("got %s, want a refusal", text)
	}
}

// What the model cannot mend is MCP's error: the call is not made.
func TestCalls_withoutAView(t *testing.T) {
	t.Parallel()
	f := allListed(t, "echo")
	f.noView = failure.New(protocol.KindUnknownMode, "See mode/list.", "there is no mode %q", "gone")
	face := faceOf(t, f)
	if raw := answerTo(t, face, "tools/call", `{"name":"echo"}`); !strings.Contains(raw, `"error":{"code":-32603`) || !strings.Contains(raw, "there is no mode") {
		t.Errorf("a call: got %s, want an error", raw)
	}
	if raw := answerTo(t, face, "tools/list", `{}`); !strings.Contains(raw, `"tools":[]`) {
		t.Errorf("the list: got %s, want it empty", raw)
	}
	if len(f.calls) > 0 {
		t.Errorf("the engine was called: %+v", f.calls)
	}
}

// A client that cancels its call, or goes, ends the engine's, and its task is
// closed when it goes.
func TestCalls_theClientGoes(t *testing.T) {
	t.Parallel()
	for _, goes := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			f, ended := allListed(t, "echo"), make(chan error, 1)
			f.call = func(ctx context.Context, _ router.Decision, _ calls.Call) (*protocol.TaskCallResult, error) {
				<-ctx.Done()
				ended <- ctx.Err()
				return nil, ctx.Err()
			}
			p := join(t, faceOf(t, f), "test", true)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			called := make(chan error, 1)
			go func() {
				var r mcp.CallToolRequest
				r.Params.Name = "echo"
				_, err := p.CallTool(ctx, r)
				called <- err
			}()
			synctest.Wait()
			if len(f.calls) != 1 || len(ended) > 0 {
				t.Fatalf("the call has not begun: %+v, or ended", f.calls)
			}
			if goes {
				_ = p.Close() // what it says of the call that it leaves is that call's error
			} else {
				cancel()
			}
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("goes: %t: the engine's call ends with %v, want it cancelled", goes, err)
			}
			if err := <-called; err == nil {
				t.Errorf("goes: %t: the call is answered", goes)
			}
			synctest.Wait()
			f.mu.Lock()
			defer f.mu.Unlock()
			if closed := len(f.closed) == 1; closed != goes {
				t.Errorf("goes: %t: closed the tasks %q", goes, f.closed)
			}
		})
	}
}

// asks makes each call put a question of its server to the caller, and answer with
// what came of it.
func asks(f *fakeEngine, method, params string) {
	f.call = func(ctx context.Context, _ router.Decision, c calls.Call) (*protocol.TaskCallResult, error) {
		answer, err := c.Caller.Ask(ctx, "std", method, json.RawMessage(params))
		if err != nil {
			return calls.TextResult(err.Error(), true), nil
		}
		return calls.TextResult(string(answer), false), nil
	}
}

// What a server asks in mid-call is put to the client that calls, and to nobody
// else; one that cannot be asked is not.
func TestCalls_questions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ method, params, asked, answer, refusal string }{
		{"elicitation/create", `{"message":"How many?","requestedSchema":{"type":"object","properties":{}}}`,
			`MCP server "std" asks: How many?`, `"action":"accept"`, "does not support elicitation/create"},
		{"elicitation/create", `{"mode":"url","message":"Open it.","url":"https://x","elicitationId":"e"}`,
			"", "", "does not support elicitation/create of mode url"},
		{"sampling/createMessage", `{"messages":[],"systemPrompt":"Be kind.","maxTokens":9}`, "sampling: Be kind.", "forty-two", "does not support sampling"},
		{"roots/list", `{}`, "roots", "file:///of/mine", "does not support roots/list"},
	} {
		f := allListed(t, "echo")
		asks(f, tt.method, tt.params)
		face := faceOf(t, f)
		p, other, plain := join(t, face, "test", false), join(t, face, "other", false), join(t, face, "plain", true)
		text, r := callClient(t, p.Client, "echo", nil)
		if want := tt.answer; want == "" { // it cannot be asked that either
			if !r.IsError || !strings.Contains(text, tt.refusal) {
				t.Errorf("%s: got %s, want %s", tt.method, text, tt.refusal)
			}
		} else if r.IsError || !strings.Contains(text, want) || !slices.Equal(p.Questions(), []string{tt.asked}) {
			t.Errorf("%s: asked %q, got %s, want %q asked and %s", tt.method, p.Questions(), text, tt.asked, want)
		}
		if got := other.Questions(); len(got) > 0 {
			t.Errorf("%s: another client is asked %q", tt.method, got)
		}
		if text, r := callClient(t, plain.Client, "echo", nil); !r.IsError || !strings.Contains(text, tt.refusal) {
			t.Errorf("%s of a client that cannot be asked: got %s, want %s", tt.method, text, tt.refusal)
		}
	}
}

// A client that names roots is asked for them once, before its first search; one
// that has none, that has no session, or whose user does not want it is not.
func TestCalls_roots(t *testing.T) {
	t.Parallel()
	f := allListed(t, "echo")
	face := faceOf(t, f)
	p, plain, modern := join(t, face, "test", false), join(t, face, "plain", true), joinModern(t, face)
	callClient(t, p.Client, "echo", nil)
	if got := p.Questions(); len(got) > 0 {
		t.Errorf("a call that searches nothing asks %q", got)
	}
	for _, c := range []*gatewaytest.Person{p, p, plain, modern} {
		callClient(t, c.Client, "mcp_search", map[string]any{"query": "echo"})
	}
	if got := p.Questions(); !slices.Equal(got, []string{"roots"}) || len(plain.Questions())+len(modern.Questions()) > 0 {
		t.Errorf("asked %q, the others %q and %q", got, plain.Questions(), modern.Questions())
	}
	if want := [][]string{{filepath.FromSlash("/of/mine")}}; !reflect.DeepEqual(f.roots, want) {
		t.Errorf("the task works in %q, want %q", f.roots, want)
	}
	f.change(func(s *state) { s.settings.Learn.Folder = false })
	off := join(t, face, "off", false)
	callClient(t, off.Client, "mcp_search", map[string]any{"query": "echo"})
	if got := off.Questions(); len(got) > 0 {
		t.Errorf("switched off, it asks %q", got)
	}
}

// Servers tell clients apart by their sessions; the clients without one are as
// many as their calls.
func TestCalls_sessions(t *testing.T) {
	t.Parallel()
	f := allListed(t, "echo")
	face := faceOf(t, f)
	p, other, modern := join(t, face, "test", true), join(t, face, "other", true), joinModern(t, face)
	for _, c := range []*gatewaytest.Person{p, p, other, modern, modern} {
		callClient(t, c.Client, "echo", nil)
	}
	var sessions []any
	for _, c := range f.calls {
		sessions = append(sessions, c.Caller.Session)
	}
	if sessions[0] != sessions[1] {
		t.Error("two calls of one client are taken for those of two")
	}
	for i := 2; i < len(sessions); i++ {
		if slices.Contains(sessions[:i], sessions[i]) {
			t.Errorf("call %d is taken for that of another client", i+1)
		}
	}
}

// What a server wants opened before a call is told to a client that can open it,
// by MCP's own error.
func TestCalls_pages(t *testing.T) {
	t.Parallel()
	f := allListed(t, "echo")
	f.call = func(context.Context, router.Decision, calls.Call) (*protocol.TaskCallResult, error) {
		return nil, &upstream.RPCError{Server: "std", What: "x", Code: -32042, Message: "first open it",
			Data: json.RawMessage(`{"elicitations":[{"mode":"url","message":"Sign in.","url":"https://x","elicitationId":"e"}]}`)}
	}
	face := faceOf(t, f)
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"url":{}}},"clientInfo":{"name":"hand","version":"1"}}}`
	raw := written(t, face, 2, hello, `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}`)
	for _, part := range []string{`"code":-32042`, `MCP server \"std\" asks: Sign in.`, `"url":"https://x"`} {
		if !strings.Contains(raw, part) {
			t.Errorf("no %s in %s", part, raw)
		}
	}
	if raw := answerTo(t, face, "tools/call", `{"name":"echo"}`); !strings.Contains(raw, "first open it") || !strings.Contains(raw, `"isError":true`) {
		t.Errorf("a client that cannot open it: got %s, want what the server says", raw)
	}
}
