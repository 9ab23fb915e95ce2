package router

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// gatingServer is a server of three tools that wants to be asked.
func gatingServer(name string) ServerInput {
	s := serverOf(name, name+"_list", name+"_create", GatingName)
	s.Tools[0] = marshal(map[string]any{
		"name": name + "_list", "annotations": map[string]bool{"readOnlyHint": true},
		"inputSchema": map[string]any{"type": "object"},
	})
	return s
}

func says(server, verdicts string) GatingAnswer {
	return GatingAnswer{Server: server, Text: `{"verdicts":[` + verdicts + `]}`}
}

func exclude(tool string) string { return fmt.Sprintf(`{"tool":%q,"action":"exclude"}`, tool) }

func claim(tool string) string { return fmt.Sprintf(`{"tool":%q,"action":"claim"}`, tool) }

func TestGating_theToolIsNeverShown(t *testing.T) {
	t.Parallel()
	c := catalogOf(gatingServer("a"), serverOf("b", "x"))
	if len(c.Tools) != 3 || !c.Servers[0].OffersGating || c.Servers[1].OffersGating {
		t.Errorf("%d tools, %+v", len(c.Tools), c.Servers)
	}
	v := viewOf(c)
	task := v.Open(Opening{Message: "x"})
	if slices.Contains(attachedNames(&task), GatingName) {
		t.Error("it is attached")
	}
	if _, _, err := v.Call(task, GatingName); err == nil {
		t.Error("a model may call it")
	}
	if got := v.GatingServers(&task); !slices.Equal(got, []string{"a"}) {
		t.Errorf("%q are asked", got)
	}
	if got := viewOf(c, searchTurns(0)).GatingServers(&task); got != nil {
		t.Errorf("switched off, %q are asked", got)
	}
}

func TestGating_excludesForOneTurn(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(gatingServer("a"), serverOf("b", "x")))
	task := Task{}
	g := v.ReadGating(&task, []GatingAnswer{says("a", exclude("a_create"))})
	first := v.WithGating(g).Turn(task, "list them")
	wantNames(t, "the first turn", attachedNames(&first), []string{"a_list", "x"})
	if rule := v.whyNot(&first)(1); rule.Kind != protocol.CauseExcluded || rule.Key != GatingName {
		t.Errorf("explained by %q", rule)
	}
	second := v.Turn(first, "now create one")
	wantNames(t, "the second turn", attachedNames(&second), []string{"a_list", "x", "a_create"})
	if second.Gated != nil {
		t.Error("a verdict outlives its turn")
	}
}

func TestGating_excludesFromRankingAndFillToo(t *testing.T) {
	t.Parallel()
	server := numbered("srv", 0, 100)
	server.Tools = append(server.Tools, rawTool(GatingName, ""))
	v := viewOf(catalogOf(server))
	word := "srv_" + wordFor(7)
	g := v.ReadGating(&Task{}, []GatingAnswer{says("srv", exclude(word)+","+exclude("srv_"+wordFor(0)))})
	task := v.WithGating(g).Turn(Task{}, wordFor(7))
	for _, name := range []string{word, "srv_" + wordFor(0)} {
		if slices.Contains(attachedNames(&task), name) {
			t.Errorf("%s is attached", name)
		}
	}
	if len(task.Attached) != 30 {
		t.Errorf("%d tools", len(task.Attached))
	}
	// What the model asks for by name it gets.
	task, loaded := v.WithGating(g).Load(task, Request{Names: []string{word}})
	if len(loaded.Tools) != 1 || task.Has(ToolID{"srv", word}) < 0 {
		t.Errorf("%s", loaded.Text)
	}
}

// A server speaks for its own tools, and not against the user.
func TestGating_whatAServerMayNot(t *testing.T) {
	t.Parallel()
	mine, pinned := gatingServer("mine"), gatingServer("pinned")
	pinned.Policy.AlwaysLoadTools = []string{"pinned_create"}
	off := gatingServer("off")
	off.Policy.DisabledTools = []string{"off_list"}
	v := viewOf(catalogOf(mine, pinned, off, serverOf("bank", "transfer")))
	attached := v.Open(Opening{Message: "x", Called: []ToolID{{"mine", "mine_list"}}})
	for name, tc := range map[string]struct {
		task   Task
		answer GatingAnswer
		want   string
	}{
		"another's tool":       {Task{}, says("mine", exclude("transfer")), "no such tool"},
		"by path":              {Task{}, says("mine", exclude("bank/transfer")), "no such tool"},
		"by presented name":    {Task{}, says("mine", exclude("mcp__bank__transfer")), "no such tool"},
		"claims another's":     {Task{}, says("mine", claim("transfer")), "no such tool"},
		"a pinned tool":        {Task{}, says("pinned", exclude("pinned_create")), "pinned"},
		"an attached tool":     {attached, says("mine", exclude("mine_create")), "attached"},
		"a called tool":        {Task{Called: attached.Called}, says("mine", exclude("mine_list")), "called"},
		"claims out of scope":  {Task{}, says("off", claim("off_list")), "switched off in its server's entry"},
		"a claim of no object": {Task{}, says("mine", `{"tool":"mine_list","action":"claim","arguments":[1]}`), "no object"},
		"an unknown action":    {Task{}, says("mine", `{"tool":"mine_list","action":"include"}`), "no such action"},
	} {
		g := v.ReadGating(&tc.task, []GatingAnswer{tc.answer})
		if len(g.Verdicts) != 1 || !strings.Contains(g.Verdicts[0].Ignored, tc.want) || g.Claim != nil || len(g.excluded) != 0 {
			t.Errorf("%s: %+v", name, g)
		}
	}
	for _, text := range []string{"", "{", "null", "[]", `{"verdicts":7}`, `{"verdicts":[7]}`} {
		if g := v.ReadGating(&Task{}, []GatingAnswer{{Server: "mine", Text: text}}); len(g.Verdicts) != 0 {
			t.Errorf("%s: %+v", text, g.Verdicts)
		}
	}
}

func TestGating_claims(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(gatingServer("a"), gatingServer("b")))
	one := v.ReadGating(&Task{}, []GatingAnswer{says("a", claim("a_list")), says("b", exclude("b_list"))})
	if one.Claim == nil || one.Claim.Tool.ID != (ToolID{"a", "a_list"}) || string(one.Claim.Arguments) != "{}" {
		t.Fatalf("%+v", one.Claim)
	}
	two := v.ReadGating(&Task{}, []GatingAnswer{says("a", claim("a_list")), says("b", claim("b_list"))})
	if two.Claim != nil || len(two.Verdicts) != 2 {
		t.Fatalf("%+v", two)
	}
	for _, said := range two.Verdicts {
		if !strings.Contains(said.Ignored, "a/a_list, b/b_list") {
			t.Errorf("%+v", said)
		}
	}
}

// With nothing routed there is nothing to gate, also when a view was gated
// before it was switched off.
func TestGating_shadowAndOff(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(gatingServer("a")))
	g := v.ReadGating(&Task{}, []GatingAnswer{says("a", exclude("a_create"))})
	task := v.WithGating(g).Unrouted().Turn(Task{}, "x")
	if len(task.Attached) != 2 {
		t.Errorf("%q", attachedNames(&task))
	}
	if v.WithGating(nil) != v {
		t.Error("no gating makes another view")
	}
}
