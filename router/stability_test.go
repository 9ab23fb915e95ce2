package router

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestTask_Tombstone: an attached tool stays as it is when its server goes or
// a rule shuts it out; its call answers with the cause, and works again when
// the tool is back.
func TestTask_Tombstone(t *testing.T) {
	t.Parallel()
	build := func(edit func(*ServerInput)) *View {
		first := numbered("s", 0, 60)
		edit(&first)
		return viewOf(catalogOf(first, numbered("r", 100, 60)))
	}
	whole := build(func(*ServerInput) {})
	task := whole.Open(Opening{ID: "t", Message: words(0, 30)})
	saved := marshal(whole.Attachment(&task).Tools)
	tests := []struct {
		name string
		view *View
		kind protocol.ErrorKind
		text string
		rule string
	}{
		{"server gone", viewOf(catalogOf(numbered("r", 100, 60))), protocol.KindUnavailable, "no longer offers", ""},
		{"tool gone", build(func(s *ServerInput) { s.Tools = s.Tools[1:] }), protocol.KindUnavailable, "no longer offers", ""},
		{"server unavailable", build(func(s *ServerInput) { s.Unavailable = "it exited with status 3" }),
			protocol.KindUnavailable, "it exited with status 3", ""},
		{"switched off", build(func(s *ServerInput) { s.Policy.DisabledTools = []string{"s_zqbbb"} }),
			protocol.KindOutOfScope, "switched off in its server's entry", `disabledTools of server "s"`},
		{"mode", NewView(whole.Catalog, settingsOf(), &Mode{Slug: "ask", Blocked: []string{"s"}}),
			protocol.KindOutOfScope, "mode “ask” leaves its server out", `blockedMcpServers of mode "ask"`},
		{"settings", viewOf(whole.Catalog, func(s *protocol.Settings) {
			s.InitialK, s.SearchK, s.MaxTools, s.Threshold = 1, 1, 5, 1
		}), "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, next := range []Task{tt.view.Turn(task, words(0, 1)), tt.view.Turn(tt.view.Turn(task, "a"), "b"), task} {
				got := marshal(tt.view.Attachment(&next).Tools[:30])
				if string(got) != string(saved) {
					t.Fatalf("the attached tools changed:\n%s\n%s", got, saved)
				}
				_, _, err := tt.view.Call(next, "s_zqbbb")
				var refusal *Refusal
				if tt.kind == "" {
					if err != nil {
						t.Errorf("the call fails: %v", err)
					}
				} else if !errors.As(err, &refusal) || refusal.Kind != tt.kind || ruleOf(refusal) != tt.rule ||
					!strings.Contains(refusal.Message, tt.text) || refusal.Next == "" || refusal.ID != ref("s", "s_zqbbb") {
					t.Errorf("the call is answered by %+v", err)
				}
				if _, d, err := whole.Call(next, "s_zqbbb"); err != nil || d.Action != Run {
					t.Errorf("back again, the call is answered by %v", err)
				}
			}
		})
	}
}

// TestTask_ModeSwitch: from the turn of the switch on, the new policy decides
// what is added and what may be called.
func TestTask_ModeSwitch(t *testing.T) {
	t.Parallel()
	c := catalogOf(numbered("s", 0, 60), numbered("r", 100, 60))
	code := NewView(c, settingsOf(), &Mode{Slug: "code"})
	ask := NewView(c, settingsOf(), &Mode{Slug: "ask", Allowed: &[]string{"r"}})
	task := code.Open(Opening{ID: "t", Message: words(0, 30)})
	task = ask.Turn(task, words(40, 10)+words(100, 5))
	if task.Mode != "ask" || len(task.Attached) != 35 {
		t.Fatalf("mode %q, %d tools", task.Mode, len(task.Attached))
	}
	for _, a := range task.Attached[30:] {
		if a.ID.Server != "r" {
			t.Errorf("the mode attached %s", a.ID)
		}
	}
	a := ask.Attachment(&task)
	if a.Counts.Scoped != 60 || a.Counts.Attached != 5 || a.Counts.Kept != 30 {
		t.Errorf("counts %+v", a.Counts)
	}
	task = code.Turn(task, words(40, 10))
	if task.Mode != "code" || task.Has(ref("s", "s_"+wordFor(40))) < 0 {
		t.Error("the switch back does not open the scope again")
	}
}

