package router

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// loadView is a catalogue above the threshold with a few tools to ask for.
func loadView(edits ...func(*protocol.Settings)) *View {
	off := serverOf("off", "forbidden_thing")
	off.Policy.DisabledTools = []string{"forbidden_thing"}
	github := ServerInput{Name: "github"}
	github.Tools = append(github.Tools,
		rawTool("create_issue", "Create an issue in a repository.\nSecond line."),
		rawTool("list_issues", "List the issues of a repository."),
		rawTool("merge_pull_request", strings.Repeat("Merge é ", 60)),
		rawTool("no_words", ""))
	return viewOf(catalogOf(numbered("s", 0, 200), github, off), edits...)
}

// loadedNames returns the names of what a load answers with.
func loadedNames(l Loaded, already bool) []string {
	names := []string{}
	for _, tool := range l.Tools {
		if tool.Already == already {
			names = append(names, tool.Name)
		}
	}
	return names
}

// TestView_Load_bounded: whatever a model asks for costs no more than what is
// looked at of it. Without bounds each of these takes minutes.
func TestView_Load_bounded(t *testing.T) {
	t.Parallel()
	v := loadView()
	task := v.Open(Opening{ID: "t", Message: "nothing that fits"})
	many := make([]string, 100_000)
	for i := range many {
		many[i] = fmt.Sprintf("no_such_tool_%d", i)
	}
	many[maxNames-1], many[maxNames] = "github/list_issues", "github/create_issue"
	told := fmt.Sprintf("%d more names were not looked at; give at most %d at a time.", len(many)-maxNames, maxNames)
	_, loaded := v.Load(task, Request{Names: many})
	if len(loaded.Tools) != 1 || loaded.Tools[0].Name != "list_issues" || !strings.Contains(loaded.Text, told) || strings.Count(loaded.Text, "\n") > 2+maxNotes {
		t.Errorf("%d names: %s", len(many), loaded.Text)
	}
	_, found := v.FindTools(task, Find{Query: selectPrefix + strings.Join(many, ",")})
	if len(found.Tools) != 1 || !strings.Contains(found.Text, told) || strings.Contains(found.Text, "create_issue") {
		t.Errorf("%d names are selected: %s", len(many), found.Text)
	}
	long := strings.Repeat("issue_in_a_repository/", 200_000)
	if _, loaded := v.Load(task, Request{Names: []string{long}}); len(loaded.Tools) != 0 || len(loaded.Text) > 1000 {
		t.Errorf("a long name: %d tools, %.200s", len(loaded.Tools), loaded.Text)
	}
	if _, _, err := v.Call(task, long); err == nil || len(err.Error()) > 1000 {
		t.Errorf("a call of a long name: %.200v", err)
	}
	for _, limit := range []int{math.MaxInt, math.MaxInt - 10} {
		if _, loaded := v.Load(task, Request{Query: "create an issue in a repository", Limit: limit}); !strings.Contains(loaded.Text, "- create_issue: ") {
			t.Errorf("a limit of %d: %s", limit, loaded.Text)
		}
		if _, found := v.FindTools(task, Find{Query: long, Limit: limit}); len(found.Tools) > maxFound {
			t.Errorf("a limit of %d: %d tools are found", limit, len(found.Tools))
		}
	}
}

