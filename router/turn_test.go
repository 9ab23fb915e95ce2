package router

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestView_Window walks the rolling window turn by turn: initialK, then
// searchK for each of the next, then nothing.
func TestView_Window(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		searchTurns int
		// want is the number of attached tools after each turn, when every
		// message matches 40 tools of its own.
		want   []int
		frozen []bool
	}{
		{"default", 7, []int{30, 40, 50, 60, 70, 80, 90, 90, 90},
			[]bool{false, false, false, false, false, false, false, true, true}},
		{"one", 1, []int{30, 30, 30}, []bool{false, true, true}},
		{"two", 2, []int{30, 40, 40}, []bool{false, false, true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := viewOf(catalogOf(numbered("s", 0, 400)), searchTurns(tt.searchTurns))
			task := Task{ID: "t"}
			var before []string
			for turn, want := range tt.want {
				task = v.Turn(task, words(40*turn, 40))
				a := v.Attachment(&task)
				if len(a.Tools) != want || a.Frozen != tt.frozen[turn] || a.Turn != turn+1 {
					t.Fatalf("turn %d: %d tools, frozen %v, says turn %d; want %d, %v",
						turn+1, len(a.Tools), a.Frozen, a.Turn, want, tt.frozen[turn])
				}
				now := attachedNames(&task)
				wantNames(t, "what was attached", now[:len(before)], before)
				batch := now[len(before):]
				if !slices.IsSorted(batch) {
					t.Errorf("turn %d: the batch is not in the order of names: %q", turn+1, batch)
				}
				for i := len(before); i < len(a.Tools); i++ {
					if a.Tools[i].Turn != turn+1 || a.Tools[i].Reason != protocol.ReasonRanked || a.Tools[i].Score <= 0 {
						t.Errorf("turn %d: %+v", turn+1, a.Tools[i])
					}
				}
				before = now
			}
		})
	}
}

// TestView_WindowWarm: a message adds nothing while the conversation is cached
// behind the tools, and says so; the next one after that adds again.
func TestView_WindowWarm(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 400)))
	task := Task{ID: "t", Warm: true}
	for turn, tt := range []struct {
		warm bool
		want int
	}{{true, 30}, {true, 30}, {false, 40}, {true, 40}} {
		task.Warm = tt.warm
		task = v.Turn(task, words(40*turn, 40))
		if len(task.Attached) != tt.want {
			t.Errorf("turn %d, warm %v: %d tools, want %d", turn+1, tt.warm, len(task.Attached), tt.want)
		}
	}
	i, _ := v.Catalog.Lookup(ref("s", "s_"+wordFor(160)))
	if got, want := v.whyNot(&task)(i), (protocol.Cause{Kind: protocol.CauseFrozen, Key: settingAppendAfter}); got != want {
		t.Errorf("a tool that fits is not attached because of %+v, want %+v", got, want)
	}
}

// TestView_WindowIsUnion: a message whose tools are attached already adds
// nothing and changes no generation.
func TestView_WindowIsUnion(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 100)))
	task := v.Open(Opening{ID: "t", Message: words(0, 5)})
	generation := task.Generation
	next := v.Turn(task, words(0, 5))
	wantNames(t, "same message", attachedNames(&next), attachedNames(&task))
	if next.Generation != generation {
		t.Errorf("generation %d, was %d", next.Generation, generation)
	}
	next = v.Turn(next, words(90, 1))
	if next.Generation <= generation || next.Has(ref("s", "s_"+wordFor(90))) < 0 {
		t.Errorf("generation %d; attached %q", next.Generation, attachedNames(&next))
	}
}

