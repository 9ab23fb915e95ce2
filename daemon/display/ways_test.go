package display

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// What a way to Copilot's models saves is computed from the servers that there are,
// and each names the setting that it goes by.
func TestWays(t *testing.T) {
	t.Parallel()
	own := protocol.ServerInfo{Name: "a", State: protocol.ServerReady, Tools: 50, Tokens: 9000, InScope: 40, ScopeTokens: 8000}
	host := protocol.ServerInfo{Name: "b", State: protocol.ServerHost, Tools: 60, Tokens: 12_000, InScope: 60, ScopeTokens: 12_000}
	ways := func(off bool, servers ...protocol.ServerInfo) protocol.ModelWays {
		s := &State{Off: off, Threshold: 50, InitialK: 30}
		for _, server := range servers {
			s.Catalog.Servers = append(s.Catalog.Servers, protocol.ServerRow{ServerInfo: server})
		}
		return *Status(s).Ways
	}
	for _, c := range []struct {
		name                         string
		ways                         protocol.ModelWays
		gateway, participant, routed string
	}{
		{
			"own and host's", ways(false, own, host),
			"A few tools stand for 40 tools of the servers that Winnow runs: up to 8k tokens fewer in each request.",
			"30 of 100 tools, about 14k of 20k tokens fewer in each request", "30 of 100 tools, about 14k of 20k tokens fewer",
		},
		{
			"host's only", ways(false, host),
			"Winnow runs none of your servers yet", "30 of 60 tools, about 6k of 12k tokens fewer", "about 6k of 12k tokens fewer",
		},
		{"few", ways(false, own), "up to 8k tokens fewer", "nothing fewer yet, for all of 40 tools are attached", "nothing fewer yet"},
		{"off", ways(true, own, host), "up to 8k tokens fewer", "nothing fewer yet, for all of 100 tools are attached", "nothing fewer yet"},
		{"none known", ways(false), "Winnow runs none of your servers yet", "no server has told of its tools yet", "no server has told"},
	} {
		if !strings.Contains(c.ways.Gateway, c.gateway) || !strings.HasSuffix(c.ways.Gateway, "Sets winnow.gateway.inVSCode") {
			t.Errorf("%s: the gateway: %q, want %q", c.name, c.ways.Gateway, c.gateway)
		}
		if !strings.Contains(c.ways.Participant, c.participant) {
			t.Errorf("%s: the participant: %q, want %q", c.name, c.ways.Participant, c.participant)
		}
		if !strings.Contains(c.ways.Routed, c.routed) || !strings.Contains(c.ways.Routed, "winnow.routedModels.copilot gives them routed models") {
			t.Errorf("%s: routed: %q, want %q", c.name, c.ways.Routed, c.routed)
		}
	}
}