// TestView_Load pins what is attached and what the model reads of it.
func TestView_Load(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		request Request
		want    []string // attached now, in the order of the answer
		already []string
		text    string
	}{
		{"by query", Request{Query: "create issue repository"}, []string{"create_issue", "list_issues"}, nil,
			"Attached now, call them from your next message on:\n" +
				"- create_issue: Create an issue in a repository.\n- list_issues: List the issues of a repository."},
		{"by query with a limit", Request{Query: "create issue repository", Limit: 1}, []string{"create_issue"}, nil,
			"Attached now, call them from your next message on:\n- create_issue: Create an issue in a repository.\n" +
				"Not attached, these fit less well; attach one by its name in `names`:\n- list_issues: List the issues of a repository"},
		{"by name", Request{Names: []string{"no_words", "github/list_issues", "no-words"}}, []string{"no_words", "list_issues"}, nil,
			"Attached now, call them from your next message on:\n" +
				"- no_words: (no description)\n- list_issues: List the issues of a repository."},
		{"a query that is a name", Request{Query: "merge_pull_request"}, []string{"merge_pull_request"}, nil,
			"Attached now, call them from your next message on:\n- merge_pull_request: " +
				strings.Repeat("Merge é ", 13) + "Mer…"},
		{"names and a query", Request{Names: []string{"no_words"}, Query: "merge", Limit: 1},
			[]string{"no_words", "merge_pull_request"}, nil, ""},
		{"attached already", Request{Names: []string{"s_zqbbb", "create_issue"}}, []string{"create_issue"}, []string{"s_zqbbb"},
			"Attached now, call them from your next message on:\n- create_issue: Create an issue in a repository.\n" +
				"Already attached, call them:\n- s_zqbbb: A common thing."},
		{"unknown", Request{Names: []string{"create_isue"}}, nil, nil,
			`Not loaded: there is no tool "create_isue". Did you mean create_issue?`},
		{"unknown without anything like it", Request{Names: []string{"xyzzy"}}, nil, nil,
			`Not loaded: there is no tool "xyzzy". Search with mcp_load.`},
		{"out of scope", Request{Names: []string{"forbidden_thing"}}, nil, nil,
			`Not loaded: forbidden_thing may not be used: switched off in its server's entry. Change that to allow it: disabledTools of server "off".`},
		{"one good, one not", Request{Names: []string{"xyzzy", "no_words"}}, []string{"no_words"}, nil,
			"Attached now, call them from your next message on:\n- no_words: (no description)\n" +
				`Not loaded: there is no tool "xyzzy". Search with mcp_load.`},
		{"nothing asked", Request{}, nil, nil,
			"Say in `query` what the tool has to do, or give `names`. There are tools of: s (200), github (4)"},
		{"no match", Request{Query: "qqq www"}, nil, nil,
			`No tool matches "qqq www"; all 204 tools were compared, so the same words will not find more.` +
				" There are tools of: s (200), github (4)"},
		{"an unknown name and no match", Request{Names: []string{"xyzzy"}, Query: "qqq"}, nil, nil,
			`Not loaded: there is no tool "xyzzy". Search with mcp_load.` + "\n" +
				`No tool matches "qqq"; all 204 tools were compared, so the same words will not find more.` +
				" There are tools of: s (200), github (4)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := loadView()
			task := v.Open(Opening{ID: "t", Message: words(0, 30)})
			before := attachedNames(&task)
			next, loaded := v.Load(task, tt.request)
			wantNames(t, "loaded", loadedNames(loaded, false), tt.want)
			wantNames(t, "already there", loadedNames(loaded, true), tt.already)
			if tt.text != "" && loaded.Text != tt.text {
				t.Errorf("text:\n%s\nwant:\n%s", loaded.Text, tt.text)
			}
			got := attachedNames(&next)
			wantNames(t, "what was attached", got[:len(before)], before)
			if len(got) != len(before)+len(tt.want) || attachReasons(&next)[protocol.ReasonLoaded] != len(tt.want) {
				t.Errorf("attached %v", attachReasons(&next))
			}
			again, repeated := v.Load(next, tt.request)
			wantSame(t, "the task after the same load again", v.Attachment(&again), v.Attachment(&next))
			if n := len(loadedNames(repeated, false)); n != 0 {
				t.Errorf("the same load again attaches %d tools", n)
			}
		})
	}
}

// TestView_LoadSearchK: a query attaches searchK tools unless it says how
// many.
func TestView_LoadSearchK(t *testing.T) {
	t.Parallel()
	v := loadView(func(s *protocol.Settings) { s.SearchK = 4 })
	task := v.Open(Opening{ID: "t", Message: "nothing"})
	n := len(task.Attached)
	if got, _ := v.Load(task, Request{Query: words(100, 20)}); len(got.Attached) != n+4 {
		t.Errorf("%d tools, want 4", len(got.Attached)-n)
	}
	if got, _ := v.Load(task, Request{Query: words(100, 20), Limit: 7}); len(got.Attached) != n+7 {
		t.Errorf("%d tools, want 7", len(got.Attached)-n)
	}
	if got, _ := v.Load(task, Request{Query: words(100, 20), Limit: -1}); len(got.Attached) != n+4 {
		t.Errorf("%d tools, want 4", len(got.Attached)-n)
	}
}

