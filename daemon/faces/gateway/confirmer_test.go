package gateway_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// writes makes each call one that the engine wants confirmed, and answer with
// what came of it.
func writes(f *fakeEngine, dispatched bool) {
	f.call = func(ctx context.Context, d router.Decision, c calls.Call) (*protocol.TaskCallResult, error) {
		if c.Confirm == nil {
			return calls.TextResult("nobody is to be asked", false), nil
		}
		answer, err := c.Confirm(ctx, calls.Decision{ID: d.ID, Arguments: c.Arguments, Dispatched: dispatched})
		if err != nil {
			return calls.TextResult(err.Error(), true), nil
		}
		if answer.Asked {
			return calls.TextResult("confirmed", false), nil
		}
		return calls.TextResult("not asked", false), nil
	}
}

// Whether the user is asked about a call that the engine wants confirmed: as the
// setting says, by what the client can be asked, and what the answer does.
func TestConfirmer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		when       protocol.ConfirmWrites
		dispatched bool
		plain      bool
		action     mcp.ElicitationResponseAction
		asked      int
		want       string
		of         map[string]protocol.ConfirmWrites
	}{
		{protocol.ConfirmDispatched, true, false, "", 1, "confirmed", nil},
		{protocol.ConfirmDispatched, false, false, "", 0, "not asked", nil},
		{protocol.ConfirmAlways, true, false, "", 1, "confirmed", nil},
		{protocol.ConfirmAlways, false, false, "", 1, "confirmed", nil},
		{protocol.ConfirmNever, true, false, "", 0, "nobody is to be asked", nil},
		{protocol.ConfirmAlways, true, true, "", 0, "nobody is to be asked", nil},
		{protocol.ConfirmAlways, true, false, mcp.ElicitationResponseActionDecline, 1, "declined", nil},
		{protocol.ConfirmAlways, true, false, mcp.ElicitationResponseActionCancel, 1, "nobody has answered", nil},
		{protocol.ConfirmAlways, true, false, "", 0, "not asked", map[string]protocol.ConfirmWrites{"std": protocol.ConfirmNever}},
		{protocol.ConfirmNever, false, false, "", 1, "confirmed", map[string]protocol.ConfirmWrites{"std": protocol.ConfirmAlways}},
		{protocol.ConfirmNever, true, false, "", 0, "not asked", map[string]protocol.ConfirmWrites{"other": protocol.ConfirmAlways}},
	} {
		f := allListed(t, "write")
		f.settings.Gateway.ConfirmWrites, f.settings.Gateway.ConfirmWritesFor = tt.when, tt.of
		writes(f, tt.dispatched)
		p := join(t, faceOf(t, f), "test", tt.plain)
		p.Action = tt.action
		text, r := callClient(t, p.Client, "write", map[string]any{"path": "of/mine"})
		asked := p.Questions()
		if len(asked) != tt.asked || !strings.Contains(text, tt.want) || r.IsError != (tt.action != "") || strings.Contains(text, "declined") != (tt.want == "declined") {
			t.Errorf("%+v: asked %q, got %s", tt, asked, text)
		}
		// What the model is told the person is told, too.
		if told := f.shown; (tt.want == "nobody has answered") != (len(told) == 1 && told[0].Setting == "winnow.gateway.confirmWrites" && strings.Contains(told[0].Next, "alwaysAllow") && strings.Contains(told[0].Next, "confirmWritesFor")) {
			t.Errorf("%+v: the person is told %+v", tt, told)
		}
		for _, question := range asked {
			for _, part := range []string{`"write"`, `"std"`, `"path": "of/mine"`} {
				if !strings.Contains(question, part) {
					t.Errorf("%s is not told in %s", part, question)
				}
			}
		}
	}
}

// Codex declines by itself where it asks nobody: the model is not told that it was the
// user, and the user what to set.
func TestConfirmer_declinedByTheClient(t *testing.T) {
	t.Parallel()
	f := allListed(t, "write")
	f.settings.Gateway.ConfirmWrites = protocol.ConfirmAlways
	writes(f, true)
	face := faceOf(t, f)
	for client, told := range map[string]bool{"codex-mcp-client": true, "test": false} {
		p := join(t, face, client, false)
		p.Action = mcp.ElicitationResponseActionDecline
		text, r := callClient(t, p.Client, "write", map[string]any{})
		if says := strings.Contains(text, "confirmWritesFor.std") && strings.Contains(text, "or by Codex itself"); !r.IsError || says != told || strings.Contains(text, "the user declined") == told {
			t.Errorf("%s: %s", client, text)
		}
	}
}

// A question that cannot be put is a call that is not made; and what it shows is
// bounded.
func TestConfirmer_question(t *testing.T) {
	t.Parallel()
	f := allListed(t, "write")
	f.settings.Gateway.ConfirmWrites = protocol.ConfirmAlways
	writes(f, true)
	face := faceOf(t, f)
	p := join(t, face, "test", false)
	callClient(t, p.Client, "write", map[string]any{"text": strings.Repeat("x", 9000)})
	if asked := p.Questions(); len(asked) != 1 || len(asked[0]) > 2200 || !strings.Contains(asked[0], "(2000 of 90") {
		t.Errorf("asked %.3000q, want one question that says that it is cut", asked)
	}
	// One that says that it can be asked, and closes its side.
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"hand","version":"1"}}}`
	raw := written(t, face, 2, hello, `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write"}}`)
	var answer struct{ Result mcp.CallToolResult }
	if err := json.Unmarshal([]byte(raw), &answer); err != nil || !answer.Result.IsError || !strings.Contains(raw, "could not be asked") {
		t.Errorf("got %s (%v), want a call that was not made", raw, err)
	}
}
