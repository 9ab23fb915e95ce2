package wire

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
)

func maskerOf(cfg clean.Settings) *clean.Redactor {
	r := &clean.Redactor{}
	r.Absorb(cfg)
	return r
}

// TestMask_notices: an update of a resource keeps its URI, by which it is known.
func TestMask_notices(t *testing.T) {
	t.Parallel()
	c := newMCPConn("s", &clean.Ring{}, maskerOf(clean.Settings{Env: map[string]string{"TOKEN": "12345678"}}))
	t.Cleanup(func() { c.cancel() })
	for method, want := range map[string]string{
		mcp.MethodNotificationResourceUpdated: `{"uri":"db://12345678/a"}`,
		string(mcp.MethodNotificationMessage): `{"uri":"db://[redacted]/a"}`,
	} {
		c.notices.announce(method, map[string]any{"uri": "db://12345678/a"})
		if got := <-c.notices.announced; string(got.Params) != want {
			t.Errorf("%s: got %s, want %s", method, got.Params, want)
		}
	}
}

// TestMask_questions: what a server asks the user, or the client's model, holds
// no credential of its own. The names of a form's properties stay, since the
// answer is given by them.
func TestMask_questions(t *testing.T) {
	t.Parallel()
	c := newMCPConn("s", &clean.Ring{}, maskerOf(clean.Settings{Env: map[string]string{"TOKEN": "top-secret-value"}}))
	t.Cleanup(func() { c.cancel() })
	asked := ""
	ctx := context.WithValue(t.Context(), callerKey{}, decliningCaller(&asked))
	for method, params := range map[mcp.MCPMethod]string{
		mcp.MethodElicitationCreate:     `{"message":"Send top-secret-value to whom?","requestedSchema":{"type":"object","properties":{"to":{"type":"string","description":"of top-secret-value"}}}}`,
		mcp.MethodSamplingCreateMessage: `{"messages":[{"role":"user","content":{"type":"text","text":"Encode top-secret-value"}}],"systemPrompt":"It is top-secret-value","maxTokens":9}`,
	} {
		asked = ""
		if _, err := c.callers.ask(ctx, method, json.RawMessage(params)); err != nil {
			t.Errorf("%s: %v", method, err)
		}
		if want := strings.ReplaceAll(params, "top-secret-value", "[redacted]"); asked != want {
			t.Errorf("%s: the client was asked %s, want %s", method, asked, want)
		}
	}
}
