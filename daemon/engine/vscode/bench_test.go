package vscode_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/protocol"
)

// BenchmarkRoute measures a step of a turn, whose tools are those of the request
// before, from its JSON to its answer.
func BenchmarkRoute(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprintf("%d tools", n), func(b *testing.B) {
			h := enginetest.Start(b, enginetest.Options{}, map[string]any{"threshold": 1, "logLevel": "warn"})
			messages := asked("read note 3")
			for i := range 20 {
				id := fmt.Sprintf("c%d", i)
				messages = append(messages,
					protocol.MessageDigest{Role: "assistant", Parts: []protocol.MessagePart{{Kind: protocol.PartCall, CallID: id, Name: "read_file"}}},
					protocol.MessageDigest{Role: "user", Parts: []protocol.MessagePart{{Kind: protocol.PartResult, CallID: id, Content: []protocol.MessagePart{
						{Kind: protocol.PartText, Text: strings.Repeat("line\n", 100)},
					}}}})
			}
			raw := codec.Marshal(protocol.ConversationRouteParams{
				Conversation: "chat", Initiator: "github.copilot-chat", Source: listing, Messages: messages, Tools: codec.Marshal(handOver(h, n)),
			})
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				var p protocol.ConversationRouteParams
				if err := codec.Unmarshal(raw, &p); err != nil {
					b.Fatal(err)
				}
				enginetest.Call(h, h.ConversationRoute, p)
			}
		})
	}
}
