package daemon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/protocol"
)

// BenchmarkConversationRoute measures a request of a long chat with a thousand
// tools, the continuation of a turn, from the call to the decoded answer.
func BenchmarkConversationRoute(b *testing.B) {
	var history []string
	for i := range 100 {
		history = append(history, fmt.Sprintf("a%d t%d", i, i))
	}
	for _, kind := range []string{"with the state", "without"} {
		b.Run(kind, func(b *testing.B) {
			h := daemontest.Start(b, winnowd(b), daemontest.Options{Storage: b.TempDir()})
			h.Initialize(nil)
			daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools,
				protocol.SetHostToolsParams{Source: "host", Tools: enginetest.RealisticTools(benchTools)})
			all := enginetest.Digests("s u1 " + strings.Join(history, " "))
			p := protocol.ConversationRouteParams{Conversation: "chat", Messages: all, Message: benchMessages()[0], Source: "host"}
			p.WantState = kind == "with the state"
			daemontest.Call[protocol.ConversationRouteResult](h, protocol.MethodConversationRoute, p)
			timed(b, func(int) {
				p.Messages = append(p.Messages, enginetest.Digests("a t")...)
				daemontest.Call[protocol.ConversationRouteResult](h, protocol.MethodConversationRoute, p)
			})
		})
	}
}
