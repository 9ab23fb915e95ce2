package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// fixedEngine is a fake engine of which nothing changes: its view is made once, as
// the engine makes one for each version.
type fixedEngine struct {
	*fakeEngine

	view *router.View
}

// View implements [gateway.Tasks].
func (f fixedEngine) View(*tasks.Entry, *router.Task) (*router.View, error) { return f.view, nil }

// Call implements [gateway.Tasks]: it answers at once.
func (f fixedEngine) Call(context.Context, *tasks.Entry, calls.Call) (*protocol.TaskCallResult, error) {
	return calls.TextResult("", false), nil
}

// BenchmarkSharedCall measures what the gateway adds to a call of a client without
// a session: who it is, what it may see, and where the call goes.
func BenchmarkSharedCall(b *testing.B) {
	for _, count := range []int{250, 10_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			var servers []fakeServer
			for s := range 50 {
				names := make([]string, count/50)
				for i := range names {
					names[i] = fmt.Sprintf("do_%d_%d", s, i)
				}
				servers = append(servers, serverOf(fmt.Sprint("server", s), names...))
			}
			f := newEngine(b, servers...)
			v, err := f.View(nil, nil)
			if err != nil {
				b.Fatal(err)
			}
			face := newFace(fixedEngine{f, v})
			b.Cleanup(func() { _ = face.Close() })
			s := face.Open(mcpserver.Client{Shared: true, Notify: func(string, map[string]any) {}})
			if _, err := s.Call(b.Context(), mcpserver.Call{Name: router.SearchName}); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					answer, err := s.Call(b.Context(), mcpserver.Call{Name: router.SearchName, Arguments: json.RawMessage(`{}`)})
					if err != nil || answer.IsError {
						b.Errorf("got %+v, %v", answer, err)
					}
				}
			})
		})
	}
}