// TestView_LoadNameWithinLimit: the tool that a query names is one of those
// that the limit admits, also where others rank before it.
func TestView_LoadNameWithinLimit(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 100), serverOf("z", "do_common"))).
		WithUsage(Usage{ref("s", "s_zqbbb"): 100, ref("s", "s_zqbbc"): 100, ref("s", "s_zqbbd"): 100})
	task := v.Open(Opening{ID: "t", Message: words(50, 30)})
	for limit := 1; limit <= 3; limit++ {
		_, loaded := v.Load(task, Request{Query: "do_common", Limit: limit})
		if len(loaded.Tools) != limit || loaded.Tools[0].Name != "do_common" {
			t.Errorf("with a limit of %d: %+v", limit, loaded.Tools)
		}
	}
}

// TestView_LoadAnyTurn: the frozen set can still be added to.
func TestView_LoadAnyTurn(t *testing.T) {
	t.Parallel()
	v := loadView(searchTurns(1))
	task := v.Open(Opening{ID: "t", Message: "common"})
	for range 20 {
		task = v.Turn(task, words(100, 5))
	}
	n := len(task.Attached)
	task, _ = v.Load(task, Request{Query: words(100, 5)})
	if len(task.Attached) != n+5 || task.Attached[n].Turn != 21 || !v.Frozen(&task) {
		t.Errorf("%d tools were %d", len(task.Attached), n)
	}
}

// TestView_LoadLimit: when a request is full, nothing is evicted, the limit is
// named, and the best of what was asked for goes first.
func TestView_LoadLimit(t *testing.T) {
	t.Parallel()
	v := loadView(maxTools(34))
	task := v.Open(Opening{ID: "t", Message: words(0, 30)})
	next, loaded := v.Load(task, Request{Names: toolNames("s", 100, 5)})
	wantNames(t, "loaded", loadedNames(loaded, false), toolNames("s", 100, 3))
	want := "Not attached, the limit of 34 tools in a request is reached (winnow.maxTools or the model's own limit): " +
		"s_zqcbf, s_zqcbg. Work with the tools you have."
	if !strings.HasSuffix(loaded.Text, want) {
		t.Errorf("text:\n%s\nwant at its end:\n%s", loaded.Text, want)
	}
	wantNames(t, "attached", attachedNames(&next)[:30], attachedNames(&task))
	full, loaded := v.Load(next, Request{Query: words(150, 40), Limit: 40})
	if len(full.Attached) != 33 || len(loaded.Tools) != 0 || len(loaded.Text) > 400 {
		t.Errorf("%d tools; %d bytes of text: %s", len(full.Attached), len(loaded.Text), loaded.Text)
	}
	if full.Generation != next.Generation {
		t.Error("a refused load changes the generation")
	}
}

// TestView_LoadMissIsShort: whatever was asked for and whatever there is, a
// miss takes fewer than 400 characters, and says how many were compared.
func TestView_LoadMissIsShort(t *testing.T) {
	t.Parallel()
	var many []ServerInput
	for i := range 100 {
		many = append(many, numbered(fmt.Sprintf("%03d%s", i, strings.Repeat("n", i)), i*3, 3))
	}
	v := viewOf(catalogOf(many...))
	queries := []string{
		"qqq", strings.Repeat("qqq ", 500), strings.Repeat("\x01", 500), strings.Repeat("\u202e", 300), strings.Repeat("語", 3000),
		"\"\\\n\t\"" + strings.Repeat("\"", 100), `{"type":"object","properties":{"zz":{}}}`, "\xff\xfe\xfd",
	}
	for _, query := range queries {
		task := v.Open(Opening{ID: "t", Message: "hello"})
		next, loaded := v.Load(task, Request{Query: query})
		if len(loaded.Tools) != 0 || len(next.Attached) != len(task.Attached) {
			t.Errorf("%.20q loads %v", query, loaded.Tools)
		}
		if len(loaded.Text) >= 400 || !strings.Contains(loaded.Text, "all 300 tools were compared") ||
			!strings.Contains(loaded.Text, "000 (3)") {
			t.Errorf("%.20q: %d bytes: %s", query, len(loaded.Text), loaded.Text)
		}
	}
}

