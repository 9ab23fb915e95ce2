package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/hosttest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// silentUser is a user that can be asked, and never answers.
type silentUser struct{ host.None }

// Capabilities implements [host.Host].
func (silentUser) Capabilities() protocol.ClientCapabilities {
	return protocol.ClientCapabilities{Prompt: true, ClaimConfirm: true, OpenExternal: true}
}

// Input implements [host.Host].
func (silentUser) Input(ctx context.Context, _ protocol.InputRequestParams) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

// ConfirmClaim implements [host.Host].
func (silentUser) ConfirmClaim(ctx context.Context, _ protocol.ClaimConfirmParams) (bool, error) {
	<-ctx.Done()
	return false, ctx.Err()
}

// OpenExternal implements [host.Host].
func (silentUser) OpenExternal(ctx context.Context, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestEngine_endsWhenGivenUp: whatever waits returns soon after its caller has
// given up, also where a server never answers, and where the user never does.
// That a cancel on the wire is such an end is the face's to test.
func TestEngine_endsWhenGivenUp(t *testing.T) {
	t.Parallel()
	silent := configtest.Scripted(t, upstreamtest.Script{
		Tools: []string{configtest.Tool("never", "Never answers."), configtest.Tool("_tool_gating", "Never answers.")}, Ignore: []string{"tools/call"},
	})
	starts := configtest.Scripted(t, upstreamtest.Script{Ignore: []string{"initialize"}})
	asks := configtest.Scripted(t, upstreamtest.Script{})
	asks.Args = []string{"${input:nobody-types}"}
	h := enginetest.Start(t, enginetest.Options{
		Workspace: configtest.WorkspaceWith(t, configtest.Servers{"silent": silent, "starts": starts, "asks": asks}, nil),
		User:      silentUser{},
	}, nil)
	h.UntilState("silent", protocol.ServerReady)
	task := enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{Message: "hello"}).Task
	h.Engine.ChangeSettings(&protocol.DidChangeSettingsParams{
		Settings: json.RawMessage(`{"gating":{"servers":["silent"],"timeoutMs":10000}}`),
	})
	const hour = 3_600_000
	e := h.Engine
	for name, do := range map[string]func(context.Context) error{
		"waits for all": func(ctx context.Context) error {
			return second(e.AwaitServers(ctx, &protocol.ServerWaitParams{TimeoutMs: hour}))
		},
		"waits for a start": func(ctx context.Context) error {
			return second(e.AwaitServers(ctx, &protocol.ServerWaitParams{Name: "starts", TimeoutMs: hour}))
		},
		"waits for a user": func(ctx context.Context) error {
			return second(e.AwaitServers(ctx, &protocol.ServerWaitParams{Name: "asks", TimeoutMs: hour}))
		},
		"restarts one that starts": func(ctx context.Context) error {
			return second(h.ServerRestart(ctx, &protocol.ServerParams{Name: "starts"}))
		},
		"restarts one that asks": func(ctx context.Context) error {
			return second(h.ServerRestart(ctx, &protocol.ServerParams{Name: "asks"}))
		},
		"signs in to a ready one":     func(ctx context.Context) error { return e.Upstream.SignIn(ctx, "silent") },
		"signs in to one that starts": func(ctx context.Context) error { return e.Upstream.SignIn(ctx, "starts") },
		"reads a log": func(ctx context.Context) error {
			return second(h.ServerLog(ctx, &protocol.ServerParams{Name: "starts"}))
		},
		"calls": func(ctx context.Context) error {
			return second(h.TaskCall(ctx, &protocol.TaskCallParams{Task: task, Name: "never", Arguments: json.RawMessage(`{}`)}))
		},
		"calls in a conversation": func(ctx context.Context) error {
			return second(h.ConversationCall(ctx, &protocol.ConversationCallParams{Task: task, Name: "never", Arguments: json.RawMessage(`{}`)}))
		},
		"opens a task": func(ctx context.Context) error {
			return second(h.TaskOpen(ctx, &protocol.TaskOpenParams{Message: "asks _tool_gating"}))
		},
		"takes a turn": func(ctx context.Context) error {
			return second(h.TaskTurn(ctx, &protocol.TaskTurnParams{Task: task, Message: "asks _tool_gating"}))
		},
		"routes": func(ctx context.Context) error {
			return second(h.ConversationRoute(ctx, &protocol.ConversationRouteParams{
				Conversation: "c", Message: "asks _tool_gating", Messages: []protocol.MessageDigest{{Role: "user", Digest: "u1"}},
			}))
		},
		"settles": e.Settle,
	} {
		ctx, giveUp := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- do(ctx) }()
		giveUp()
		select {
		case err := <-ended: // what it has come to meanwhile counts, and so does a refusal
			if err != nil && engine.Describe(ctx, err).Kind == protocol.KindInternal {
				t.Errorf("%s: got %v (%s), want an end that is nobody's fault", name, err, protocol.KindInternal)
			}
		case <-time.After(hosttest.Patience):
			t.Errorf("%s: has not returned, want the end of its context", name)
		}
	}
}

