package editor_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// open opens a task on the daemon's own servers.
func open(h *daemontest.Host) protocol.Attachment {
	return daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen, protocol.TaskOpenParams{Message: "hello"})
}

// TestRequests_endWhenTheyAreCancelled: every request of the wire has an answer
// soon after it was given up, also where a server never answers, and where the
// user never does.
func TestRequests_endWhenTheyAreCancelled(t *testing.T) {
	t.Parallel()
	silent := configtest.Scripted(t, upstreamtest.Script{
		Tools: []string{configtest.Tool("never", "Never answers."), configtest.Tool("_tool_gating", "Never answers.")}, Ignore: []string{"tools/call"},
	})
	starts := configtest.Scripted(t, upstreamtest.Script{Ignore: []string{"initialize"}})
	asks := configtest.Scripted(t, upstreamtest.Script{})
	asks.Args = []string{"${input:nobody-types}"}
	asked := make(chan struct{})
	defer close(asked)
	h := daemontest.Run(t, daemontest.Options{
		Workspace:    configtest.WorkspaceWith(t, configtest.Servers{"silent": silent, "starts": starts, "asks": asks}, nil),
		Capabilities: protocol.ClientCapabilities{Prompt: true, ClaimConfirm: true, OpenExternal: true},
		Answer: func(daemontest.Message) (any, *daemontest.Error) {
			<-asked
			return nil, &daemontest.Error{Message: "too late"}
		},
	})
	h.Initialize(nil)
	h.UntilState("silent", protocol.ServerReady)
	task := open(h).Task
	h.Notify(protocol.MethodDidChangeSettings, protocol.DidChangeSettingsParams{
		Settings: json.RawMessage(`{"gating":{"servers":["silent"],"timeoutMs":10000}}`),
	})
	params := map[string][]any{
		protocol.MethodServerWait: {
			protocol.ServerWaitParams{TimeoutMs: 3_600_000}, protocol.ServerWaitParams{Name: "starts", TimeoutMs: 3_600_000},
			protocol.ServerWaitParams{Name: "asks", TimeoutMs: 3_600_000},
		},
		protocol.MethodServerRestart: {protocol.ServerParams{Name: "starts"}, protocol.ServerParams{Name: "asks"}},
		protocol.MethodServerSignIn:  {protocol.ServerParams{Name: "silent"}, protocol.ServerParams{Name: "starts"}},
		protocol.MethodServerLog:     {protocol.ServerParams{Name: "starts"}},
		protocol.MethodTaskCall:      {protocol.TaskCallParams{Task: task, Name: "never", Arguments: json.RawMessage(`{}`)}},
		protocol.MethodConversationCall: {
			protocol.ConversationCallParams{Task: task, Name: "never", Arguments: json.RawMessage(`{}`)},
		},
		protocol.MethodTaskOpen:          {protocol.TaskOpenParams{Message: "asks _tool_gating"}},
		protocol.MethodTaskTurn:          {protocol.TaskTurnParams{Task: task, Message: "asks _tool_gating"}},
		protocol.MethodConversationRoute: {protocol.ConversationRouteParams{Conversation: "c", Message: "asks _tool_gating"}},
	}
	for _, m := range protocol.Methods() {
		if m.Direction != protocol.ToServer || m.Result == nil || m.Name == protocol.MethodInitialize || m.Name == protocol.MethodShutdown {
			continue
		}
		all := params[m.Name]
		if all == nil {
			all = []any{json.RawMessage(`{}`)}
		}
		for _, p := range all {
			request := h.Begin(m.Name, p)
			request.Cancel()
			// An answer that came before the cancel, a refusal: each is an end.
			if _, err := request.Await(); unanswered(err) {
				t.Errorf("%s %+v: %v", m.Name, p, err)
			}
		}
	}
}