// TestView_LoadNothingThere: without any tool the answer says so.
func TestView_LoadNothingThere(t *testing.T) {
	t.Parallel()
	v := NewView(catalogOf(numbered("s", 0, 60)), settingsOf(), &Mode{Slug: "m", NoMCP: true})
	task := v.Open(Opening{ID: "t", Message: "hello"})
	if _, loaded := v.Load(task, Request{Query: "common"}); loaded.Text != `No tool is available to this task: groups of mode "m" keeps out 60 tools.` {
		t.Errorf("text %q", loaded.Text)
	}
}

// TestWhyNone: whoever has no tool is told why, in bounded length.
func TestWhyNone(t *testing.T) {
	t.Parallel()
	off := Policy{Disabled: true}
	one := numbered("one", 0, 1)
	one.Policy = off
	for name, tc := range map[string]struct {
		servers []ServerInput
		want    string
	}{
		"no server": {nil, ": there is no MCP server."},
		"a rule":    {[]ServerInput{one}, `: disabled of server "one" keeps out 1 tool.`},
		"away":      {[]ServerInput{{Name: "a", Unavailable: "exit status 1"}}, `: server "a" is away: exit status 1.`},
		"starting":  {[]ServerInput{{Name: "a"}, {Name: "b"}}, `. Still starting: a, b. Ask again in a moment.`},
		"many": {[]ServerInput{one, {Name: "a", Unavailable: "x"}, {Name: "b", Unavailable: "x"}, {Name: "c", Unavailable: "x"}},
			`: disabled of server "one" keeps out 1 tool; server "a" is away: x; server "b" is away: x; and so on.`},
	} {
		v := viewOf(catalogOf(tc.servers...))
		task := v.Serve(Task{ID: "t"}, protocol.GatewayDispatch, false)
		if _, found := v.FindTools(task, Find{Query: "common"}); found.Text != "No tool is available to this task"+tc.want {
			t.Errorf("%s: got %q, want …%q", name, found.Text, tc.want)
		}
	}
}

// TestJoined: a list is cut between names.
func TestJoined(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		names []string
		n     int
		want  string
	}{
		{nil, 10, ""},
		{[]string{"one"}, 1, "one"},
		{[]string{"one", "two"}, 6, "one, two"},
		{[]string{"one", "two", "three"}, 8, "one, two and 1 more"},
	} {
		if got := joined(tc.names, tc.n); got != tc.want {
			t.Errorf("%q in %d bytes: got %q, want %q", tc.names, tc.n, got, tc.want)
		}
	}
}

// TestView_LoadBoundsNotes: a hundred wrong names do not make a wall of text.
func TestView_LoadBoundsNotes(t *testing.T) {
	t.Parallel()
	v := loadView()
	task := v.Open(Opening{ID: "t", Message: "hello"})
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("wrong%d_%s", i, strings.Repeat("w", 200)))
	}
	if _, loaded := v.Load(task, Request{Names: names}); strings.Count(loaded.Text, "\n") >= maxNotes || len(loaded.Text) > 1000 {
		t.Errorf("%d bytes: %s", len(loaded.Text), loaded.Text)
	}
}

// TestView_LoadTombstone: what is gone is not said to be unknown.
func TestView_LoadTombstone(t *testing.T) {
	t.Parallel()
	v := loadView()
	task := v.Open(Opening{ID: "t", Message: "create issue"})
	without := viewOf(catalogOf(numbered("s", 0, 200)))
	_, loaded := without.Load(task, Request{Names: []string{"create_issue"}})
	want := `Not loaded: github/create_issue is gone: its server no longer offers it. Restart server "github", or work without the tool.`
	if loaded.Text != want {
		t.Errorf("text %q, want %q", loaded.Text, want)
	}
}