// TestTask_DescriptionChange: what a model was told of a tool stays within the
// task; later tasks are told the new.
func TestTask_DescriptionChange(t *testing.T) {
	t.Parallel()
	build := func(description, override string) *View {
		changing := ServerInput{Name: "s", Tools: []json.RawMessage{rawTool("mine", description)}}
		if override != "" {
			changing.Policy.Overrides = map[string]string{"mine": override}
		}
		return viewOf(catalogOf(changing, numbered("r", 0, 60)))
	}
	before, after, overridden := build("Zebra one.", ""), build("Zebra two.", ""), build("Zebra one.", "Zebra by the user.")
	task := before.Open(Opening{ID: "t", Message: "zebra"})
	place := task.Has(ref("s", "mine"))
	for _, v := range []*View{after, overridden} {
		task = v.Turn(task, "zebra")
		task, _ = v.Load(task, Request{Names: []string{"mine"}})
		a := v.Attachment(&task).Tools[place]
		if a.Description != "Zebra one." || a.Tokens != before.Catalog.tool(ref("s", "mine")).Tokens {
			t.Errorf("the task is told %q for %d tokens", a.Description, a.Tokens)
		}
		later := v.Open(Opening{ID: "u", Message: "zebra"})
		if got := later.Attached[later.Has(ref("s", "mine"))].Description; got != v.Catalog.tool(ref("s", "mine")).Text() {
			t.Errorf("a later task is told %q", got)
		}
	}
	task = after.Compact(task, "")
	if got := task.Attached[task.Has(ref("s", "mine"))].Description; got != "Zebra two." {
		t.Errorf("after a compaction: %q", got)
	}
}

// TestTask_NameStays: a tool that comes to share its name keeps, within the
// task, the name under which it was attached; the newcomer gets another.
func TestTask_NameStays(t *testing.T) {
	t.Parallel()
	filler := numbered("f", 0, 60)
	one := viewOf(catalogOf(filler, serverOf("a", "search")))
	both := viewOf(catalogOf(filler, serverOf("a", "search"), serverOf("b", "search")))
	other := viewOf(catalogOf(filler, serverOf("b", "search")))
	task := one.Open(Opening{ID: "t", Message: "search"})

	both1, _ := both.Load(task, Request{Query: "search"})
	if id, err := both.Find(&both1, "search"); err != nil || id != ref("a", "search") {
		t.Errorf("search means %v, %v", id, err)
	}
	if id, err := both.Find(&both1, "Search"); err != nil || id != ref("a", "search") {
		t.Errorf("Search means %v, %v", id, err)
	}
	if id, err := both.Find(&both1, "mcp__b__search"); err != nil || id != ref("b", "search") {
		t.Errorf("mcp__b__search means %v, %v", id, err)
	}
	// The first server goes, and the second one's tool is `search` now: what
	// the model knows by that name must not become another tool.
	gone, _ := other.Load(task, Request{Names: []string{"b/search"}})
	names := attachedNames(&gone)
	if last := names[len(names)-1]; last != "mcp__b__search" {
		t.Errorf("the newcomer is called %q", last)
	}
	for _, name := range []string{"search", "Search"} {
		_, _, err := other.Call(gone, name)
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.ID != ref("a", "search") || refusal.Kind != protocol.KindUnavailable {
			t.Errorf("a call of %s is answered by %v", name, err)
		}
	}
	if _, d, err := other.Call(gone, "mcp__b__search"); err != nil || d.ID != ref("b", "search") {
		t.Errorf("the newcomer's call: %v, %v", d, err)
	}
}

