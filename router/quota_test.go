package router

import (
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestView_Quota: why names the setting by which the latest message attached
// what it did, also where the first that is routed or that says what it is about
// is not the first of all.
func TestView_Quota(t *testing.T) {
	t.Parallel()
	ranked := func(v *View, task *Task) string {
		for _, e := range v.Explain(task) {
			if e.Cause != nil && e.Cause.Kind == protocol.CauseRank {
				return e.Cause.Key
			}
		}
		return ""
	}
	few := func(s *protocol.Settings) { s.InitialK, s.SearchK, s.Named = 3, 2, 0 }
	v := subjectView(few)
	opened := v.Open(Opening{ID: "t", Message: words(0, 9)})
	vague := v.Open(Opening{ID: "t", Message: "hi"})
	none := subjectView(few, func(s *protocol.Settings) { s.InitialK = 0 })
	empty := none.Open(Opening{ID: "t", Message: words(0, 9)})
	warm := empty
	warm.Warm = true
	topK := subjectView(few, topKOf(4))
	small := viewOf(catalogOf(numbered("s", 0, 9)), few)
	all := small.Open(Opening{ID: "t", Message: words(0, 9)})
	tests := []struct {
		name string
		task Task
		want string
		more int // attached
	}{
		{"the first, which attaches none", empty, "winnow.initialK", 0},
		{"the one after that", none.Turn(empty, words(20, 9)), "winnow.searchK", 2},
		{"a fresh top k while the conversation is cached", topK.Turn(warm, words(20, 9)), "winnow.topK", 4},
		{"the first message", opened, "winnow.initialK", 3},
		{"the next", v.Turn(opened, words(20, 9)), "winnow.searchK", 5},
		{"the first that says what it is about", v.Turn(vague, words(0, 9)), "winnow.initialK", 3},
		{"the one after that", v.Turn(v.Turn(vague, words(0, 9)), words(20, 9)), "winnow.searchK", 5},
		{"the first that is routed", v.Turn(all, words(20, 9)), "winnow.initialK", 12},
	}
	for _, tt := range tests {
		if got := ranked(v, &tt.task); got != tt.want || len(tt.task.Attached) != tt.more {
			t.Errorf("%s: by %q, %d attached; want by %q, %d", tt.name, got, len(tt.task.Attached), tt.want, tt.more)
		}
	}
}

// TestView_VagueTakesNoTurn: messages before the first that says what it is about
// use up none of the turns in which tools are searched for.
func TestView_VagueTakesNoTurn(t *testing.T) {
	t.Parallel()
	v := subjectView(searchTurns(2), func(s *protocol.Settings) { s.InitialK, s.SearchK = 3, 2 })
	task := v.Open(Opening{ID: "t", Message: "hi"})
	for range 4 {
		task = v.Turn(task, "and now?")
	}
	for n, want := range []int{3, 5, 5} {
		if task = v.Turn(task, words(10*n, 5)); len(task.Attached) != want || v.Frozen(&task) != (n == 2) {
			t.Errorf("message %d that says what it is about: %d attached, frozen %v; want %d, %v",
				n+1, len(task.Attached), v.Frozen(&task), want, n == 2)
		}
	}
	compacted := v.Compact(task, "")
	if got := attachedNames(&compacted); len(got) != 3 || !slices.Contains(got, "s_"+wordFor(20)) {
		t.Errorf("after a compaction %q, want the 3 best for the latest message", got)
	}
}

// TestView_WindowStaysFrozen: once the window is over no message thaws it, however
// many say nothing: more of them than messages are kept.
func TestView_WindowStaysFrozen(t *testing.T) {
	t.Parallel()
	v := subjectView()
	task := v.Open(Opening{ID: "t", Message: words(0, 40)})
	for n := 2; n <= 3*maxEarlier; n++ {
		task = v.Turn(task, "continue")
		if want := n > v.Settings.SearchTurns; v.Frozen(&task) != want {
			t.Errorf("message %d: frozen %v, want %v", n, !want, want)
		}
	}
	task = roundTrip(t, &task)
	before := attachedNames(&task)
	task = v.Turn(task, words(60, 20))
	wantNames(t, "after the window, a message that says what it is about", attachedNames(&task), before)
}

// TestView_CompactedSubject: a compaction chooses by the latest message that says
// something, so the next such message is not the first of the new window.
func TestView_CompactedSubject(t *testing.T) {
	t.Parallel()
	v := subjectView(func(s *protocol.Settings) { s.InitialK, s.SearchK = 3, 2 })
	task := v.Turn(v.Open(Opening{ID: "t", Message: words(0, 9)}), "continue")
	task = v.Compact(task, "continue")
	if task = v.Turn(task, words(20, 9)); len(task.Attached) != 5 {
		t.Errorf("%d tools after a compaction and a message, want 3 and 2", len(task.Attached))
	}
}

// TestView_RankedText: the text whose vector is fetched is the one that is ranked.
func TestView_RankedText(t *testing.T) {
	t.Parallel()
	v := subjectView()
	long := words(0, 50)
	for len(long) <= maxMessage {
		long += long
	}
	task := v.Open(Opening{ID: "t", Message: words(0, 3)})
	tests := []struct {
		name, got string
		next      Task
	}{
		{"a message", v.TurnText(task, words(5, 3)), v.Turn(task, words(5, 3))},
		{"a long one", v.TurnText(task, long), v.Turn(task, long)},
		{"one that does not say what it is about", v.TurnText(task, "and now?"), v.Turn(task, "and now?")},
		{"the first of all, which does not", v.TurnText(Task{}, "hi"), v.Turn(Task{}, "hi")},
		{"a compaction", v.CompactText(task, ""), v.Compact(task, "")},
		{"a compaction with a message", v.CompactText(task, words(7, 2)), v.Compact(task, words(7, 2))},
	}
	for _, tt := range tests {
		q, _ := v.withSubject(&tt.next, 1)
		if tt.got != q.Text || tt.got != v.RankedText(&tt.next) {
			t.Errorf("%s: the vector is of %.60q, ranked is %.60q", tt.name, tt.got, q.Text)
		}
		vector := []float32{1}
		with := v.WithQueryVector(tt.got, vector)
		if q, ok := with.withSubject(&tt.next, 1); ok && len(q.Vector) != 1 {
			t.Errorf("%s: ranked without its vector", tt.name)
		}
	}
	pasted := `{"query": "zebra", "names": []}`
	if got := QueryText(pasted); got != "zebra" {
		t.Errorf("the text of %s is %q, want zebra", pasted, got)
	}
}
