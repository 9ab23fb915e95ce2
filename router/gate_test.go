package router

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestView_Gate pins when tools are chosen and when all are attached.
func TestView_Gate(t *testing.T) {
	t.Parallel()
	tokensOf := func(n int) int { return catalogTokens(catalogOf(numbered("s", 0, n))) }
	tests := []struct {
		name  string
		tools int
		edit  func(*protocol.Settings)
		model protocol.ModelLimits
		want  protocol.AttachmentMode
	}{
		{"below the threshold", 49, nil, protocol.ModelLimits{}, protocol.AttachAll},
		{"at the threshold", 50, nil, protocol.ModelLimits{}, protocol.AttachAll},
		{"above the threshold", 51, nil, protocol.ModelLimits{}, protocol.AttachDynamic},
		{"no tool at all", 0, nil, protocol.ModelLimits{}, protocol.AttachAll},
		{"threshold 0", 1, func(s *protocol.Settings) { s.Threshold = 0 }, protocol.ModelLimits{}, protocol.AttachDynamic},
		{"threshold 0 without tools", 0, func(s *protocol.Settings) { s.Threshold = 0 }, protocol.ModelLimits{}, protocol.AttachAll},
		{"below the token threshold", 10, func(s *protocol.Settings) { s.ThresholdTokens = tokensOf(10) + 1 },
			protocol.ModelLimits{}, protocol.AttachAll},
		{"at the token threshold", 10, func(s *protocol.Settings) { s.ThresholdTokens = tokensOf(10) },
			protocol.ModelLimits{}, protocol.AttachAll},
		{"above the token threshold", 10, func(s *protocol.Settings) { s.ThresholdTokens = tokensOf(10) - 1 },
			protocol.ModelLimits{}, protocol.AttachDynamic},
		{"the token threshold does not lift the other", 51, func(s *protocol.Settings) { s.ThresholdTokens = 1 << 30 },
			protocol.ModelLimits{}, protocol.AttachDynamic},
		{"searchTurns 0", 200, searchTurns(0), protocol.ModelLimits{MaxTools: 20}, protocol.AttachAll},
		{"searchTurns 0 above the token threshold", 10, func(s *protocol.Settings) { s.SearchTurns, s.ThresholdTokens = 0, 1 },
			protocol.ModelLimits{}, protocol.AttachAll},
		{"as many as a request holds", 50, maxTools(50), protocol.ModelLimits{}, protocol.AttachAll},
		{"more than a request holds", 50, maxTools(49), protocol.ModelLimits{}, protocol.AttachDynamic},
		{"the host's own count", 50, nil, protocol.ModelLimits{NativeTools: 79}, protocol.AttachDynamic},
		{"the host's own just fit", 50, nil, protocol.ModelLimits{NativeTools: 78}, protocol.AttachAll},
		{"a model's lower limit", 50, nil, protocol.ModelLimits{MaxTools: 49}, protocol.AttachDynamic},
		{"a model's higher limit", 50, maxTools(49), protocol.ModelLimits{MaxTools: 500}, protocol.AttachDynamic},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			settings := settingsOf()
			if tt.edit != nil {
				tt.edit(settings)
			}
			v := NewView(catalogOf(numbered("s", 0, tt.tools)), settings, nil)
			task := v.Open(Opening{ID: "t", Message: "common", Model: tt.model})
			if task.Routing != tt.want {
				t.Fatalf("%s, want %s", task.Routing, tt.want)
			}
			a := v.Attachment(&task)
			if tt.want == protocol.AttachAll {
				if len(a.Tools) != tt.tools || len(a.MetaTools) != 0 || a.Ranker != "" {
					t.Errorf("%d tools of %d, %d meta tools, ranker %q", len(a.Tools), tt.tools, len(a.MetaTools), a.Ranker)
				}
				return
			}
			if a.Ranker == "" {
				t.Error("the ranker is not named")
			}
			if offered := len(a.MetaTools) == 1; offered != (len(a.Tools) < tt.tools) {
				t.Errorf("mcp_load offered: %v, with %d of %d tools attached", offered, len(a.Tools), tt.tools)
			}
		})
	}
}

func catalogTokens(c *Catalog) int {
	sum := 0
	for i := range c.Tools {
		sum += c.Tools[i].Tokens
	}
	return sum
}