// TestRequests_longTexts: a text of many megabytes is answered, whatever it is
// made of.
func TestRequests_longTexts(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(upstreamtest.Handler(upstreamtest.Script{}))
	t.Cleanup(server.Close)
	s := configtest.Servers{"s": configtest.Entry{URL: server.URL}}
	h := daemontest.Begin(t, map[string]any{"threshold": 0}, s, nil)
	task := open(h).Task
	for name, text := range map[string]string{
		"words":   strings.Repeat("word an other ", 1<<18),
		"no word": strings.Repeat("x", 4<<20),
		"signs":   strings.Repeat("\u0301.-", 1<<20),
	} {
		for _, request := range []struct {
			method string
			params any
		}{
			{protocol.MethodTaskOpen, protocol.TaskOpenParams{Message: text}},
			{protocol.MethodTaskTurn, protocol.TaskTurnParams{Task: task, Message: text}},
			{protocol.MethodConversationRoute, protocol.ConversationRouteParams{Conversation: name, Message: text}},
			{protocol.MethodCatalogSearch, protocol.CatalogSearchParams{Query: text}},
			{protocol.MethodTaskSearch, protocol.TaskSearchParams{Task: task, Query: text}},
			{protocol.MethodTaskLoad, protocol.TaskLoadParams{Task: task, Query: text}},
		} {
			_, err := h.Begin(request.method, request.params).Await()
			if unanswered(err) {
				t.Errorf("%s of %s: %v", request.method, name, err)
			}
		}
	}
}

// TestRequests_flood: a thousand calls at once are all answered, and other
// requests beside them.
func TestRequests_flood(t *testing.T) {
	t.Parallel()
	s := configtest.Servers{"scripted": configtest.Scripted(t, upstreamtest.Script{})}
	h := daemontest.Begin(t, nil, s, nil)
	task := open(h).Task
	const calls = 1000
	var asking sync.WaitGroup
	for i := range calls {
		asking.Go(func() {
			want := fmt.Sprintf(`{"text":"%d"}`, i)
			raw, err := h.Begin(protocol.MethodTaskCall, protocol.TaskCallParams{
				Task: task, Name: "echo", Arguments: json.RawMessage(want),
			}).Await()
			var r protocol.TaskCallResult
			if err == nil {
				err = json.Unmarshal(raw, &r)
			}
			if err != nil || enginetest.Text(r) != want {
				t.Errorf("call %d answered %s, %v", i, raw, err)
			}
		})
	}
	if list := h.Catalog(); len(list.Tools) != len(upstreamtest.StandardTools()) {
		t.Errorf("the catalogue has %d tools during the flood", len(list.Tools))
	}
	asking.Wait()
}

// TestRequests_badBytes: what a host hands over costs only what is at fault.
func TestRequests_badBytes(t *testing.T) {
	t.Parallel()
	h := daemontest.Begin(t, nil, nil, nil)
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	raw := fmt.Sprintf(`{"source":"host","tools":[{"server":"s","name":"good","inputSchema":{"type":"object"}},`+
		`{"server":"s","name":"cut","description":"cut \ud83d","inputSchema":{"type":"object","type":"object"}},`+
		`{"server":"s","name":5},{"server":"s","name":"deep","inputSchema":{"x":%s}},7]}`, deep)
	result := daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools, json.RawMessage(raw))
	if result.Count != 2 || len(result.Warnings) != 3 || !strings.Contains(strings.Join(result.Warnings, "\n"), `"deep"`) {
		t.Errorf("%+v", result)
	}
	a := daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen, json.RawMessage(`{"message":"cut \ud83d","source":"host"}`))
	if got := strings.Join(enginetest.Names(a), " "); got != "cut good" && got != "good cut" {
		t.Errorf("attached %q", got)
	}
}

// unanswered reports whether a call has ended without an answer: in time, or
// because the daemon is gone.
func unanswered(err error) bool {
	return errors.Is(err, daemontest.ErrNotAnswered) || errors.Is(err, daemontest.ErrEnded)
}
