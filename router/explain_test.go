package router

import (
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// TestView_Explain: the attached tools in their order, then the others by
// rank, then those that do not match, then those out of scope, by name; the
// parts of a score sum to it.
func TestView_Explain(t *testing.T) {
	t.Parallel()
	off := serverOf("off", "z_forbidden_zqbbb", "a_forbidden")
	off.Policy.Disabled = true
	v := viewOf(catalogOf(numbered("s", 0, 60), serverOf("plain", "beta", "alpha"), off), func(s *protocol.Settings) { s.InitialK = 2 }).
		WithUsage(Usage{ref("s", "s_"+wordFor(2)): 3})
	task := v.Open(Opening{ID: "t", Message: words(50, 2)})
	task = v.Turn(task, "common "+words(0, 3))
	got := v.Explain(&task)
	if len(got) != 64 {
		t.Fatalf("%d tools explained, the catalogue has 64", len(got))
	}
	n := len(task.Attached)
	var names []string
	for i, e := range got {
		names = append(names, e.Name)
		if e.Attached != (i < n) {
			t.Errorf("%d: %s attached %v", i, e.Name, e.Attached)
		}
		sum := 0.0
		for _, p := range e.Parts {
			sum += p.Value
		}
		if sum != e.Score || (e.Score > 0) != (e.Rank > 0) || (e.Rank > 0) != (len(e.Parts) > 0) || e.Parts == nil {
			t.Errorf("%s: rank %d, score %v, parts %v", e.Name, e.Rank, e.Score, e.Parts)
		}
		if e.Attached && (e.Turn == 0 || e.Reason == "" || keptOut(e) != "") || e.Tokens == 0 {
			t.Errorf("%+v", e)
		}
	}
	wantNames(t, "attached", names[:n], attachedNames(&task))
	wantNames(t, "out of scope", names[62:], []string{"a_forbidden", "z_forbidden_zqbbb"})
	rest := got[n:62]
	ranked := slices.IndexFunc(rest, func(e protocol.ExplainedTool) bool { return e.Rank == 0 })
	if ranked < 1 {
		t.Fatalf("%d unattached tools are ranked", ranked)
	}
	for i, e := range rest {
		switch {
		case i > 0 && i < ranked && e.Rank <= rest[i-1].Rank:
			t.Errorf("%s of rank %d comes behind rank %d", e.Name, e.Rank, rest[i-1].Rank)
		case i > ranked && (e.Rank != 0 || e.Name < rest[i-1].Name):
			t.Errorf("%s comes behind %s", e.Name, rest[i-1].Name)
		}
		if keptOut(e) == "" || e.Turn != 0 || e.Reason != "" {
			t.Errorf("%+v", e)
		}
	}
	used := got[task.Has(ref("s", "s_"+wordFor(2)))]
	if used.Rank != 1 || used.Parts[len(used.Parts)-1].Name != "recent use" || used.Parts[len(used.Parts)-1].Value != 1.5 {
		t.Errorf("the used tool: %+v", used)
	}
}

// TestView_ExplainWhyNot names what kept a tool out.
func TestView_ExplainWhyNot(t *testing.T) {
	t.Parallel()
	c := catalogOf(numbered("s", 0, 100))
	tests := []struct {
		name  string
		edits []func(*protocol.Settings)
		turns int
		want  string
	}{
		{"the first message", nil, 1, "not among the best winnow.initialK"},
		{"a later one", nil, 2, "not among the best winnow.searchK"},
		{"the window is over", nil, 8, "no message adds tools now (winnow.searchTurns); mcp_load attaches it"},
		{"no room", []func(*protocol.Settings){maxTools(31)}, 1, "winnow.maxTools or the model's own limit is reached"},
		{"top k", []func(*protocol.Settings){topKOf(15)}, 3, "not among the best winnow.topK"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := viewOf(c, tt.edits...)
			task := Task{ID: "t"}
			for range tt.turns {
				task = v.Turn(task, words(0, 1))
			}
			got := v.Explain(&task)
			if last := got[len(got)-1]; keptOut(last) != tt.want || last.Attached {
				t.Errorf("%s: %q, want %q", last.Name, keptOut(last), tt.want)
			}
		})
	}
	few := viewOf(catalogOf(numbered("s", 0, 10)))
	task := few.Open(Opening{ID: "t", Message: "x"})
	later := viewOf(catalogOf(numbered("s", 0, 11)))
	got := later.Explain(&task)
	if last := got[len(got)-1]; keptOut(last) != "it came after this turn began" {
		t.Errorf("a tool that came later: %q", keptOut(last))
	}
}

// TestView_ExplainTombstones: what is attached and cannot be called any more
// is explained with the reason.
func TestView_ExplainTombstones(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 60)))
	task := v.Open(Opening{ID: "t", Message: words(0, 30)})
	gone := viewOf(catalogOf(numbered("s", 1, 60))).Explain(&task)
	if keptOut(gone[0]) != "its server no longer offers it" || !gone[0].Attached || gone[0].Rank != 0 || gone[0].Parts == nil || keptOut(gone[1]) != "" {
		t.Errorf("%+v", gone[0])
	}
	off := numbered("s", 0, 60)
	off.Policy.DisabledTools = []string{"s_zqbbb"}
	if got := viewOf(catalogOf(off)).Explain(&task); keptOut(got[0]) != `disabledTools of server "s"` || !got[0].Attached {
		t.Errorf("%+v", got[0])
	}
}

// keptOut words what keeps a tool out; "" for nothing.
func keptOut(e protocol.ExplainedTool) string {
	if e.Cause == nil {
		return ""
	}
	return reasons.Text(*e.Cause)
}
