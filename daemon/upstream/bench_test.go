package upstream

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// BenchmarkCall measures a call to a tool that does nothing, there and back
// over the pipes of a child.
func BenchmarkCall(b *testing.B) {
	command, args, env := upstreamtest.Program(b, upstreamtest.Script{})
	m := NewManager(Options{})
	defer func() {
		if err := m.Close(context.Background()); err != nil {
			b.Error(err)
		}
	}()
	if err := m.Apply(b.Context(), []Config{{Name: "s", Command: command, Args: args, Env: env}}); err != nil {
		b.Fatal(err)
	}
	request := CallRequest{Server: "s", Tool: "echo", Arguments: json.RawMessage(`{"text":"hello"}`)}
	if _, err := m.Call(b.Context(), request); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Call(b.Context(), request); err != nil {
			b.Fatal(err)
		}
	}
}