// TestView_MaxTools: no request carries more tools than the lower of the two
// limits, the host's own and mcp_load included, whatever is asked for.
func TestView_MaxTools(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		max   int
		model protocol.ModelLimits
		want  int // attached after two turns and a load
		meta  int // mcp_load, where it could attach something
	}{
		{"the setting", 40, protocol.ModelLimits{}, 39, 1},
		{"natives", 40, protocol.ModelLimits{NativeTools: 10}, 29, 1},
		{"the model's limit", 128, protocol.ModelLimits{MaxTools: 20, NativeTools: 5}, 14, 1},
		{"the setting below the model's", 30, protocol.ModelLimits{MaxTools: 100}, 29, 1},
		{"two places", 20, protocol.ModelLimits{NativeTools: 18}, 1, 1},
		{"one place", 1, protocol.ModelLimits{}, 1, 0},
		{"no place", 20, protocol.ModelLimits{NativeTools: 20}, 0, 0},
		{"more natives than places", 20, protocol.ModelLimits{NativeTools: 300}, 0, 0},
	}
	for _, tt := range tests {
		for _, strategy := range []protocol.Strategy{protocol.StrategyWindow, protocol.StrategyTopK} {
			t.Run(tt.name+"/"+string(strategy), func(t *testing.T) {
				t.Parallel()
				v := viewOf(catalogOf(numbered("s", 0, 200)), maxTools(tt.max), func(s *protocol.Settings) {
					s.Strategy, s.TopK, s.SearchK = strategy, 60, 60
				})
				task := v.Open(Opening{ID: "t", Message: "common", Model: tt.model})
				task = v.Turn(task, words(100, 60))
				task, _ = v.Load(task, Request{Query: words(20, 60)})
				task, _ = v.Load(task, Request{Names: toolNames("s", 120, 60)})
				a := v.Attachment(&task)
				if len(a.Tools) != tt.want || len(a.MetaTools) != tt.meta {
					t.Errorf("%d tools and %d meta tools, want %d and %d", len(a.Tools), len(a.MetaTools), tt.want, tt.meta)
				}
				if told := strings.Contains(strings.Join(a.Warnings, "\n"), "leave no room"); told != (tt.want == 0) {
					t.Errorf("warnings %q", a.Warnings)
				}
			})
		}
	}
}

// TestView_TombstonesTakePlaces: tools that left the scope but stay attached
// count against the limit of a request, and so does mcp_load.
func TestView_TombstonesTakePlaces(t *testing.T) {
	t.Parallel()
	limit := maxTools(60)
	v := viewOf(catalogOf(numbered("old", 0, 55)), limit)
	task := v.Open(Opening{ID: "t", Message: "common"})
	if task.Routing != protocol.AttachDynamic || !task.LoadOffered {
		t.Fatalf("routing %s, load offered %v", task.Routing, task.LoadOffered)
	}
	held := len(task.Attached)
	for _, tt := range []struct {
		tools int
		want  protocol.AttachmentMode
	}{
		{60 - held - 1, protocol.AttachAll},
		{60 - held, protocol.AttachDynamic},
	} {
		next := viewOf(catalogOf(numbered("new", 100, tt.tools)), limit)
		got := next.Turn(task, "common")
		a := next.Attachment(&got)
		if got.Routing != tt.want {
			t.Errorf("%d new tools beside %d that stay: %s, want %s", tt.tools, held, got.Routing, tt.want)
		}
		if total := len(a.Tools) + len(a.MetaTools); total > 60 {
			t.Errorf("%d tools in a request that holds 60", total)
		}
	}
}

// TestView_SearchTurns0 is the kill switch: everything in scope, no meta tool,
// no limit, and a warning where a limit is passed.
func TestView_SearchTurns0(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 300)), searchTurns(0))
	task := v.Open(Opening{ID: "t", Message: "common"})
	for turn := range 9 {
		a := v.Attachment(&task)
		if a.Mode != protocol.AttachAll || len(a.Tools) != 300 || len(a.MetaTools) != 0 || a.Frozen || a.Ranker != "" {
			t.Fatalf("turn %d: %s, %d tools, %d meta tools, frozen %v, ranker %q",
				turn+1, a.Mode, len(a.Tools), len(a.MetaTools), a.Frozen, a.Ranker)
		}
		if len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "300 tools") || !strings.Contains(a.Warnings[0], "128") {
			t.Fatalf("warnings %q", a.Warnings)
		}
		if a.Tokens.Saved != 0 || a.Tokens.All != a.Tokens.Attached {
			t.Fatalf("tokens %+v", a.Tokens)
		}
		task = v.Turn(task, "common")
	}
	few := viewOf(catalogOf(numbered("s", 0, 60)), searchTurns(0))
	if task := few.Open(Opening{ID: "t", Message: "common"}); len(task.Warnings) != 0 {
		t.Errorf("warnings under the limit: %q", task.Warnings)
	}
}