// TestView_CalledAndPinnedFirst: what was called comes first, then what is
// pinned, then what was ranked; each batch is ordered by name.
func TestView_CalledAndPinnedFirst(t *testing.T) {
	t.Parallel()
	pinnedServer := numbered("p", 300, 3)
	pinnedServer.Policy.AlwaysLoad = true
	onePinned := numbered("o", 310, 3)
	onePinned.Policy.AlwaysLoadTools = []string{"o_" + wordFor(312)}
	asking := serverOf("asks")
	asking.Tools = append(asking.Tools, marshal(map[string]any{
		"name": "asking", "_meta": map[string]any{"anthropic/alwaysLoad": true}}))
	v := viewOf(catalogOf(numbered("s", 0, 100), pinnedServer, onePinned, asking))
	task := v.Open(Opening{
		ID: "t", Message: words(50, 2),
		Choices: protocol.TaskChoices{Pinned: refs("s", "s_"+wordFor(20))},
		Called:  []ToolID{ref("s", "s_"+wordFor(31)), ref("s", "s_"+wordFor(30)), ref("s", "gone")},
	})
	got := attachedNames(&task)
	want := []string{"s_" + wordFor(30), "s_" + wordFor(31), "asking", "o_" + wordFor(312)}
	want = append(want, toolNames("p", 300, 3)...)
	want = append(want, "s_"+wordFor(20))
	wantNames(t, "called, then pinned", got[:len(want)], want)
	counts := attachReasons(&task)
	if counts[protocol.ReasonCalled] != 2 || counts[protocol.ReasonPinned] != 6 || counts[protocol.ReasonRanked] != 2 ||
		counts[protocol.ReasonFill] != 28 {
		t.Errorf("reasons %v", counts)
	}
}

// TestView_PinsWithoutRoom: the user's pins go before a server's wishes, and
// the user is told how many found no room.
func TestView_PinsWithoutRoom(t *testing.T) {
	t.Parallel()
	asking := ServerInput{Name: "asks"}
	for i := range 4 {
		asking.Tools = append(asking.Tools, marshal(map[string]any{
			"name": fmt.Sprintf("a%d", i), "_meta": map[string]any{"anthropic/alwaysLoad": true}}))
	}
	pinned := numbered("z", 0, 4)
	pinned.Policy.AlwaysLoad = true
	v := viewOf(catalogOf(asking, pinned, numbered("rest", 100, 60)), maxTools(7))
	task := v.Open(Opening{ID: "t", Message: "common"})
	wantNames(t, "attached", attachedNames(&task), append([]string{"a0", "a1"}, toolNames("z", 0, 4)...))
	if len(task.Warnings) != 1 || !strings.Contains(task.Warnings[0], "2 pinned tools do not fit") ||
		!strings.Contains(task.Warnings[0], "winnow.maxTools") {
		t.Errorf("warnings %q", task.Warnings)
	}
	v = viewOf(catalogOf(asking, pinned, numbered("rest", 100, 60)), maxTools(8))
	if one := v.Open(Opening{ID: "t", Message: "common"}).Warnings; len(one) != 1 || !strings.Contains(one[0], "1 pinned tool does not fit") {
		t.Errorf("warnings of one %q", one)
	}
}

// TestView_ServerPinsAreBounded: a server that asks to always load all of its
// tools gets the first few, and the user is told.
func TestView_ServerPinsAreBounded(t *testing.T) {
	t.Parallel()
	greedy := ServerInput{Name: "greedy"}
	for i := range 100 {
		greedy.Tools = append(greedy.Tools, marshal(map[string]any{
			"name": fmt.Sprintf("g%03d", i), "_meta": map[string]any{"anthropic/alwaysLoad": true}}))
	}
	c := catalogOf(greedy, numbered("s", 0, 100))
	v := viewOf(c)
	task := v.Open(Opening{ID: "t", Message: words(0, 40)})
	if counts := attachReasons(&task); counts[protocol.ReasonPinned] != maxServerPins || counts[protocol.ReasonRanked] != 30 {
		t.Errorf("reasons %v", counts)
	}
	if w := c.Servers[0].Warnings; len(w) != 1 || !strings.Contains(w[0], "always load 100") {
		t.Errorf("warnings %q", w)
	}
}

