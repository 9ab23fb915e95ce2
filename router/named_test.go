package router

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// tiers sets how many tools are attached and how many are named.
func tiers(full, named int) func(*protocol.Settings) {
	return func(s *protocol.Settings) { s.InitialK, s.Named = full, named }
}

// namedIn returns the names that the description of mcp_load lists.
func namedIn(t *testing.T, v *View, task *Task) []string {
	t.Helper()
	for _, meta := range v.MetaTools(task) {
		if meta.Name != LoadName {
			continue
		}
		_, list, _ := strings.Cut(meta.Description, namedTitle)
		var names []string
		for line := range strings.Lines(list) {
			if name, _, ok := strings.Cut(strings.TrimPrefix(line, "- "), ": "); ok {
				names = append(names, name)
			}
		}
		return names
	}
	t.Fatal("mcp_load is not offered")
	return nil
}

// TestView_Named: the best are attached, the next are named, a line each with
// the first words of the description.
func TestView_Named(t *testing.T) {
	t.Parallel()
	wordy := ServerInput{Name: "wordy", Tools: nil}
	wordy.Tools = append(wordy.Tools,
		rawTool("long", "Zebra one two three four five six seven eight nine ten eleven.\nMore."),
		rawTool("short", "Zebra it. Nothing else."), rawTool("zebra_bare", ""))
	v := viewOf(catalogOf(numbered("s", 0, 100), wordy), tiers(2, 5))
	task := v.Open(Opening{ID: "t", Message: words(0, 2) + words(0, 2) + "zebra"})
	wantNames(t, "attached", attachedNames(&task), toolNames("s", 0, 2))
	wantNames(t, "named", namedIn(t, v, &task), []string{"long", "short", "zebra_bare"})
	description := v.MetaTools(&task)[0].Description
	want := "\nAmong them, to be attached by `names`:\n- long: Zebra one two three four five six seven eight nine" +
		"\n- short: Zebra it\n- zebra_bare: (no description)"
	if !strings.HasSuffix(description, want) {
		t.Errorf("mcp_load says:\n%s\nwant at its end:\n%s", description, want)
	}
	a := v.Attachment(&task)
	if a.Counts.Attached != 2 || a.Counts.Named != 3 {
		t.Errorf("counts %+v, want 2 attached and 3 named", a.Counts)
	}
	without := viewOf(v.Catalog, tiers(2, 0))
	bare := without.Open(Opening{ID: "t", Message: "zebra"})
	if got := without.MetaTools(&bare)[0].Description; got != loadDescription {
		t.Errorf("with winnow.named 0 mcp_load says:\n%s", got)
	}
}

// TestView_NamedIsFixed: whatever happens in a task, mcp_load says the same
// until the conversation is compacted: its place is before all messages.
func TestView_NamedIsFixed(t *testing.T) {
	t.Parallel()
	for _, edit := range []func(*protocol.Settings){tiers(5, 20), topKOf(5)} {
		c := catalogOf(numbered("s", 0, 200))
		v := viewOf(c, edit)
		task := v.Open(Opening{ID: "t", Message: "common " + words(0, 5)})
		want := v.MetaTools(&task)
		named := namedIn(t, v, &task)
		if len(named) == 0 {
			t.Fatal("nothing is named")
		}
		same := func(what string) {
			t.Helper()
			wantSame(t, "Winnow's own tools after "+what, v.MetaTools(&task), want)
		}
		task = v.Turn(task, words(50, 30))
		same("another message")
		task, _ = v.Load(task, Request{Query: words(150, 30)})
		same("a load by query")
		task, _ = v.Load(task, Request{Names: named[:3]})
		same("a load by name")
		if got := v.Attachment(&task).Counts.Named; got >= len(task.Named) {
			t.Errorf("%d tools are only named after some of %d were attached", got, len(task.Named))
		}
		v = viewOf(catalogOf(numbered("s", 2, 50), numbered("other", 300, 20)), edit, func(s *protocol.Settings) { s.Named = 3 })
		task = v.Turn(task, words(300, 20))
		same("a change of the servers and the settings")
		task = roundTrip(t, &task)
		same("a restart")
		task = v.Compact(task, "common")
		if got := len(namedIn(t, v, &task)); got != 3 {
			t.Errorf("%d tools are named after a compaction, want 3", got)
		}
	}
}

// TestView_NamedOnce: a task that was routed before it named anything, such as
// one from before a restart with winnow.named 0, never names in the description.
func TestView_NamedOnce(t *testing.T) {
	t.Parallel()
	c := catalogOf(numbered("s", 0, 100))
	task := viewOf(c, tiers(5, 0)).Open(Opening{ID: "t", Message: words(0, 5)})
	v := viewOf(c, tiers(5, 20))
	task = v.Turn(task, words(20, 30))
	if got := namedIn(t, v, &task); len(got) != 0 {
		t.Errorf("named at the second message: %q", got)
	}
}

