package gateway_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// Which calls may write is the engine's to say, by what servers say of their tools
// and whether a person vouches for it; the question is the gateway's. So this goes
// through both, over both transports. See TestConfirmer for what the setting and
// the answer do.
func TestConfirm(t *testing.T) {
	t.Parallel()
	reads := `{"name":"echo","description":"Reads.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`
	file := filepath.Join(t.TempDir(), "received")
	s := servers{"std": scripted(t, upstreamtest.Script{Tools: []string{reads, tool("write", "Writes.")}, ReceivedFile: file})}
	for _, tc := range []struct {
		mode, when string
		direct     bool
		// of is what is said of the server alone.
		of map[string]any
		// asked is how often the user is, for a call that reads and one that
		// may write.
		asked int
	}{
		{"dispatch", "dispatched", false, nil, 1},
		{"all", "dispatched", true, nil, 0},
		{"all", "always", true, nil, 1},
		{"dispatch", "always", false, map[string]any{"std": "never"}, 0},
	} {
		t.Run(fmt.Sprint(tc.mode, " ", tc.when, tc.of), func(t *testing.T) {
			perWay(t, func(t *testing.T, by gatewaytest.Way) {
				h := begin(t, map[string]any{"gateway": map[string]any{"mode": tc.mode, "confirmWrites": tc.when, "confirmWritesFor": tc.of}}, s, nil)
				h.UntilReady(s)
				approveAll(h, "std")
				p, plain := meet(t, h, by, false), meet(t, h, by, true)
				call := func(c *gatewaytest.Person, name string) (string, *mcp.CallToolResult) {
					arguments := map[string]any{"path": "of/mine"}
					if tc.direct {
						return callClient(t, c.Client, name, arguments)
					}
					return callClient(t, c.Client, "mcp_call", byName(name, arguments))
				}
				for _, name := range []string{"echo", "write"} {
					if text, r := call(p, name); r.IsError {
						t.Errorf("%s: %s", name, text)
					}
					if text, r := call(plain, name); r.IsError {
						t.Errorf("%s by a client that cannot ask: %s", name, text)
					}
				}
				asked := p.Questions()
				if len(asked) != tc.asked {
					t.Fatalf("the user was asked %q, want %d questions", asked, tc.asked)
				}
				if tc.asked == 0 {
					return
				}
				for _, part := range []string{`"write"`, `"std"`, `"path": "of/mine"`} {
					if !strings.Contains(asked[0], part) {
						t.Errorf("%s is not told in %s", part, asked[0])
					}
				}
				for action, want := range map[mcp.ElicitationResponseAction]string{
					mcp.ElicitationResponseActionDecline: "declined", mcp.ElicitationResponseActionCancel: "nobody has answered",
				} {
					p.Action = action
					before := received(t, file)
					if text, r := call(p, "write"); !r.IsError || !strings.Contains(text, want) {
						t.Errorf("%s: %s", action, text)
					}
					if received(t, file) < before {
						t.Error("calls are lost")
					}
				}
			})
		})
	}
}

// A declined call does not reach its server: there is one.
func TestConfirm_declinedIsNotMade(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "received")
	s := servers{"std": scripted(t, upstreamtest.Script{Tools: []string{tool("write", "Writes.")}, ReceivedFile: file})}
	h := begin(t, map[string]any{"gateway": map[string]any{"mode": "dispatch"}}, s, nil)
	h.UntilReady(s)
	p := meet(t, h, ways()["http"], false)
	p.Action = mcp.ElicitationResponseActionDecline
	if text, r := callClient(t, p.Client, "mcp_call", byName("write", nil)); !r.IsError || !strings.Contains(text, "declined") {
		t.Errorf("%s", text)
	}
	if n := received(t, file); n != 0 {
		t.Errorf("%d calls reached the server", n)
	}
}

// Whoever chooses so with a yes is not asked about that tool again, in any session;
// about others they are.
func TestConfirm_always(t *testing.T) {
	t.Parallel()
	s := servers{"std": scripted(t, upstreamtest.Script{Tools: []string{tool("write", "Writes."), tool("send", "Sends.")}})}
	h := begin(t, map[string]any{"gateway": map[string]any{"mode": "dispatch"}}, s, nil)
	h.UntilReady(s)
	approveAll(h, "std")
	way := gatewaytest.Ways()["http"]
	first, second := meet(t, h, way, false), meet(t, h, way, false)
	first.Content, second.Content = map[string]any{"ask": "never for this tool"}, map[string]any{}
	for _, step := range []struct {
		p    *gatewaytest.Person
		tool string
		// asked is how many questions the person has had after it.
		asked int
	}{{second, "write", 1}, {second, "write", 2}, {first, "write", 1}, {first, "write", 1}, {second, "write", 2}, {second, "send", 3}} {
		if text, r := callClient(t, step.p.Client, "mcp_call", byName(step.tool, map[string]any{})); r.IsError {
			t.Errorf("%s: %s", step.tool, text)
		}
		if asked := step.p.Questions(); len(asked) != step.asked {
			t.Errorf("%s: asked %q, want %d questions", step.tool, asked, step.asked)
		}
	}
}
