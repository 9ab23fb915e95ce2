package router

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// presented returns the names of a catalogue's tools by `server/tool`.
func presented(c *Catalog) map[string]string {
	names := map[string]string{}
	for i := range c.Tools {
		names[c.Tools[i].ID.String()] = c.Tools[i].Name
	}
	return names
}

// TestCatalog_Names pins the forms a name takes.
func TestCatalog_Names(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 60)
	tests := []struct {
		name      string
		qualified bool
		servers   []ServerInput
		want      map[string]string
	}{
		{"its own", false, []ServerInput{serverOf("git", "commit", "push-all", "Ünïcode_not")},
			map[string]string{"git/commit": "commit", "git/push-all": "push-all"}},
		{"qualified on collision only", false, []ServerInput{serverOf("a", "search", "other"), serverOf("b", "search")},
			map[string]string{"a/search": "mcp__a__search", "b/search": "mcp__b__search", "a/other": "other"}},
		{"a name in another case is the same", false, []ServerInput{serverOf("a", "Search"), serverOf("b", "search")},
			map[string]string{"a/Search": "mcp__a__Search", "b/search": "mcp__b__search"}},
		{"- and _ are the same", false, []ServerInput{serverOf("a", "do-it"), serverOf("b", "do_it")},
			map[string]string{"a/do-it": "mcp__a__do-it", "b/do_it": "mcp__b__do_it"}},
		{"within one server too", false, []ServerInput{serverOf("a", "do-it", "do_it")},
			map[string]string{"a/do-it": "mcp__a__do-it", "a/do_it": "mcp__a__do_it"}},
		{"when the host asks", true, []ServerInput{serverOf("git", "commit")},
			map[string]string{"git/commit": "mcp__git__commit"}},
		{"64 characters", false, []ServerInput{serverOf("s", strings.Repeat("y", 64))},
			map[string]string{"s/" + strings.Repeat("y", 64): strings.Repeat("y", 64)}},
		{"65 characters", false, []ServerInput{serverOf("s", strings.Repeat("y", 65))},
			map[string]string{"s/" + strings.Repeat("y", 65): "mcp__s__" + strings.Repeat("y", 47) + "_8585dca1"}},
		{"qualified of 64", true, []ServerInput{serverOf("s", strings.Repeat("y", 56))},
			map[string]string{"s/" + strings.Repeat("y", 56): "mcp__s__" + strings.Repeat("y", 56)}},
		{"cut only where two would be one", true, []ServerInput{serverOf("s", long+"1", long+"2")},
			map[string]string{"s/" + long + "1": "mcp__s__" + long[:47] + "_ee0b52c8", "s/" + long + "2": "mcp__s__" + long[:47] + "_aea5e69f"}},
		{"Winnow's own names", false, []ServerInput{serverOf("s", LoadName, SearchName, CallName, ResultName, ProxyName)},
			map[string]string{"s/mcp_load": "mcp__s__mcp_load", "s/mcp_search": "mcp__s__mcp_search", "s/mcp_call": "mcp__s__mcp_call",
				"s/mcp_result": "mcp__s__mcp_result", "s/winnow_call": "mcp__s__winnow_call"}},
		{"a name that begins with a digit", false, []ServerInput{serverOf("s", "3d")}, map[string]string{"s/3d": "mcp__s__3d"}},
		{"a name that looks qualified", false, []ServerInput{serverOf("evil", "mcp__good__pay"), serverOf("good", "pay"), serverOf("x", "pay")},
			map[string]string{"evil/mcp__good__pay": "mcp__evil__mcp__good__pay", "good/pay": "mcp__good__pay", "x/pay": "mcp__x__pay"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := BuildCatalog(CatalogInput{Qualified: tt.qualified, Servers: tt.servers, Count: bytesCount}, nil)
			got := presented(c)
			for id, want := range tt.want {
				if got[id] != want {
					t.Errorf("%s is called %q, want %q", id, got[id], want)
				}
			}
			wantGoodNames(t, c)
		})
	}
}