// TestView_NamedTool: what is named can be loaded by that name and called by it,
// also when the servers' change gives it another name since.
func TestView_NamedTool(t *testing.T) {
	t.Parallel()
	before := viewOf(catalogOf(serverOf("one", "open_zebra"), numbered("s", 0, 100)), tiers(0, 5))
	task := before.Open(Opening{ID: "t", Message: "zebra"})
	wantNames(t, "named", namedIn(t, before, &task), []string{"open_zebra"})
	id := ref("one", "open_zebra")
	// Now two servers have a tool of the name, and the catalogue calls them otherwise.
	after := viewOf(catalogOf(serverOf("one", "open_zebra"), serverOf("two", "open_zebra"), numbered("s", 0, 100)), tiers(0, 5))
	loaded, answer := after.Load(task, Request{Names: []string{"open_zebra"}})
	if place := loaded.Has(id); place < 0 || loaded.Attached[place].Name != "open_zebra" || len(answer.Sought) != 1 {
		t.Errorf("loaded by the name that the model knows: %q, attached %q", answer.Text, attachedNames(&loaded))
	}
	called, decision, err := after.Call(task, "open_zebra")
	if err != nil || decision.ID != id || called.Has(id) < 0 {
		t.Errorf("called by the name that the model knows: %+v, %v", decision, err)
	}
	both, _ := after.Load(task, Request{Names: []string{"two/open_zebra", "open_zebra"}})
	other := both.Attached[both.Has(ref("two", "open_zebra"))].Name
	if got, _ := after.Find(&both, "open_zebra"); got != id || other == "open_zebra" {
		t.Errorf("open_zebra means %v, the other server's tool is presented as %q", got, other)
	}
}

// TestView_LoadNames: an answer of mcp_load names what fits less well, once in
// the task's state, and never in the description.
func TestView_LoadNames(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 100)), tiers(2, 4))
	task := v.Open(Opening{ID: "t", Message: words(0, 2)})
	want := v.MetaTools(&task)
	task, loaded := v.Load(task, Request{Query: strings.Repeat(words(10, 3), 3) + words(20, 8), Limit: 3})
	for i := 10; i < 13; i++ {
		if !strings.Contains(loaded.Text, "- s_"+wordFor(i)+": A common thing.") {
			t.Errorf("not attached: %s in\n%s", wordFor(i), loaded.Text)
		}
	}
	_, more, _ := strings.Cut(loaded.Text, "Not attached, these fit less well")
	if got := strings.Count(more, "\n- s_"); got != 3 {
		t.Errorf("%d tools are named, want as many as are attached: 3\n%s", got, loaded.Text)
	}
	if got := v.Attachment(&task).Counts; got.Attached != 5 || got.Named != 3 {
		t.Errorf("counts %+v, want 5 attached and 3 named", got)
	}
	again, _ := v.Load(task, Request{Query: strings.Repeat(words(10, 3), 3) + words(20, 8), Limit: 3})
	wantSame(t, "the task after the same load again", again.State(), task.State())
	wantSame(t, "Winnow's own tools", v.MetaTools(&task), want)

	gateway := v.Serve(Task{ID: "g"}, protocol.GatewayDynamic, false)
	if _, loaded := v.Load(gateway, Request{Query: words(10, 8), Limit: 3}); !strings.Contains(loaded.Text, "these fit less well") {
		t.Errorf("a client of the gateway reads:\n%s", loaded.Text)
	}
}

// TestView_ExplainNamed: why says which tools are only named.
func TestView_ExplainNamed(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 60)), tiers(5, 3))
	task := v.Open(Opening{ID: "t", Message: words(0, 20)})
	named := map[string]bool{}
	for _, name := range namedIn(t, v, &task) {
		named[name] = true
	}
	if len(named) != 3 {
		t.Fatalf("named %v, want 3", named)
	}
	for _, e := range v.Explain(&task) {
		if is := e.Cause != nil && e.Cause.Kind == protocol.CauseNamed; is != named[e.Name] {
			t.Errorf("%s: named %v, cause %+v", e.Name, named[e.Name], e.Cause)
		}
	}
	sections := v.TokenUsage(&task, nil).Sections
	own := sections[len(sections)-1]
	if len(own.Children) != 2 || own.Children[1].Name != sectionNamed || own.Children[1].Tokens <= 0 ||
		own.Children[0].Tokens+own.Children[1].Tokens != own.Tokens {
		t.Errorf("usage: %+v", own)
	}
}

