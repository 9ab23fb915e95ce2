package router

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func section(name string, tokens int, children ...protocol.UsageSection) protocol.UsageSection {
	return protocol.UsageSection{Name: name, Tokens: tokens, Children: children}
}

// wantSums fails unless each section with children is their sum.
func wantSums(t *testing.T, sections []protocol.UsageSection) int {
	t.Helper()
	total := 0
	for _, s := range sections {
		total += s.Tokens
		if len(s.Children) > 0 {
			if sum := wantSums(t, s.Children); sum != s.Tokens {
				t.Errorf("%s is %d, its children are %d", s.Name, s.Tokens, sum)
			}
		}
	}
	return total
}

// TestView_TokenUsage: the total is the exact sum of the sections, the tools
// cost what the attachment says, and nothing that the host counted is lost.
func TestView_TokenUsage(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 100), numbered("longername", 200, 100)))
	task := v.Open(Opening{ID: "t", Message: words(0, 20) + words(200, 9), Model: protocol.ModelLimits{ContextTokens: 10_000}})
	task = v.Turn(task, words(40, 5))
	task = v.Turn(task, words(40, 5))
	a := v.Attachment(&task)
	tests := []struct {
		name string
		host []protocol.UsageSection
		want []protocol.UsageSection // the host's part of the answer
	}{
		{"none", nil, nil},
		{"plain", []protocol.UsageSection{section("system", 100), section("history", 50)},
			[]protocol.UsageSection{section("system", 100), section("history", 50)}},
		{"children that sum up", []protocol.UsageSection{section("history", 50, section("user", 20), section("assistant", 30))},
			[]protocol.UsageSection{section("history", 50, section("user", 20), section("assistant", 30))}},
		{"children without a sum", []protocol.UsageSection{section("history", 0, section("user", 20), section("assistant", 30))},
			[]protocol.UsageSection{section("history", 50, section("user", 20), section("assistant", 30))}},
		{"children that miss something", []protocol.UsageSection{section("history", 70, section("user", 20), section("assistant", 30))},
			[]protocol.UsageSection{section("history", 70, section("user", 20), section("assistant", 30), section("other", 20))}},
		{"children of children", []protocol.UsageSection{section("a", 0, section("b", 5, section("c", 1), section("d", 1)), section("e", 2))},
			[]protocol.UsageSection{section("a", 7, section("b", 5, section("c", 1), section("d", 1), section("other", 3)), section("e", 2))}},
	}
	for _, tt := range tests {
		given := string(marshal(tt.host))
		got := v.TokenUsage(&task, tt.host)
		if total := wantSums(t, got.Sections); total != got.Total {
			t.Errorf("%s: the total is %d, the sections are %d", tt.name, got.Total, total)
		}
		wantSame(t, tt.name, got.Sections[:len(tt.want)], append([]protocol.UsageSection{}, tt.want...))
		if string(marshal(tt.host)) != given {
			t.Errorf("%s: the host's sections were changed", tt.name)
		}
		host := 0
		for _, s := range tt.want {
			host += s.Tokens
		}
		if got.Total != host+a.Tokens.Attached || got.Unrouted != host+a.Tokens.All || got.Total+a.Tokens.Saved != got.Unrouted {
			t.Errorf("%s: total %d, unrouted %d, host %d, attachment %+v", tt.name, got.Total, got.Unrouted, host, a.Tokens)
		}
		if got.Free == nil || *got.Free != 10_000-got.Total {
			t.Errorf("%s: free %v", tt.name, got.Free)
		}
	}
	tools := v.TokenUsage(&task, nil).Sections[0]
	if tools.Name != "MCP tools" || len(tools.Children) != 2 || tools.Children[0].Name != "s" ||
		len(tools.Children[0].Children)+len(tools.Children[1].Children) != len(task.Attached) {
		t.Errorf("sections %+v", tools)
	}
}

// TestView_TokenUsageTurns tells how the attachment grew.
func TestView_TokenUsageTurns(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 200)))
	task := v.Open(Opening{ID: "t", Message: words(0, 40)})
	task = v.Turn(v.Turn(task, words(0, 5)), words(100, 6))
	got := v.TokenUsage(&task, nil)
	one := task.Attached[0].Tokens
	wantSame(t, "turns", got.Turns, []protocol.UsageTurn{
		{Turn: 1, Added: 30, Tokens: 30 * one}, {Turn: 2}, {Turn: 3, Added: 6, Tokens: 6 * one}})
	if got.Free != nil || got.ContextTokens != 0 {
		t.Errorf("an unknown window has %v free", got.Free)
	}
}

// TestView_TokenUsageUnrouted: with everything attached, routing saves and
// costs nothing.
func TestView_TokenUsageUnrouted(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 20)))
	task := v.Open(Opening{ID: "t", Message: "x"})
	got := v.TokenUsage(&task, []protocol.UsageSection{section("system", 7)})
	if got.Total != got.Unrouted || len(got.Sections) != 2 || got.Total != 7+v.Scope.Tokens {
		t.Errorf("%+v", got)
	}
	empty := viewOf(catalogOf())
	none := empty.Open(Opening{ID: "t", Message: "x"})
	if got := empty.TokenUsage(&none, nil); got.Total != 0 || len(got.Sections) != 1 {
		t.Errorf("%+v", got)
	}
}

// TestView_TokenUsageRandom: the sums hold for any tree of sections.
func TestView_TokenUsageRandom(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 60)))
	task := v.Open(Opening{ID: "t", Message: words(0, 3)})
	rng := rand.New(rand.NewPCG(1, 2))
	var tree func(depth int) []protocol.UsageSection
	tree = func(depth int) []protocol.UsageSection {
		var list []protocol.UsageSection
		for i := range rng.IntN(4) {
			s := section(fmt.Sprint(depth, i), rng.IntN(50))
			if depth > 0 {
				s.Children = tree(depth - 1)
			}
			list = append(list, s)
		}
		return list
	}
	for range 200 {
		got := v.TokenUsage(&task, tree(4))
		if total := wantSums(t, got.Sections); total != got.Total {
			t.Fatalf("the total is %d, the sections are %d", got.Total, total)
		}
	}
}