// TestView_CalledLater: a tool that a host ran without Winnow is attached with
// the next message.
func TestView_CalledLater(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 100)), searchTurns(1))
	task := v.Open(Opening{ID: "t", Message: words(0, 30)})
	task = task.Call(ref("s", "s_"+wordFor(99)))
	if again := task.Call(ref("s", "s_"+wordFor(99))); len(again.Called) != 1 {
		t.Errorf("called %v", again.Called)
	}
	task = v.Turn(task, words(50, 10))
	got := attachedNames(&task)
	if len(got) != 31 || got[30] != "s_"+wordFor(99) {
		t.Errorf("attached %q", got)
	}
}

// TestView_LateServers: a task that began before its servers were up chooses
// its initialK at the first message for which there is a choice.
func TestView_LateServers(t *testing.T) {
	t.Parallel()
	early := viewOf(catalogOf(numbered("early", 500, 2)))
	late := viewOf(catalogOf(numbered("early", 500, 2), numbered("s", 0, 200)))
	none := viewOf(catalogOf())

	task := early.Open(Opening{ID: "t", Message: "hello"})
	task = late.Turn(task, words(0, 40))
	if counts := attachReasons(&task); counts[protocol.ReasonAll] != 2 || counts[protocol.ReasonRanked] != 30 {
		t.Errorf("with a few tools at first: %v", counts)
	}
	task = none.Open(Opening{ID: "t", Message: "hello"})
	task = late.Turn(task, words(0, 1))
	if counts := attachReasons(&task); counts[protocol.ReasonRanked] != 1 || counts[protocol.ReasonFill] != 29 {
		t.Errorf("with none at first: %v", counts)
	}
	task = late.Turn(task, words(50, 40))
	if counts := attachReasons(&task); counts[protocol.ReasonRanked] > 11 {
		t.Errorf("the next message adds searchK: %v", counts)
	}
}

// TestView_Compact: after a compaction the window begins anew, and only then
// may the set shrink; what was called is kept.
func TestView_Compact(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 400)))
	task := v.Open(Opening{ID: "t", Message: words(0, 40)})
	for turn := range 8 {
		task = v.Turn(task, words(40*(turn+1), 40))
	}
	task = task.Call(ref("s", "s_"+wordFor(0)))
	before := task
	task = v.Compact(task, "")
	if task.Turn != before.Turn || task.Generation <= before.Generation || v.Frozen(&task) || !task.LoadOffered {
		t.Errorf("turn %d, generation %d, frozen %v", task.Turn, task.Generation, v.Frozen(&task))
	}
	if counts := attachReasons(&task); counts[protocol.ReasonCalled] != 1 || counts[protocol.ReasonRanked] != 30 || len(task.Attached) != 31 {
		t.Errorf("attached %v", counts)
	}
	if task.Message != before.Message {
		t.Errorf("message %q", task.Message)
	}
	task = v.Turn(task, words(380, 20))
	if len(task.Attached) != 41 {
		t.Errorf("%d tools after the next turn, want 41", len(task.Attached))
	}
	task = v.Compact(task, words(10, 1))
	if task.Message != words(10, 1) || task.Has(ref("s", "s_"+wordFor(10))) < 0 || len(task.Earlier) == 0 {
		t.Errorf("message %q, attached %q", task.Message, attachedNames(&task))
	}
}

// TestView_TaskIsAValue: no step changes the task that it was given, not even
// in the spare room behind its slices.
func TestView_TaskIsAValue(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 200)))
	task := v.Open(Opening{ID: "t", Message: words(0, 5), Choices: protocol.TaskChoices{Pinned: refs("s", "s_zqbbb")}})
	task = v.Turn(task, words(100, 5)).Call(ref("s", "s_zqbbc"))
	saved := marshal(v.Attachment(&task))

	left := v.Turn(task, words(120, 10))
	leftSaved := marshal(v.Attachment(&left))
	right := v.Turn(task, words(140, 10))
	v.Compact(task, "other")
	v.Load(task, Request{Query: words(60, 5)})
	v.Load(left, Request{Query: words(70, 5)})
	left.Call(ref("s", "s_zqbcc"))
	if _, _, err := v.Call(task, "s_"+wordFor(150)); err != nil {
		t.Fatal(err)
	}
	v.Unrouted().Turn(task, "all")
	if got := marshal(v.Attachment(&task)); string(got) != string(saved) {
		t.Error("a step changed the task it was given")
	}
	if got := marshal(v.Attachment(&left)); string(got) != string(leftSaved) {
		t.Error("one branch changed the other")
	}
	if right.Has(ref("s", "s_"+wordFor(120))) >= 0 {
		t.Error("one branch's tools are in the other")
	}
}