// TestView_Search finds in the task's scope and attaches nothing.
func TestView_Search(t *testing.T) {
	t.Parallel()
	v := loadView()
	task := v.Open(Opening{ID: "t", Message: words(0, 30)})
	matches := v.Search(&task, "create issue repository", 0, true)
	if len(matches) != 2 || v.Catalog.Tools[matches[0].Doc].ID.Tool != "create_issue" {
		t.Fatalf("found %v", matches)
	}
	sum := 0.0
	for _, p := range WireParts(matches[0].Parts) {
		sum += p.Value
	}
	if sum != matches[0].Score || len(matches[0].Parts) == 0 {
		t.Errorf("parts %v make %v, the score is %v", matches[0].Parts, sum, matches[0].Score)
	}
	if got := v.Search(&task, "common", 0, false); len(got) != 10 || got[0].Parts != nil {
		t.Errorf("%d matches by default, want searchK", len(got))
	}
	if got := v.Search(&task, "common", 33, false); len(got) != 33 {
		t.Errorf("%d matches, want 33", len(got))
	}
}

// TestLoadQuery pins what is searched for.
func TestLoadQuery(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, want string }{
		{"plain", " create a GitHub issue \n", "create a GitHub issue"},
		{"empty", " ", ""},
		{"empty object", "{}", ""},
		{"its own arguments", `{"query":"create issue","names":[]}`, "create issue"},
		{"a tool's definition", `{"name":"create_issue","description":"Create it","inputSchema":{"type":"object",` +
			`"properties":{"title":{"type":"string"}},"required":["title"]}}`, "create_issue Create it title title"},
		{"a list", `["read file", "write file"]`, "read file write file"},
		{"a schema that says nothing", `{"type":"object"}`, ""},
		{"cut off", `{"text":"read file","more":{"pa`, "text read file more pa"},
		{"words behind it", `["git"] and find the commits`, "git and find the commits"},
		{"a tag", "[GitHub] create an issue", "GitHub] create an issue"},
		{"a brace", "{create} an issue", "create} an issue"},
		{"numbers only", "[1,2,3]", ""},
		{"JSON within words", `make {"a":1}`, `make {"a":1}`},
	}
	for _, tt := range tests {
		if got := loadQuery(tt.raw); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	for _, wall := range []string{strings.Repeat("wall é ", 9000), `{"a":"` + strings.Repeat("wall é ", 9000) + `"}`, "[" + strings.Repeat(`"é",`, 9000)} {
		if got := loadQuery(wall); len(got) > maxQueryLength || len(got) < maxQueryLength/2 || strings.ToValidUTF8(got, "") != got {
			t.Errorf("a wall gives %d bytes", len(got))
		}
	}
}

// FuzzLoadQuery: any text gives a query of bounded length, and never half a
// character more than it had.
func FuzzLoadQuery(f *testing.F) {
	for _, seed := range []string{"create issue", `{"query":"x"}`, `{"a":{"b":["c",1,null]}} tail`, "[", "{\"", "[GitHub] x", "\ufeff{}", `["\ud800"]`} {
		f.Add(seed)
	}
	v := loadView()
	task := v.Open(Opening{ID: "t", Message: "hello"})
	f.Fuzz(func(t *testing.T, raw string) {
		query := loadQuery(raw)
		if len(query) > maxQueryLength {
			t.Errorf("%d bytes", len(query))
		}
		if strings.ToValidUTF8(raw, "") == raw && strings.ToValidUTF8(query, "") != query {
			t.Errorf("%q is cut within a character", query)
		}
		if loadQuery(raw) != query {
			t.Error("two readings differ")
		}
		next, loaded := v.Load(task, Request{Query: raw, Names: []string{raw}})
		if loaded.Text == "" || len(next.Attached) < len(task.Attached) {
			t.Errorf("text %q", loaded.Text)
		}
		if again, _ := v.Load(next, Request{Query: raw, Names: []string{raw}}); len(again.Attached) != len(next.Attached) {
			t.Error("the same load again attaches more")
		}
		if _, err := v.Find(&task, raw); err != nil {
			var refusal *Refusal
			if !errors.As(err, &refusal) || refusal.Next == "" {
				t.Errorf("refused by %v", err)
			}
		}
	})
}

