package daemontest

import (
	"encoding/json"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// Begin runs a daemon in the test's process on servers that all become ready.
func Begin(t testing.TB, settings map[string]any, s configtest.Servers, m configtest.Modes) *Host {
	t.Helper()
	h := Run(t, Options{Workspace: configtest.WorkspaceWith(t, s, m)})
	h.Initialize(settings)
	h.UntilReady(s)
	return h
}

// Notes returns the params of the notifications of a method, oldest first.
func Notes[P any](h *Host, method string) []P {
	var all []P
	for _, n := range h.Notes() {
		if n.Method != method {
			continue
		}
		var p P
		if err := json.Unmarshal(n.Params, &p); err != nil {
			h.Fatalf("%s with params %s: %v", method, n.Params, err)
		}
		all = append(all, p)
	}
	return all
}

// Standard runs a server with the standard tools. A threshold of 1 causes routing.
func Standard(t testing.TB, settings map[string]any) (*Host, configtest.Servers) {
	s := configtest.Servers{"std": configtest.Scripted(t, upstreamtest.Script{})}
	all := map[string]any{"threshold": 1}
	for k, v := range settings {
		all[k] = v
	}
	h := Begin(t, all, s, nil)
	h.UntilReady(s)
	return h, s
}

// ApproveAll approves all that a server says, so that its read-only annotations are
// trusted.
func ApproveAll(h *Host, server string) {
	info, _ := h.Server(server)
	Call[protocol.LockDecideResult](h, protocol.MethodLockApprove, protocol.LockDecideParams{Server: server, Content: info.Content})
}
