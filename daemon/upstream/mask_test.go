package upstream

import (
	"errors"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// TestMask_answers: a credential of digits makes no number invalid, so that a
// call that ran is not told as failed; what a list names can be asked for.
func TestMask_answers(t *testing.T) {
	t.Parallel()
	cfg := scriptedConfig(t, "s", upstreamtest.Script{Replies: map[string][]byte{
		"initialize":        []byte(`"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"prompts":{}},"serverInfo":{"name":"n","version":"1"}}`),
		"tools/call write":  []byte(`"result":{"content":[{"type":"text","text":"wrote 12345678"}],"structuredContent":{"id":12345678,"12345678":"12345678"}}`),
		"tools/call refuse": []byte(`"error":{"code":-32000,"message":"no 12345678","data":{"id":12345678,"why":"12345678"}}`),
		"resources/list":    []byte(`"result":{"resources":[{"uri":"db://12345678/a","name":"12345678","description":"of 12345678"}],"nextCursor":"12345678"}`),
		"prompts/list":      []byte(`"result":{"prompts":[{"name":"12345678","description":"of 12345678"}]}`),
	}})
	cfg.Env["ACCOUNT_TOKEN"] = "12345678"
	m := newTestManager(t, Options{})
	apply(t, m, cfg)
	waitState(t, m, "s", Ready)
	want := `{"content":[{"type":"text","text":"wrote [redacted]"}],"structuredContent":{"id":12345678,"[redacted]":"[redacted]"}}`
	if got := string(call(t, m, "s", "write", "").Raw); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_, err := tryCall(t, m, "s", "refuse", "")
	var refused *RPCError
	if !errors.As(err, &refused) || refused.Message != "no [redacted]" || string(refused.Data) != `{"id":12345678,"why":"[redacted]"}` {
		t.Errorf("got %v with %+v, want the strings masked", err, refused)
	}
	for method, want := range map[string]string{
		"resources/list": `{"resources":[{"uri":"db://12345678/a","name":"[redacted]","description":"of [redacted]"}],"nextCursor":"12345678"}`,
		"prompts/list":   `{"prompts":[{"name":"12345678","description":"of [redacted]"}]}`,
	} {
		if raw, err := m.Request(t.Context(), Request{Server: "s", Method: method}); err != nil || string(raw) != want {
			t.Errorf("%s: got %s, %v; want %s", method, raw, err, want)
		}
	}
}
