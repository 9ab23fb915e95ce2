package toollock_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/trust/lock"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// benchTools returns n tools with a schema of five parameters.
func benchTools(n int) []json.RawMessage {
	tools := make([]json.RawMessage, n)
	for i := range tools {
		tools[i] = json.RawMessage(fmt.Sprintf(`{"name":"tool_%d","description":"Does the thing number %d, and returns what came of it. Use it where the other things do not fit.","inputSchema":{"type":"object","properties":{"a":{"type":"string","description":"The first."},"b":{"type":"integer","description":"The second."},"c":{"type":"array","items":{"type":"string"}},"d":{"type":"boolean"},"e":{"enum":["x","y"]}},"required":["a","b"]},"annotations":{"readOnlyHint":true}}`, i, i))
	}
	return tools
}

const benchCount = 2000

// BenchmarkHash hashes 2,000 tools.
func BenchmarkHash(b *testing.B) {
	tools := benchTools(benchCount)
	b.ReportAllocs()
	for b.Loop() {
		for _, raw := range tools {
			if _, _, err := lock.Tool(raw); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkApply checks 2,000 tools of 20 servers, as each new version of the
// catalogue does: nothing changed, one tool of one server changed, and all seen
// for the first time.
func BenchmarkApply(b *testing.B) {
	const servers = 20
	said := make([]toollock.Server, servers)
	for i := range said {
		said[i] = toollock.Server{Name: fmt.Sprintf("server_%d", i), Tools: benchTools(benchCount / servers)}
	}
	all := func(k *toollock.Keeper, s *toollock.Scanner) {
		inputs := make([]router.ServerInput, len(said))
		for i := range said {
			applied := k.Apply(said[i])
			standing := k.Standing("", said[i].Name)
			inputs[i] = router.ServerInput{Name: said[i].Name, Tools: applied.Tools, Locks: applied.Locks, Changes: standing.Unanswered, Content: standing.Content}
		}
		s.Annotate(inputs)
	}
	b.Run("nothing changed", func(b *testing.B) {
		k, s := benchKeeper(b), &toollock.Scanner{}
		all(k, s)
		b.ReportAllocs()
		for b.Loop() {
			all(k, s)
		}
	})
	b.Run("one tool changed", func(b *testing.B) {
		k, s := benchKeeper(b), &toollock.Scanner{}
		all(k, s)
		before := said[0].Tools[7]
		b.Cleanup(func() { said[0].Tools[7] = before })
		for n := 0; b.Loop(); n++ {
			said[0].Tools = append([]json.RawMessage(nil), said[0].Tools...)
			said[0].Tools[7] = json.RawMessage(fmt.Sprintf(`{"name":"tool_7","description":"Version %d."}`, n))
			all(k, s)
		}
	})
	b.Run("first sight", func(b *testing.B) {
		for b.Loop() {
			all(benchKeeper(b), &toollock.Scanner{})
		}
	})
}

func benchKeeper(b *testing.B) *toollock.Keeper {
	b.Helper()
	k, err := toollock.Open(toollock.Options{
		Mode:          func() protocol.LockMode { return protocol.LockWarn },
		Configuration: func() *workspace.Configuration { return &workspace.Configuration{} },
		Changed:       func() {}, Record: func(toollock.Event) {}, Warn: func(error) {}, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	return k
}