// TestTask_HostRenamesServer: a host's names are its own, and never doubled
// when the host files a tool under another server.
func TestTask_HostRenamesServer(t *testing.T) {
	t.Parallel()
	host := func(servers ...ServerInput) *View {
		c := BuildCatalog(CatalogInput{Source: "host", Verbatim: true, Servers: servers, Count: bytesCount}, nil)
		return NewView(c, settingsOf(), nil)
	}
	before := host(serverOf("a", "search"), numbered("f", 0, 60))
	after := host(serverOf("b", "search"), numbered("f", 0, 60))
	task := before.Open(Opening{ID: "t", Message: "search"})
	n := len(task.Attached)
	task = after.Turn(task, "search")
	task, loaded := after.Load(task, Request{Names: []string{"search"}})
	if len(task.Attached) != n || len(loaded.Tools) != 1 || !loaded.Tools[0].Already {
		t.Errorf("%d tools, were %d; loaded %+v", len(task.Attached), n, loaded.Tools)
	}
	if _, d, err := after.Call(task, "search"); err != nil || d.ID != ref("b", "search") || d.Action != Run {
		t.Errorf("the call: %+v, %v", d, err)
	}
}

// TestTask_WindowNeverTakesBack takes random steps under random catalogues,
// modes and settings, and after each of them compares every attached tool with
// what it was.
func TestTask_WindowNeverTakesBack(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 1))
		views := make([]*View, 8)
		for i := range views {
			views[i] = randomView(rng)
		}
		task := views[0].Open(Opening{ID: "t", Message: words(rng.IntN(100), 3)})
		before := task.Attached
		for step := range 40 {
			v := views[rng.IntN(len(views))]
			task = randomStep(rng, v, task)
			for i, was := range before {
				if task.Routing != protocol.AttachAll && (i >= len(task.Attached) || !reflect.DeepEqual(task.Attached[i], was)) {
					t.Fatalf("seed %d, step %d: place %d was %v", seed, step, i, was)
				}
			}
			before = task.Attached
			wantSound(t, v, &task)
		}
	}
}

// wantSound fails when a request could not be sent as it is.
func wantSound(t *testing.T, v *View, task *Task) {
	t.Helper()
	names, ids := map[string]bool{}, map[ToolID]bool{}
	for _, a := range task.Attached {
		if names[a.Name] || ids[a.ID] || !legalName(a.Name) || IsMetaTool(a.Name) {
			t.Fatalf("%s is attached as %q", a.ID, a.Name)
		}
		names[a.Name], ids[a.ID] = true, true
	}
	a := v.Attachment(task)
	if a.Tokens.Saved != a.Tokens.All-a.Tokens.Attached || a.Counts.Attached+a.Counts.Kept != len(a.Tools) || a.Counts.Attached > a.Counts.Scoped {
		t.Fatalf("counts %+v, tokens %+v", a.Counts, a.Tokens)
	}
}

func randomView(rng *rand.Rand) *View {
	var servers []ServerInput
	for i, name := range []string{"a", "b", "c", "d"} {
		if rng.IntN(4) == 0 {
			continue
		}
		s := numbered(name, rng.IntN(3)*20+i*5, 10+rng.IntN(40))
		s.Tools = append(s.Tools, rawTool("shared", fmt.Sprintf("Version %d.", rng.IntN(3))))
		if rng.IntN(4) == 0 {
			s.Policy.DisabledTools = []string{"shared"}
		}
		s.Policy.AlwaysLoad = rng.IntN(8) == 0
		servers = append(servers, s)
	}
	var mode *Mode
	if rng.IntN(3) == 0 {
		mode = &Mode{Slug: "m", Blocked: []string{"b"}}
	}
	settings := settingsOf(maxTools(20+rng.IntN(200)), searchTurns(rng.IntN(9)), func(s *protocol.Settings) {
		s.Threshold, s.InitialK, s.SearchK = rng.IntN(80), rng.IntN(40), 1+rng.IntN(20)
	})
	return NewView(catalogOf(servers...), settings, mode)
}

func randomStep(rng *rand.Rand, v *View, task Task) Task {
	name := "a_" + wordFor(rng.IntN(100))
	switch rng.IntN(4) {
	case 0:
		task, _ = v.Load(task, Request{Query: words(rng.IntN(150), 4)})
	case 1:
		task, _ = v.Load(task, Request{Names: []string{name, "shared", "b/shared"}})
	case 2:
		task, _, _ = v.Call(task, name)
		task = task.Call(ref("a", name))
	default:
		task = v.Turn(task, words(rng.IntN(150), 6))
	}
	return task
}