// TestView_LoadNamesOthers: what an answer of mcp_load attaches, or could not, it
// does not name as fitting less well.
func TestView_LoadNamesOthers(t *testing.T) {
	t.Parallel()
	for _, v := range []*View{loadView(), loadView(func(s *protocol.Settings) { s.BudgetTokens = 1 })} {
		_, loaded := v.Load(Task{ID: "t", Routing: protocol.AttachDynamic}, Request{Query: "create issue repository", Names: []string{"list_issues"}, Limit: 1})
		if got := strings.Count(loaded.Text, "list_issues"); got != 1 {
			t.Errorf("list_issues is told %d times, want once:\n%s", got, loaded.Text)
		}
	}
}

// TestView_NoTool: why there is none reads as a sentence, each rule once.
func TestView_NoTool(t *testing.T) {
	t.Parallel()
	off := serverOf("off", "forbidden_thing")
	off.Policy.DisabledTools = []string{"forbidden_thing"}
	stopped := serverOf("rest", "one", "two")
	stopped.Stopped = true
	v := viewOf(catalogOf(off, stopped), func(s *protocol.Settings) { s.Threshold = 0 })
	_, loaded := v.Load(Task{ID: "t", Routing: protocol.AttachDynamic}, Request{Query: "anything"})
	want := `No tool is available to this task: disabledTools of server "off" keeps out 1 tool; server "rest" is stopped, with its 2 tools.`
	if loaded.Text != want {
		t.Errorf("got  %s\nwant %s", loaded.Text, want)
	}
}

// TestView_whose: of two tools alike, of which a host's names tell no server, the
// answers say whose each is; and the names that models make of a server's and a
// tool's lead to the host's.
func TestView_whose(t *testing.T) {
	t.Parallel()
	tool := func(server, name string) ServerInput {
		return ServerInput{Name: server, Tools: []json.RawMessage{rawTool(name, "Search issues.")}, OwnNames: map[string]ToolID{name: {Server: server, Tool: "search"}}}
	}
	v := viewOf(BuildCatalog(CatalogInput{Verbatim: true, Count: bytesCount, Servers: []ServerInput{
		numbered("s", 0, 200), tool("Atlassian Cloud", "mcp_atlassian_cl_search"), tool("linear", "mcp_linear_search"),
	}}, nil))
	task := v.Open(Opening{ID: "t", Message: "nothing that fits"})
	_, loaded := v.Load(task, Request{Names: []string{"mcp_atlassian_cl_search", "mcp_linear_search"}})
	_, found := v.FindTools(task, Find{Query: selectPrefix + "mcp_atlassian_cl_search,mcp_linear_search"})
	for _, text := range []string{loaded.Text, found.Text} {
		if !strings.Contains(text, "Atlassian Cloud: Search issues.") || strings.Contains(text, "linear: ") {
			t.Errorf("got %s, want the server only where the name does not tell it", text)
		}
	}
	// So say the attached tools, the same in each task and at each turn.
	for _, again := range []string{"search issues", "other words"} {
		task, _ := v.Load(v.Open(Opening{ID: "t", Message: again}), Request{Names: []string{"mcp_atlassian_cl_search", "mcp_linear_search"}})
		task = v.Turn(task, "and now")
		said := 0
		for _, a := range v.Attachment(&task).Tools {
			want := map[string]string{"mcp_atlassian_cl_search": "Atlassian Cloud: Search issues.", "mcp_linear_search": "Search issues."}[a.Name]
			if want == "" {
				continue
			}
			if said++; a.Description != want || a.Tokens != bytesCount(string(PresentedJSON(a.Name, a.Description, a.InputSchema))) {
				t.Errorf("%s is described by %q, for %d tokens", a.Name, a.Description, a.Tokens)
			}
		}
		if said != 2 {
			t.Errorf("%d of both are attached", said)
		}
	}
	for _, name := range []string{"linear_search", "linear__search", "mcp__linear__search", "linear/search", "linear.search"} {
		if i, ok := v.Catalog.Resolve(name); !ok || v.Catalog.Tools[i].Name != "mcp_linear_search" {
			t.Errorf("%s leads to %d, %v, want mcp_linear_search", name, i, ok)
		}
	}
	if i, ok := v.Catalog.Resolve("search"); ok {
		t.Errorf("search leads to %s, and may be either", v.Catalog.Tools[i].Name)
	}
}