// TestTask_BranchesShareNothing: two ways on from one task never write into
// the same spare room, however much of it there is.
func TestTask_BranchesShareNothing(t *testing.T) {
	t.Parallel()
	var task Task
	for i := range 9 { // past each capacity that a slice of these grows through
		task = task.said(fmt.Sprint("message ", i))
		left, right := task, task
		left = left.said("left")
		right = right.said("right")
		left = left.said("last")
		right = right.said("last")
		if l, r := left.Earlier[len(left.Earlier)-1], right.Earlier[len(right.Earlier)-1]; l != "left" || r != "right" {
			t.Errorf("after %d messages the branches have %q and %q", i+1, l, r)
		}
		task = task.Call(ref("s", fmt.Sprint(i)))
		calls := [2]Task{task.Call(ref("s", "left")), task.Call(ref("s", "right"))}
		if l, r := calls[0].Called[i+1].Tool, calls[1].Called[i+1].Tool; l != "left" || r != "right" {
			t.Errorf("after %d calls the branches have %q and %q", i+1, l, r)
		}
	}
}

// TestView_Deterministic: the same steps on catalogues that were built apart
// give the same bytes.
func TestView_Deterministic(t *testing.T) {
	t.Parallel()
	run := func() []byte {
		v := viewOf(catalogOf(numbered("b", 0, 100), numbered("a", 0, 100))).
			WithUsage(Usage{ref("b", "b_zqbdb"): 1, ref("a", "a_zqbdc"): 1, ref("a", "a_zqbdd"): 1})
		task := v.Open(Opening{ID: "t", Message: "common " + words(0, 3)})
		task = v.Turn(task, "common")
		task, loaded := v.Load(task, Request{Query: words(90, 5)})
		return marshal([]any{v.Attachment(&task), loaded, v.Explain(&task), v.TokenUsage(&task, nil)})
	}
	first := run()
	for range 20 {
		if got := run(); string(got) != string(first) {
			t.Fatalf("two runs differ:\n%s\n%s", first, got)
		}
	}
}

// TestTask_Earlier bounds what is kept of messages.
func TestTask_Earlier(t *testing.T) {
	t.Parallel()
	var task Task
	for i := range 20 {
		task = task.said(fmt.Sprintf("%02d", i) + strings.Repeat("é", 10_000))
	}
	if len(task.Earlier) != maxEarlier || task.Earlier[maxEarlier-1][:2] != "18" || task.Earlier[0][:2] != "11" {
		t.Errorf("%d earlier messages", len(task.Earlier))
	}
	for _, m := range append(task.Earlier, task.Message) {
		if strings.ToValidUTF8(m, "") != m {
			t.Error("a message was cut within a character")
		}
	}
	if len(task.Earlier[0]) > maxEarlierLength || len(task.Message) > maxMessage || len(task.Message) < maxMessage-8 {
		t.Errorf("lengths %d and %d", len(task.Earlier[0]), len(task.Message))
	}
	task = task.said("begin " + strings.Repeat("x", 100_000) + " end")
	if !strings.HasPrefix(task.Message, "begin ") || !strings.HasSuffix(task.Message, " end") {
		t.Error("a long message loses its beginning or its end")
	}
}