// wantGoodNames fails unless every name is legal, unique and leads back.
func wantGoodNames(t *testing.T, c *Catalog) {
	t.Helper()
	seen := map[string]ToolID{}
	for i := range c.Tools {
		tool := &c.Tools[i]
		if !legalName(tool.Name) {
			t.Errorf("%q is called %q, which is not legal", tool.ID, tool.Name)
		}
		if IsMetaTool(tool.Name) {
			t.Errorf("%q is called %q, which is Winnow's", tool.ID, tool.Name)
		}
		if other, taken := seen[tool.Name]; taken {
			t.Errorf("%q and %q are both called %q", tool.ID, other, tool.Name)
		}
		seen[tool.Name] = tool.ID
		if back, ok := c.Resolve(tool.Name); !ok || back != i {
			t.Errorf("%q does not lead back to %q", tool.Name, tool.ID)
		}
	}
}

// TestCatalog_Taken: no tool is presented under a name of the host's own tools, nor
// under one that a model takes for it; others keep theirs.
func TestCatalog_Taken(t *testing.T) {
	t.Parallel()
	c := BuildCatalog(CatalogInput{
		Count: bytesCount, Servers: []ServerInput{serverOf("files", "read_file", "Write-File", "list", "odd")},
		Taken: []string{"read_file", "write_file", "mcp__files__odd", "odd"},
	}, nil)
	var names []string
	for i := range c.Tools {
		names = append(names, c.Tools[i].Name)
	}
	odd := names[len(names)-1]
	if want := []string{"mcp__files__read_file", "mcp__files__Write-File", "list"}; !slices.Equal(names[:3], want) || odd == "mcp__files__odd" || odd == "odd" {
		t.Errorf("got %q, want %q and another one of odd", names, want)
	}
}

// TestCatalog_NamesOfOddServers: what is replaced or ambiguous is told apart
// by a hash.
func TestCatalog_NamesOfOddServers(t *testing.T) {
	t.Parallel()
	c := BuildCatalog(CatalogInput{Qualified: true, Count: bytesCount, Servers: []ServerInput{
		serverOf("a b", "t"), serverOf("a_b", "t"), serverOf("a.b", "t"), serverOf("a__b", "c"), serverOf("a", "b__c", "_c"),
		serverOf("a_", "c"), serverOf("日本", "語"), serverOf("@scope/pkg", "t"), serverOf("", "t"), serverOf("s", "💥", "�", "."),
	}}, nil)
	wantGoodNames(t, c)
	for id, want := range map[string]string{"a_b/t": "mcp__a_b__t", "a/b__c": "mcp__a__b__c"} {
		if got := presented(c)[id]; got != want {
			t.Errorf("%s is called %q, want %q", id, got, want)
		}
	}
	for id, want := range map[string]string{
		"a b/t": "mcp__a_b__t_", "a__b/c": "mcp__a__b__c_", "a_/c": "mcp__a___c_", "a/_c": "mcp__a___c_",
		"日本/語": "mcp________", "@scope/pkg/t": "mcp___scope_pkg__t_",
	} {
		if got := presented(c)[id]; !strings.HasPrefix(got, want) {
			t.Errorf("%s is called %q, want %q", id, got, want)
		}
	}
}

// TestCatalog_NamesCannotBeTaken: a server that knows how names are made can
// neither take another's nor make two the same.
func TestCatalog_NamesCannotBeTaken(t *testing.T) {
	t.Parallel()
	victim := ref("a b", "t")
	hashed := QualifiedName(victim)
	squatter := strings.TrimPrefix(hashed, "mcp__a_b__")
	for _, qualified := range []bool{false, true} {
		c := BuildCatalog(CatalogInput{Qualified: qualified, Count: bytesCount, Servers: []ServerInput{
			serverOf("a_b", squatter, hashed), serverOf("evil", hashed, "mcp__x__t"), serverOf("a b", "t"), serverOf("x", "t"),
		}}, nil)
		wantGoodNames(t, c)
		i, ok := c.Lookup(victim)
		if !ok || !strings.HasPrefix(c.Tools[i].Name, "mcp__a_b__t_") {
			t.Errorf("the victim is called %q", c.Tools[i].Name)
		}
	}
}

