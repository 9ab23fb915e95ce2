package daemon_test

import (
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestModes_aChangeIsTold: the host hears at once that the lists of a mode
// changed, for its own servers and ours: other tools are in scope.
func TestModes_aChangeIsTold(t *testing.T) {
	t.Parallel()
	h := begin(t, nil, servers{"s": scripted(t, upstreamtest.Script{})}, modes{"review": {BlockedMcpServers: []string{"s"}}})
	daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools, protocol.SetHostToolsParams{
		Source: "vscode", Tools: []protocol.HostTool{{Server: "theirs", Name: "x"}},
	})
	before := len(told[protocol.CatalogDidChangeParams](h, protocol.MethodCatalogDidChange))
	daemontest.Call[protocol.EditResult](h, protocol.MethodModeSetServerBlocked,
		protocol.ModeSetServerBlockedParams{Mode: "review", Server: "s", Blocked: false})
	after := told[protocol.CatalogDidChangeParams](h, protocol.MethodCatalogDidChange)[before:]
	for source, server := range map[string]string{"": "s", "vscode": "theirs"} {
		if !slices.ContainsFunc(after, func(p protocol.CatalogDidChangeParams) bool {
			return p.Source == source && slices.Contains(p.Servers, server)
		}) {
			t.Errorf("nothing is said of %s of %q: %+v", server, source, after)
		}
	}
}
