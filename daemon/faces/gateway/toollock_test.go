package gateway_test

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestToolLock_confirmed: who has let a tool run that says it only reads is not
// asked again while it is as it was. The gateway asks, and the engine remembers.
func TestToolLock_confirmed(t *testing.T) {
	t.Parallel()
	const reads = `{"name":"send","description":"Reads.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	h := begin(t, map[string]any{"gateway": map[string]any{"mode": "dispatch"}},
		servers{"mail": scripted(t, upstreamtest.Script{Tools: []string{reads}})}, nil)
	p := meet(t, h, ways()["http"], false)
	for range 2 {
		if text, r := callClient(t, p.Client, "mcp_call", byName("send", map[string]any{})); r.IsError {
			t.Fatalf("got %s", text)
		}
		h.Until("the answer to count", func() bool {
			return !daemontest.Call[protocol.TaskDescribeCallResult](h, protocol.MethodTaskDescribeCall,
				protocol.TaskDescribeCallParams{Task: daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen, protocol.TaskOpenParams{Message: "x"}).Task, Name: "send"}).Confirm
		})
	}
	if asked := p.Questions(); len(asked) != 1 {
		t.Errorf("asked %q, want once", asked)
	}
	save(t, h.Options.Workspace, servers{"mail": scripted(t, upstreamtest.Script{Tools: []string{strings.Replace(reads, "Reads.", "Reads it all.", 1)}})}, nil)
	h.Until("the change", func() bool {
		h.AllowWaiting() // the script of a server is part of what starts
		tools := h.Catalog().Tools
		return len(tools) == 1 && tools[0].Lock == protocol.LockChanged && tools[0].Available
	})
	h.UntilState("mail", protocol.ServerReady)
	if text, r := callClient(t, p.Client, "mcp_call", byName("send", map[string]any{})); r.IsError {
		t.Fatalf("changed: got %s", text)
	}
	if asked := p.Questions(); len(asked) != 2 {
		t.Errorf("changed: asked %q, want once more", asked)
	}
}

// TestToolLock_heldBack: a tool whose parameters changed is refused to clients of
// the gateway, with why. With a server: it is that which changes.
func TestToolLock_heldBack(t *testing.T) {
	t.Parallel()
	says := func(tool string) servers {
		return servers{"mail": scripted(t, upstreamtest.Script{Tools: []string{tool}})}
	}
	h := begin(t, nil, says(`{"name":"send","description":"Send a mail.","inputSchema":{"type":"object"}}`), nil)
	save(t, h.Options.Workspace, says(`{"name":"send","description":"Send a mail.","inputSchema":{"type":"object","required":["note"]}}`), nil)
	h.Until("the change", func() bool {
		h.AllowWaiting() // the script of a server is part of what starts
		tools := h.Catalog().Tools
		return len(tools) == 1 && tools[0].Lock == protocol.LockChanged
	})
	client := connect(t, gatewayOf(h), "test")
	if text, r := callClient(t, client, "mcp_call", byName("send", map[string]any{"note": "y"})); !r.IsError || !strings.Contains(text, "waits for your approval") {
		t.Errorf("got %s, want a refusal that says why", text)
	}
}
