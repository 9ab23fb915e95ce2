package router

import (
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestView_TopK chooses afresh for each message: what fits no more goes, what
// was loaded, called or pinned stays, and what stays keeps its place.
func TestView_TopK(t *testing.T) {
	t.Parallel()
	pinned := numbered("p", 300, 1)
	pinned.Policy.AlwaysLoad = true
	v := viewOf(catalogOf(numbered("s", 0, 200), pinned), topKOf(15))
	task := v.Open(Opening{ID: "t", Message: words(0, 40)})
	if counts := attachReasons(&task); counts[protocol.ReasonPinned] != 1 || counts[protocol.ReasonRanked] != 15 {
		t.Fatalf("first message: %v", counts)
	}
	first := attachedNames(&task)
	if first[0] != "p_"+wordFor(300) || !slices.IsSorted(first[1:]) {
		t.Errorf("order %q", first)
	}
	called := task.Attached[3]
	task = task.Call(called.ID)
	task, _ = v.Load(task, Request{Names: []string{"s_" + wordFor(150)}})
	task, _, err := v.Call(task, "s_"+wordFor(151))
	if err != nil {
		t.Fatal(err)
	}
	task = v.Turn(task, words(100, 40))
	wantNames(t, "what stays, in its place", attachedNames(&task)[:4],
		[]string{"p_" + wordFor(300), called.Name, "s_" + wordFor(150), "s_" + wordFor(151)})
	if len(task.Attached) != 4+15 {
		t.Errorf("%d tools, want 19", len(task.Attached))
	}
	for _, a := range task.Attached[4:] {
		if a.Turn != 2 || a.Reason != protocol.ReasonRanked {
			t.Errorf("%+v", a)
		}
	}
	if a := v.Attachment(&task); a.Frozen || a.Mode != protocol.AttachDynamic {
		t.Errorf("frozen %v, mode %s", a.Frozen, a.Mode)
	}
}

// TestView_TopKNeverFreezes: the twentieth message is ranked like the first.
func TestView_TopKNeverFreezes(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 400)), topKOf(3))
	task := Task{ID: "t"}
	for turn := range 20 {
		task = v.Turn(task, words(turn*10, 3))
		wantNames(t, "attached", attachedNames(&task), toolNames("s", turn*10, 3))
	}
}

// TestView_TopKSameMessage keeps the set and the generation.
func TestView_TopKSameMessage(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 100)), topKOf(15))
	task := v.Open(Opening{ID: "t", Message: words(0, 3)})
	if len(task.Attached) != 15 || attachReasons(&task)[protocol.ReasonFill] != 12 {
		t.Fatalf("attached %v", attachReasons(&task))
	}
	next := v.Turn(task, words(0, 3))
	wantNames(t, "attached", attachedNames(&next), attachedNames(&task))
	if next.Generation != task.Generation {
		t.Errorf("generation %d, was %d", next.Generation, task.Generation)
	}
}

// TestView_RecentUse: half a point for each use, which decides between equals
// and never hides a better match.
func TestView_RecentUse(t *testing.T) {
	t.Parallel()
	c := catalogOf(numbered("s", 0, 100))
	used := ref("s", "s_"+wordFor(77))
	plain := viewOf(c, topKOf(3))
	v := plain.WithUsage(Usage{used: 4})
	task := v.Open(Opening{ID: "t", Message: "common"})
	if task.Has(used) < 0 {
		t.Errorf("attached %q, want the used one among equals", attachedNames(&task))
	}
	if plain.Usage != nil {
		t.Error("WithUsage changed the view it was given")
	}
	score := func(v *View) float64 {
		task := v.Open(Opening{ID: "t", Message: "common"})
		for _, e := range v.Explain(&task) {
			if e.Tool == used.Tool {
				return e.Score
			}
		}
		return 0
	}
	if bonus := score(v) - score(plain); bonus != 2 {
		t.Errorf("4 uses add %v, want 2", bonus)
	}
}

// TestView_KeywordFloor: the floor of 100 is the user's to give. A server that
// asks for it in its own definition gets none.
func TestView_KeywordFloor(t *testing.T) {
	t.Parallel()
	asking := ServerInput{Name: "asks", Tools: nil}
	asking.Tools = append(asking.Tools, marshal(map[string]any{
		"name": "greedy", "_meta": map[string]any{"anthropic/alwaysLoad": true}}))
	pinned := serverOf("mine", "wanted")
	pinned.Policy.AlwaysLoadTools = []string{"wanted"}
	v := viewOf(catalogOf(numbered("s", 0, 100), asking, pinned, serverOf("chosen", "choice")), topKOf(15),
		func(s *protocol.Settings) { s.Ranker = protocol.RankerKeyword })
	task := v.Open(Opening{ID: "t", Message: "common thing", Choices: protocol.TaskChoices{Pinned: refs("chosen", "choice")}})
	scores := map[string]float64{}
	for _, e := range v.Explain(&task) {
		scores[e.Tool] = e.Score
	}
	if scores["wanted"] != 100 || scores["choice"] != 100 || scores["greedy"] != 0 || scores["s_zqbbb"] != 20 {
		t.Errorf("scores: the user's %v and %v, the server's own %v, an unpinned match %v; want 100, 100, 0 and 20",
			scores["wanted"], scores["choice"], scores["greedy"], scores["s_zqbbb"])
	}
	if v.RankerName() != "keyword" {
		t.Errorf("ranker %q", v.RankerName())
	}
}