// TestView_BringsWhatIsNeeded attaches, within the same window, the tool that
// finds the identifier which the best one requires, and says so.
func TestView_BringsWhatIsNeeded(t *testing.T) {
	t.Parallel()
	chat := serverOf("chat", "list_channels", "list_stickers", "list_themes")
	chat.Tools = append(chat.Tools, marshal(map[string]any{
		"name": "announce", "description": "Announce something",
		"inputSchema": map[string]any{
			"type": "object", "required": []string{"channelId"},
			"properties": map[string]any{"channelId": map[string]any{"type": "string"}},
		},
	}))
	v := viewOf(catalogOf(chat), func(s *protocol.Settings) { s.InitialK, s.Threshold, s.Ranker = 2, 1, "auto" })
	task := v.Turn(Task{ID: "t"}, "announce something")
	var names []string
	for _, a := range task.Attached {
		names = append(names, a.Name)
	}
	if want := []string{"announce", "list_channels"}; !slices.Equal(names, want) {
		t.Fatalf("attached %q, want %q", names, want)
	}
	for _, e := range v.Explain(&task) {
		if e.Tool != "list_channels" {
			continue
		}
		if !slices.ContainsFunc(e.Parts, func(p protocol.ScorePart) bool {
			return p.Name == "needed for" && p.Detail == "announce, for its channelId"
		}) {
			t.Errorf("list_channels is explained by %v, want what needs it", e.Parts)
		}
	}
}

// Whoever begins before its servers are up is told so, and has a way to what
// comes.
func TestTurn_whileServersStart(t *testing.T) {
	t.Parallel()
	early := viewOf(catalogOf(ServerInput{Name: "slow"}))
	task := early.Turn(Task{ID: "t", Starting: []string{"slow"}}, "count the sheep")
	if got := metaNames(early, &task); got != LoadName || len(task.Warnings) != 1 || !strings.Contains(task.Warnings[0], "slow") {
		t.Errorf("meta tools %q, warnings %q; want mcp_load and a word about slow", got, task.Warnings)
	}
	if _, loaded := early.Load(task, Request{Query: "sheep"}); !strings.Contains(loaded.Text, "Still starting: slow") {
		t.Errorf("to load before it is up: got %q", loaded.Text)
	}
	up := viewOf(catalogOf(numbered("slow", 0, 3)))
	task, loaded := up.Load(task, Request{Names: []string{"slow_" + wordFor(1)}})
	if len(loaded.Tools) != 1 {
		t.Errorf("to load when it is up: got %q", loaded.Text)
	}
	task.Starting = nil
	if task = up.Turn(task, "and again"); len(task.Attached) != 3 || len(task.Warnings) != 0 {
		t.Errorf("the next message has %d tools, warnings %q; want 3 and none", len(task.Attached), task.Warnings)
	}
	off := viewOf(catalogOf(ServerInput{Name: "slow"}), searchTurns(0))
	if task := off.Turn(Task{ID: "t", Starting: []string{"slow"}}, "x"); metaNames(off, &task) != "" || len(task.Warnings) != 1 {
		t.Errorf("with routing off: meta tools %q, warnings %q; want none, and a word", metaNames(off, &task), task.Warnings)
	}
}

// The warning about too many tools names the one setting that is at work.
func TestWhyAll(t *testing.T) {
	t.Parallel()
	for want, tc := range map[string]struct {
		change  func(s *protocol.Settings)
		gateway protocol.GatewayMode
	}{
		"winnow.searchTurns":  {func(s *protocol.Settings) { s.SearchTurns = 0 }, ""},
		"winnow.shadow":       {func(s *protocol.Settings) { s.SearchTurns, s.Shadow = 0, true }, ""},
		"winnow.gateway.mode": {func(s *protocol.Settings) { s.Gateway.Mode = protocol.GatewayAll }, protocol.GatewayAll},
	} {
		v := viewOf(catalogOf(many(2, 100)...), tc.change)
		task := v.Unrouted().attachAll(Task{ID: "t", Gateway: tc.gateway})
		if len(task.Warnings) != 1 || !strings.Contains(task.Warnings[0], want) || strings.Count(task.Warnings[0], "winnow.") != 2 {
			t.Errorf("warned %q, want winnow.maxTools and %s", task.Warnings, want)
		}
	}
}
