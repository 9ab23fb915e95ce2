package router

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/tokens"
)

func benchmarkCounter(b *testing.B) func(string) int {
	b.Helper()
	counter := tokens.New()
	return counter.Count
}

// BenchmarkCatalogBuild measures a catalogue built from nothing, and the next
// version when one server of 50 tools changed, both with every token counted.
func BenchmarkCatalogBuild(b *testing.B) {
	count := benchmarkCounter(b)
	for _, n := range []int{100, 1_000, 10_000} {
		servers := syntheticServers(n)
		b.Run(fmt.Sprintf("%d/cold", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				BuildCatalog(CatalogInput{Servers: servers, Count: count}, nil)
			}
		})
		b.Run(fmt.Sprintf("%d/50changed", n), func(b *testing.B) {
			prev := BuildCatalog(CatalogInput{Servers: servers, Count: count}, nil)
			changed := append([]ServerInput(nil), servers...)
			changed[0] = ServerInput{Name: changed[0].Name, Tools: syntheticServers(n + 1)[0].Tools}
			b.ReportAllocs()
			for b.Loop() {
				BuildCatalog(CatalogInput{Servers: changed, Count: count}, prev)
			}
		})
	}
}

// benchmarkView is a view of 1,000 tools whose index is built.
func benchmarkView(b *testing.B) (*View, []string) {
	b.Helper()
	settings := protocol.DefaultSettings()
	c := BuildCatalog(CatalogInput{Servers: syntheticServers(1_000), Count: bytesCount}, nil)
	v := NewView(c, &settings, nil)
	messages := syntheticMessages(64)
	v.Open(Opening{ID: "warm", Message: messages[0]})
	return v, messages
}

// BenchmarkOpen measures the first message of a task: scope, rank, attach 30.
func BenchmarkOpen(b *testing.B) {
	b.Run("1000", func(b *testing.B) {
		v, messages := benchmarkView(b)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			v.Open(Opening{ID: "t", Message: messages[i%len(messages)]})
		}
	})
}

// BenchmarkTurn measures a later message of a task: rank, unite 10.
func BenchmarkTurn(b *testing.B) {
	for _, strategy := range []protocol.Strategy{protocol.StrategyWindow, protocol.StrategyTopK} {
		b.Run("1000/"+string(strategy), func(b *testing.B) {
			v, messages := benchmarkView(b)
			v.Settings.Strategy = strategy
			task := v.Open(Opening{ID: "t", Message: messages[0]})
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				v.Turn(task, messages[i%len(messages)])
			}
		})
	}
}

// BenchmarkAttachment measures what a host is answered.
func BenchmarkAttachment(b *testing.B) {
	v, messages := benchmarkView(b)
	task := v.Open(Opening{ID: "t", Message: messages[0]})
	for _, m := range messages[1:7] {
		task = v.Turn(task, m)
	}
	b.ReportAllocs()
	for b.Loop() {
		v.Attachment(&task)
	}
}

// BenchmarkExplain measures the explanation of a task whose messages are long, and
// say little: of 1,000 tools of Winnow's own servers, of a host's, and in the profile
// for small models.
func BenchmarkExplain(b *testing.B) {
	for name, in := range map[string]struct {
		catalog CatalogInput
		profile protocol.Profile
	}{
		"own":   {CatalogInput{}, protocol.ProfileStandard},
		"host":  {CatalogInput{Verbatim: true}, protocol.ProfileStandard},
		"small": {CatalogInput{}, protocol.ProfileSmall},
	} {
		b.Run(name, func(b *testing.B) {
			settings := protocol.DefaultSettings()
			settings.Profile = in.profile
			in.catalog.Servers, in.catalog.Count = syntheticServers(1_000), benchmarkCounter(b)
			v, messages := NewView(BuildCatalog(in.catalog, nil), &settings, nil), syntheticMessages(1)
			task := v.Open(Opening{ID: "t", Message: messages[0]})
			for range maxEarlier {
				task = v.Turn(task, strings.Repeat("and so on ", 100))
			}
			b.ReportAllocs()
			for b.Loop() {
				v.Explain(&task)
			}
		})
	}
}

// BenchmarkLoad measures mcp_load by query.
func BenchmarkLoad(b *testing.B) {
	v, messages := benchmarkView(b)
	task := v.Open(Opening{ID: "t", Message: messages[0]})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		v.Load(task, Request{Query: messages[i%len(messages)]})
	}
}

// BenchmarkCall measures a call of an attached tool by a name that a model
// mangled, the dearest that a call comes.
func BenchmarkCall(b *testing.B) {
	v, messages := benchmarkView(b)
	task := v.Open(Opening{ID: "t", Message: messages[0]})
	name := "functions.mcp__" + task.Attached[0].ID.Server + "__" + task.Attached[0].Name
	if _, d, err := v.Call(task, name); err != nil || d.ID != task.Attached[0].ID {
		b.Fatal(d, err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := v.Call(task, name); err != nil {
			b.Fatal(err)
		}
	}
}