// TestView_Budget: the tokens of a task's tools are never more than
// winnow.budgetTokens, whoever wants them attached.
func TestView_Budget(t *testing.T) {
	t.Parallel()
	dear := ServerInput{Name: "dear", Tools: nil}
	dear.Tools = append(dear.Tools, rawTool("dear_zebra", "Zebra "+strings.Repeat("and more ", 200)))
	pinned := serverOf("p", "pin")
	pinned.Policy.AlwaysLoad = true
	c := catalogOf(numbered("s", 0, 30), dear, pinned) // under the threshold
	const budget = 1000
	v := viewOf(c, func(s *protocol.Settings) { s.BudgetTokens = budget })
	task := v.Open(Opening{ID: "t", Message: "zebra " + words(0, 30)})
	within := func(what string) {
		t.Helper()
		if got := task.tokens(); got > budget || got < budget/2 {
			t.Errorf("%s: %d tokens, want at most %d and more than half", what, got, budget)
		}
	}
	within("the first message")
	if task.Has(ref("p", "pin")) < 0 || task.Has(ref("dear", "dear_zebra")) >= 0 {
		t.Errorf("attached %q; want the pinned one, and not the dear one", attachedNames(&task))
	}
	if got := namedIn(t, v, &task); !slices.Contains(got, "dear_zebra") {
		t.Errorf("named %q, want dear_zebra among them", got)
	}
	for _, e := range v.Explain(&task) {
		if e.Tool == "dear_zebra" && (e.Cause == nil || e.Cause.Kind != protocol.CauseBudget) {
			t.Errorf("dear_zebra: %q", keptOut(e))
		}
	}
	task = v.Turn(task, words(0, 30))
	within("another message")
	var loaded Loaded
	task, loaded = v.Load(task, Request{Names: []string{"dear_zebra"}})
	within("a load")
	want := fmt.Sprintf("Not attached, its tools may cost %d tokens, and cost %d already (winnow.budgetTokens): dear_zebra.",
		budget, task.tokens())
	if !strings.Contains(loaded.Text, want) || len(loaded.Tools) != 0 {
		t.Errorf("the load is answered by\n%s\nwant\n%s", loaded.Text, want)
	}
	task, decision, err := v.Call(task, "dear_zebra")
	if err != nil || decision.Action != Run {
		t.Errorf("an early call: %+v, %v; want that it runs", decision, err)
	}
	within("an early call")
	off := viewOf(c, func(s *protocol.Settings) { s.BudgetTokens, s.SearchTurns = budget, 0 })
	if all := off.Open(Opening{ID: "t", Message: "zebra"}); len(all.Attached) != 32 {
		t.Errorf("%d tools with routing off, want all 32", len(all.Attached))
	}
}

// TestView_NamedForOne: no name is told for two tools, whatever the catalogue
// calls them by now.
func TestView_NamedForOne(t *testing.T) {
	t.Parallel()
	edits := []func(*protocol.Settings){tiers(1, 5), func(s *protocol.Settings) { s.SearchK = 1 }}
	before := viewOf(catalogOf(serverOf("one", "open_zebra"), numbered("s", 0, 100)), edits...)
	task := before.Open(Opening{ID: "t", Message: "zebra"})
	wantNames(t, "attached", attachedNames(&task), []string{"open_zebra"})
	// The server is gone, and another has a tool of the name.
	after := viewOf(catalogOf(serverOf("two", "open_zebra"), numbered("s", 0, 100)), edits...)
	other := "mcp__two__open_zebra"
	loaded, answer := after.Load(task, Request{Query: "common " + words(0, 1) + words(0, 1) + words(0, 1) + " zebra", Limit: 1})
	if !strings.Contains(answer.Text, "- "+other+": ") {
		t.Errorf("the answer of mcp_load:\n%s\nwant %s named in it", answer.Text, other)
	}
	_, found := after.FindTools(task, Find{Query: "zebra"})
	if !strings.Contains(found.Text, "\n"+other+"(") {
		t.Errorf("the answer of mcp_search:\n%s\nwant %s in it", found.Text, other)
	}
	for name, want := range map[string]ToolID{"open_zebra": ref("one", "open_zebra"), other: ref("two", "open_zebra")} {
		if got, err := after.Find(&loaded, name); got != want || err != nil {
			t.Errorf("%s means %v, %v; want %v", name, got, err, want)
		}
	}
	// In the description of mcp_load, with the next message that is routed first.
	held := before.Open(Opening{ID: "u", Message: "zebra"})
	held.Attached[0].Reason, held.LoadOffered, held.Window = protocol.ReasonCalled, false, 0
	held = after.Turn(held, words(0, 1)+words(0, 1)+" zebra")
	wantNames(t, "named", namedIn(t, after, &held), []string{other})
}