// TestFreeName goes on until a name is free, and always to the same one.
func TestFreeName(t *testing.T) {
	t.Parallel()
	id := ref("s", "t")
	taken := map[string]bool{}
	for range 20 {
		name := freeName("mcp__s__t", id, func(name string) bool { return taken[name] })
		if taken[name] || !legalName(name) || !strings.HasPrefix(name, "mcp__s__t") {
			t.Fatalf("%q after %d others", name, len(taken))
		}
		if again := freeName("mcp__s__t", id, func(name string) bool { return taken[name] }); again != name {
			t.Errorf("%q, then %q", name, again)
		}
		taken[name] = true
	}
}

// TestCatalog_NamesAreStable: a name depends on the catalogue alone, not on
// what was built before it.
func TestCatalog_NamesAreStable(t *testing.T) {
	t.Parallel()
	servers := []ServerInput{serverOf("a", "x", "y"), serverOf("b", "x"), serverOf("c d", "y", "z")}
	fresh := catalogOf(servers...)
	again := BuildCatalog(CatalogInput{Servers: servers, Count: bytesCount}, catalogOf(serverOf("a", "x"), serverOf("q", "z")))
	wantSame(t, "names", presented(again), presented(fresh))
}

// TestCatalog_Verbatim keeps a host's names, whatever they are, and leaves out
// those that cannot be told apart.
func TestCatalog_Verbatim(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 300)
	c := BuildCatalog(CatalogInput{Verbatim: true, Count: bytesCount, Servers: []ServerInput{
		serverOf("a", "mcp_git_commit", "日本 語", long, "mcp__q__w", "Search"),
		serverOf("b", "search", "mcp_git_commit", LoadName),
	}}, nil)
	var got []string
	for i := range c.Tools {
		got = append(got, c.Tools[i].Name)
		if back, ok := c.Resolve(c.Tools[i].Name); !ok || back != i {
			t.Errorf("%q does not lead back", c.Tools[i].Name)
		}
	}
	wantNames(t, "names", got, []string{"mcp_git_commit", "日本 語", long, "mcp__q__w", "Search", "search"})
	if w := c.Servers[1].Warnings; len(w) != 2 || !strings.Contains(w[0], "same name") || !strings.Contains(w[1], "Winnow's own") {
		t.Errorf("warnings %q", w)
	}
}