// second is the error of what returns a result too.
func second[R any](_ R, err error) error { return err }

// TestEngine_longTexts: a text of many megabytes is worked on, whatever it is
// made of.
func TestEngine_longTexts(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(upstreamtest.Handler(upstreamtest.Script{}))
	t.Cleanup(server.Close)
	h := enginetest.Begin(t, map[string]any{"threshold": 0}, configtest.Servers{"s": configtest.Entry{URL: server.URL}}, nil)
	task := enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{Message: "hello"}).Task
	for name, text := range map[string]string{
		"words":   strings.Repeat("word an other ", 1<<18),
		"no word": strings.Repeat("x", 4<<20),
		"signs":   strings.Repeat("\u0301.-", 1<<20),
	} {
		opened := enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{Message: text})
		turned := enginetest.Call(h, h.TaskTurn, protocol.TaskTurnParams{Task: task, Message: text})
		routed := enginetest.Call(h, h.ConversationRoute, protocol.ConversationRouteParams{
			Conversation: name, Message: text, Messages: []protocol.MessageDigest{{Role: "user", Digest: name}},
		})
		for request, a := range map[string]protocol.Attachment{"open": opened, "turn": turned, "route": routed.Attachment} {
			if a.Mode != protocol.AttachDynamic || a.Turn == 0 {
				t.Errorf("%s of %s: got mode %s, turn %d; want %s, and a turn", request, name, a.Mode, a.Turn, protocol.AttachDynamic)
			}
		}
		enginetest.Call(h, h.CatalogSearch, protocol.CatalogSearchParams{Query: text})
		enginetest.Call(h, h.TaskSearch, protocol.TaskSearchParams{Task: task, Query: text})
		enginetest.Call(h, h.TaskLoad, protocol.TaskLoadParams{Task: task, Query: text})
	}
}

// TestEngine_flood: a thousand calls at once have each its own answer, and other
// requests beside them.
func TestEngine_flood(t *testing.T) {
	t.Parallel()
	h := enginetest.Begin(t, nil, configtest.Servers{"scripted": configtest.Scripted(t, upstreamtest.Script{})}, nil)
	task := enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{Message: "hello"}).Task
	const calls = 1000
	var asking sync.WaitGroup
	for i := range calls {
		asking.Go(func() {
			want := fmt.Sprintf(`{"text":"%d"}`, i)
			r, err := enginetest.Try(h, h.TaskCall, protocol.TaskCallParams{Task: task, Name: "echo", Arguments: json.RawMessage(want)})
			if err != nil || enginetest.Text(r) != want {
				t.Errorf("call %d: got %q, %v; want %s", i, enginetest.Text(r), err, want)
			}
		})
	}
	if got, want := len(h.Catalog().Tools), len(upstreamtest.StandardTools()); got != want {
		t.Errorf("the catalogue has %d tools during the flood, want %d", got, want)
	}
	asking.Wait()
}