// TestAbout: a tool is named by what it is for, whatever stands before that.
func TestAbout(t *testing.T) {
	for _, tt := range [][2]string{
		{"Create a table. It may be empty.", "Create a table"},
		{"(Alpha, limited availability) Lists the alerts of a team.", "Lists the alerts of a team"},
		{"(Alpha). Lists the alerts of a team.", "Lists the alerts of a team"},
		{"⚠️ **MANDATORY: The handler will REJECT any call that does not name a project. Create a drawing. More.", "Create a drawing"},
		{"**Create** a page", "Create** a page"},
		{"You MUST call this first.", "You MUST call this first"},
		{"Search", "Search"},
		{"[beta] Delete a message. Now.", "Delete a message"},
		{"**[Notes/Cloud]-Notes-Send note", "Notes-Send note"},
		{"Tool name: updateNote Description: Updates a note.", "Updates a note"},
		{"When to use: models, datasets. Reads files of a hub.", "Reads files of a hub"},
		{"`git status` of a folder", "`git status` of a folder"},
		{"", ""},
	} {
		c := &Catalog{Tools: []Tool{{Definition: Definition{Description: tt[0]}}}}
		if got := about(c.Tools, 0); got != tt[1] {
			t.Errorf("%q: got %q, want %q", tt[0], got, tt[1])
		}
	}
	shared := "This is the public API of Notes. "
	c := catalogOf(ServerInput{Name: "notes", Tools: []json.RawMessage{
		rawTool("create_note", shared+"Creates a note."), rawTool("list_notes", shared+"Lists notes."), rawTool("drop_note", shared),
	}})
	var abouts []string
	for i := range c.Tools {
		abouts = append(abouts, about(c.Tools, i))
	}
	wantNames(t, "of one server", abouts, []string{"Creates a note", "Lists notes", "This is the public API of Notes"})
}

// TestView_NamedSaves: the lines that name tools cost at most a tenth of the
// tools that they leave out, so that on few tools fewer are named.
func TestView_NamedSaves(t *testing.T) {
	t.Parallel()
	for _, tools := range []int{40, 100, 1000} {
		v := viewOf(catalogOf(numbered("s", 0, tools)), tiers(30, 90), func(s *protocol.Settings) { s.Threshold = 10 })
		task := v.Open(Opening{ID: "t", Message: "common"})
		_, scope := v.scoped(&task)
		lines := len(task.names()) / bytesPerToken
		if saved := scope - task.tokens(); lines > saved/namedShare {
			t.Errorf("%d tools: the names cost %d tokens and save %d", tools, lines, saved)
		}
		if n := len(task.Named); tools == 1000 && n != 90 || tools == 40 && n > 10 {
			t.Errorf("%d tools: %d are named", tools, n)
		}
	}
}

// TestView_NamedFitsTheClient: names use up at most half of what the first routed request
// saves of what a client that hides tools behind groups sends by itself.
func TestView_NamedFitsTheClient(t *testing.T) {
	t.Parallel()
	c := BuildCatalog(CatalogInput{Source: "host", Verbatim: true, Servers: []ServerInput{numbered("s", 0, 500)}, Count: bytesCount}, nil)
	v := NewView(c, settingsOf(tiers(20, 90)), nil)
	// costing opens a task of a client that would send so many tokens.
	costing := func(client int) Task {
		group := protocol.ClientGroup{Name: "activate_s"}
		client -= len(PresentedJSON(group.Name, "", json.RawMessage(emptySchema)))
		group.Description = strings.Repeat("x", client)
		task := v.WithClient(Task{ID: "t"}, protocol.ClientTools{Groups: []protocol.ClientGroup{group}})
		return v.Turn(task, words(0, 200))
	}
	free := v.Turn(Task{ID: "t"}, words(0, 200))
	if len(free.Named) != 90 {
		t.Fatalf("%d tools are named where the client hides nothing, want 90", len(free.Named))
	}
	bare := free
	bare.Named = nil
	most, least := v.Attachment(&free).Tokens.Attached, v.Attachment(&bare).Tokens.Attached
	const line = 60 // at least what a name costs
	for saves, all := range map[int]bool{2 * (most - least): true, 2*(most-least) - 2: false, most - least: false, 4 * line: false, 0: false} {
		task := costing(least + saves)
		lines := v.Attachment(&task).Tokens.Attached - least
		if n := len(task.Named); lines > saves/2 || !all && lines < saves/2-line || all != (n == 90) {
			t.Errorf("%d names of %d tokens, where %d are saved without", n, lines, saves)
		}
		wantNames(t, "attached", attachedNames(&task), attachedNames(&free))
		next := v.Turn(task, words(200, 30))
		wantSame(t, "what mcp_load says at the next message", v.MetaTools(&next), v.MetaTools(&task))
		again := costing(least + saves)
		wantSame(t, "the same request again", again.State(), task.State())
	}
	// Names would make a request that costs more anyway cost more still.
	if task := costing(least - 2); len(task.Named) != 0 {
		t.Errorf("%d tools are named where nothing is saved, want none", len(task.Named))
	}
}