// TestCatalog_Resolve accepts what models make of names, as long as only one
// tool can be meant.
func TestCatalog_Resolve(t *testing.T) {
	t.Parallel()
	c := catalogOf(
		serverOf("github", "create_issue", "list-repos", "search"), serverOf("jira", "createTicket", "search"),
		serverOf("@scope/pkg", "run/now", "go"), serverOf("a", "b/c"), serverOf("a/b", "c"), serverOf("my server", "fly"),
	)
	const none = "none"
	tests := []struct{ name, want string }{
		{"create_issue", "github/create_issue"},
		{"mcp__github__create_issue", "github/create_issue"}, // never presented so, yet meant
		{"github__create_issue", "github/create_issue"},
		{"github/create_issue", "github/create_issue"},
		{"github.create_issue", "github/create_issue"},
		{"github:create_issue", "github/create_issue"},
		{"functions.create_issue", "github/create_issue"},
		{"functions.mcp__github__create_issue", "github/create_issue"},
		{"create-issue", "github/create_issue"},
		{"CREATE_ISSUE", "github/create_issue"},
		{" create_issue\n", "github/create_issue"},
		{"list_repos", "github/list-repos"},
		{"list-repos", "github/list-repos"},
		{"mcp--github--list-repos", "github/list-repos"}, // as Roo writes it
		{"createticket", "jira/createTicket"},
		{"mcp__github__search", "github/search"},
		{"github__search", "github/search"},
		{"mcp-github-search", "github/search"},
		{"github_create_issue", "github/create_issue"}, // as opencode writes it
		{"search", none}, // two have it
		{"@scope/pkg/run/now", "@scope/pkg/run/now"},
		{"@scope/pkg/go", "@scope/pkg/go"},
		{"mcp__my_server__fly", "my server/fly"},
		{"my server/fly", "my server/fly"},
		{"a/b/c", none}, // b/c of a, or c of a/b
		{"", none},
		{"/", none},
		{"mcp__", none},
		{"nothing_like_it", none},
		{"create_issue_2", none},
	}
	for _, tt := range tests {
		got := none
		if i, ok := c.Resolve(tt.name); ok {
			got = c.Tools[i].ID.String()
		}
		if got != tt.want {
			t.Errorf("%q means %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestCatalog_ExactBeforeLoose: a name that is presented means that tool, also
// where another could be called so loosely.
func TestCatalog_ExactBeforeLoose(t *testing.T) {
	t.Parallel()
	c := BuildCatalog(CatalogInput{Verbatim: true, Count: bytesCount, Servers: []ServerInput{
		serverOf("s", "get-it", "get_it", "Get_It"),
	}}, nil)
	for i, name := range []string{"get-it", "get_it", "Get_It"} {
		if got, ok := c.Resolve(name); !ok || got != i {
			t.Errorf("%q means %d, %v", name, got, ok)
		}
	}
	if i, ok := c.Resolve("GET-IT"); ok {
		t.Errorf("GET-IT means %q, and could be three", c.Tools[i].ID)
	}
}

// TestCatalog_Suggest names what shares most words, and only what is admitted.
func TestCatalog_Suggest(t *testing.T) {
	t.Parallel()
	c := catalogOf(serverOf("github", "create_issue", "create_pull_request", "delete_issue", "secret_issue"))
	admit := func(i int) bool { return c.Tools[i].ID.Tool != "secret_issue" }
	wantNames(t, "suggestions", c.Suggest("mcp__github__create-issues_issue", 2, admit), []string{"create_issue", "create_pull_request"})
	for _, slip := range []string{"craete_issue", "createissue", "Create-Isue", "create_issues"} {
		if got := c.Suggest(slip, 1, admit); !slices.Equal(got, []string{"create_issue"}) {
			t.Errorf("%q: %q is suggested", slip, got)
		}
	}
	wantNames(t, "suggestions", c.Suggest("issue", 9, admit), []string{"create_issue", "delete_issue"})
	if got := c.Suggest("mcp", 3, admit); len(got) != 0 {
		t.Errorf("mcp suggests %q", got)
	}
	if got := c.Suggest("", 3, admit); len(got) != 0 {
		t.Errorf("nothing suggests %q", got)
	}
}

// FuzzNames: for any tools, names are legal, unique and lead back, and a name
// that is mangled never leads to a wrong tool.
func FuzzNames(f *testing.F) {
	f.Add("git\ncommit\npush", "git\x00commit", false)
	f.Add("a b\nt", "a_b\nt_"+QualifiedName(ref("a b", "t"))[len("mcp__a_b__t_"):], true)
	f.Add("a__b\nc", "a\nb__c", false)
	f.Add("日本\n語\n語", "\n\n", false)
	f.Add("s\nmcp_load\nmcp__s__mcp_load", "mcp__s\nmcp_load", false)
	f.Fuzz(func(t *testing.T, first, second string, qualified bool) {
		in := CatalogInput{Qualified: qualified, Count: bytesCount}
		for _, text := range []string{first, second} {
			lines := strings.Split(strings.ToValidUTF8(text, "?"), "\n")
			in.Servers = append(in.Servers, serverOf(lines[0], lines[1:]...))
		}
		c := BuildCatalog(in, nil)
		wantGoodNames(t, c)
		for i := range c.Tools {
			tool := &c.Tools[i]
			for _, mangled := range []string{strings.ToUpper(tool.Name), strings.ReplaceAll(tool.Name, "_", "-"), "functions." + tool.Name} {
				if back, ok := c.Resolve(mangled); ok && back != i && foldName(c.Tools[back].Name) != foldName(mangled) &&
					!slices.Contains(spellings(mangled), foldName(sanitizeName(c.Tools[back].ID.Tool))) {
					t.Errorf("%q of %q leads to %q", mangled, tool.ID, c.Tools[back].ID)
				}
			}
		}
		wantSame(t, "names of a second build", presented(BuildCatalog(in, c)), presented(c))
		var names []string
		for i := range c.Tools {
			names = append(names, c.Tools[i].Name)
		}
		if raw, err := json.Marshal(names); err != nil || !json.Valid(raw) {
			t.Errorf("names cannot be sent: %v", err)
		}
	})
}
