package display

import (
	"fmt"

	"github.com/winnow-mcp/winnow/protocol"
)

// ways estimates what each way to use Copilot's own models saves of the cost of servers'
// tools, by the average, before there is a message.
func (s *State) ways() *protocol.ModelWays {
	var own, all toolSum
	for i := range s.Catalog.Servers {
		server := &s.Catalog.Servers[i]
		all.tools += server.InScope
		all.tokens += server.ScopeTokens
		if server.State != protocol.ServerHost {
			own.tools += server.InScope
			own.tokens += server.ScopeTokens
		}
	}
	gateway := "Winnow runs none of your servers yet, so that it saves nothing: Import Servers… brings them. Sets winnow.gateway.inVSCode"
	if own.tools > 0 {
		gateway = fmt.Sprintf("A few tools stand for %s of the servers that Winnow runs: up to %s fewer in each request. Sets winnow.gateway.inVSCode",
			Count(own.tools, "tool"), inTokens(own.tokens))
	}
	fewer := s.fewer(all)
	return &protocol.ModelWays{
		Gateway:     gateway,
		Participant: "An agent of Winnow's, no setting: " + fewer,
		Routed:      "VS Code's agent: " + fewer + ". winnow.routedModels.copilot gives them routed models; Copilot counts each of its requests as one of yours",
	}
}

// fewer says how many tokens fewer a request with the chosen tools has.
func (s *State) fewer(all toolSum) string {
	switch {
	case all.tools == 0:
		return "the tools that fit the message; no server has told of its tools yet"
	case s.Off || all.tools <= max(s.Threshold, s.InitialK):
		return fmt.Sprintf("nothing fewer yet, for all of %s are attached", Count(all.tools, "tool"))
	}
	left := all.tokens - all.tokens*s.InitialK/all.tools
	return fmt.Sprintf("%s of %s, about %s of %s fewer in each request",
		Number(s.InitialK), Count(all.tools, "tool"), Tokens(left), inTokens(all.tokens))
}