// TestView_KillSwitchInTheMiddle: switching routing off attaches the rest
// behind what is there and takes mcp_load away; switching it on again removes
// nothing, and brings no mcp_load where all is attached: it could load nothing.
func TestView_KillSwitchInTheMiddle(t *testing.T) {
	t.Parallel()
	c := catalogOf(numbered("s", 0, 200))
	on := viewOf(c)
	off := on.Unrouted()
	task := on.Open(Opening{ID: "t", Message: words(7, 5)})
	before := attachedNames(&task)
	task = off.Turn(task, "common")
	all := attachedNames(&task)
	wantNames(t, "what was attached stays in front", all[:len(before)], before)
	if a := off.Attachment(&task); len(all) != 200 || len(a.MetaTools) != 0 {
		t.Errorf("%d tools, %d meta tools", len(all), len(a.MetaTools))
	}
	task = on.Turn(task, "common")
	wantNames(t, "after switching on", attachedNames(&task), all)
	if a := on.Attachment(&task); len(a.MetaTools) != 0 {
		t.Error("mcp_load is offered, and all is attached")
	}
	if on.Settings.SearchTurns != 7 {
		t.Error("Unrouted changed the settings it was given")
	}
}

// TestView_EarlyRouting: that tools are chosen although they are few is told.
func TestView_EarlyRouting(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		native int
		want   string
	}{
		{78, ""},
		{79, "tools are chosen although there are no more than 50 (winnow.threshold): the 50 in scope and the client's " +
			"own 79 are more than the 128 that one request holds (winnow.maxTools or the model's own limit)"},
	} {
		v := viewOf(catalogOf(numbered("s", 0, 50)))
		task := v.Open(Opening{ID: "t", Message: "common", Model: protocol.ModelLimits{NativeTools: tt.native}})
		if got := strings.Join(task.Warnings, "\n"); got != tt.want {
			t.Errorf("%d native tools: %q, want %q", tt.native, got, tt.want)
		}
	}
	v := viewOf(catalogOf(numbered("s", 0, 50)))
	task := v.WithClient(Task{ID: "t", Model: protocol.ModelLimits{NativeTools: 128}}, protocol.ClientTools{})
	task = v.Turn(task, "common")
	said := strings.Join(task.Warnings, "\n")
	if !strings.Contains(said, "VS Code's own 128 tools leave no room") || !strings.Contains(said, "VS Code's own 128 are more") {
		t.Errorf("in VS Code: %q", said)
	}
	// What is dearer than the user wants to pay is chosen from as asked.
	v = viewOf(catalogOf(numbered("s", 0, 50)), func(s *protocol.Settings) { s.BudgetTokens = 100 })
	if task := v.Open(Opening{ID: "t", Message: "common"}); task.Routing != protocol.AttachDynamic || len(task.Warnings) != 0 {
		t.Errorf("over winnow.budgetTokens: %s with warnings %q, want dynamic with none", task.Routing, task.Warnings)
	}
}

// TestView_AllDropsWhatLeft: where nothing is chosen, a tool that a rule keeps
// out by now leaves with the next message.
func TestView_AllDropsWhatLeft(t *testing.T) {
	t.Parallel()
	servers := []ServerInput{numbered("a", 0, 10), numbered("b", 100, 10)}
	stopped := []ServerInput{numbered("a", 0, 10), numbered("b", 100, 10)}
	stopped[1].Stopped, stopped[1].Unavailable = true, "the server is stopped"
	disabled := []ServerInput{numbered("a", 0, 10), numbered("b", 100, 10)}
	disabled[1].Policy.Disabled = true
	mode := &Mode{Slug: "m", Blocked: []string{"b"}}
	for _, tt := range []struct {
		name  string
		turns int
		after *View
	}{
		{"few tools, a mode", 7, NewView(catalogOf(servers...), settingsOf(), mode)},
		{"few tools, a server stopped", 7, viewOf(catalogOf(stopped...))},
		{"few tools, a server disabled", 7, viewOf(catalogOf(disabled...))},
		{"few tools, a server gone", 7, viewOf(catalogOf(servers[0]))},
		{"routing off, a mode", 0, NewView(catalogOf(servers...), settingsOf(searchTurns(0)), mode)},
		{"routing off, a server stopped", 0, viewOf(catalogOf(stopped...), searchTurns(0))},
	} {
		before := viewOf(catalogOf(servers...), searchTurns(tt.turns))
		task := before.Open(Opening{ID: "t", Message: "common"}).Call(ref("b", "b_"+wordFor(100)))
		generation := task.Generation
		task = tt.after.Turn(task, "common")
		a := tt.after.Attachment(&task)
		want := protocol.AttachedCounts{Scoped: 10, Attached: 10}
		if a.Counts != want || a.Tokens.Saved != 0 || task.Generation == generation {
			t.Errorf("%s: %+v, saved %d, generation %d; want %+v, 0 and a new generation",
				tt.name, a.Counts, a.Tokens.Saved, task.Generation, want)
		}
		if fresh := tt.after.Open(Opening{ID: "u", Message: "common"}); len(fresh.Attached) != 10 {
			t.Errorf("%s: a new task has %d tools, want 10", tt.name, len(fresh.Attached))
		}
	}
}
