package router

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestBuildCatalog_KeepsBytes: the raw tool and its schema are the server's
// bytes.
func TestBuildCatalog_KeepsBytes(t *testing.T) {
	t.Parallel()
	raw := json.RawMessage("{ \"name\":\"a\", \"inputSchema\" : {\"z\":1,\n \"a\": \"\\u00e9<&>\", \"type\":\"object\"}, \"extra\":[1, 2] }")
	c := catalogOf(ServerInput{Name: "s", Tools: []json.RawMessage{raw}})
	tool := &c.Tools[0]
	if string(tool.Raw) != string(raw) || string(tool.Schema) != "{\"z\":1,\n \"a\": \"\\u00e9<&>\", \"type\":\"object\"}" {
		t.Errorf("raw %s\nschema %s", tool.Raw, tool.Schema)
	}
	v := viewOf(c)
	task := v.Open(Opening{ID: "t", Message: "x"})
	if got := v.Attachment(&task).Tools[0].InputSchema; string(got) != string(tool.Schema) {
		t.Errorf("attached schema %s", got)
	}
	want := "{\"name\":\"a\",\"description\":\"\",\"inputSchema\":{\"z\":1,\"a\":\"\\u00e9<&>\",\"type\":\"object\"}}"
	if tool.Tokens != len(want) {
		t.Errorf("%d tokens, want those of %s", tool.Tokens, want)
	}
}

// TestBuildCatalog_LeavesOut: one bad tool stops no other, and the user is
// told which and why.
func TestBuildCatalog_LeavesOut(t *testing.T) {
	t.Parallel()
	c := catalogOf(ServerInput{Name: "s", Tools: []json.RawMessage{
		rawTool("good", ""), json.RawMessage(`{"broken`), json.RawMessage(`{"description":"nameless"}`),
		rawTool("good", "again"), json.RawMessage(`{"name":"NUL\u0000"}`), rawTool("last", ""),
	}}, ServerInput{Name: "empty"}, serverOf("z", "good"))
	if len(c.Tools) != 3 || c.Tools[0].Description != "" || c.Tools[1].ID.Tool != "last" {
		t.Fatalf("tools %v", presented(c))
	}
	want := []string{"tool 2 is left out: it is no tool object", "tool 3 is left out: it has no name",
		`tool "good" is listed twice; the first one counts`, "tool 5 is left out: its name holds a NUL character"}
	got := c.Servers[0].Warnings
	if len(got) != len(want) {
		t.Fatalf("warnings %q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("warning %q, want %q", got[i], want[i])
		}
	}
	for i, bounds := range [][2]int{{0, 2}, {2, 2}, {2, 3}} {
		if s := c.Servers[i]; s.First != bounds[0] || s.End != bounds[1] {
			t.Errorf("server %s has the tools %d to %d", s.Name, s.First, s.End)
		}
	}
	for i := range c.Tools {
		if at, ok := c.Lookup(c.Tools[i].ID); !ok || at != i || c.Tools[i].Server != []int{0, 0, 2}[i] {
			t.Errorf("%s is found at %d", c.Tools[i].ID, at)
		}
	}
	if _, ok := c.Lookup(ref("s", "none")); ok {
		t.Error("a tool that is not there is found")
	}
}

// TestBuildCatalog_SameAsFresh: what is taken over from a version before makes
// no difference, whatever changed.
func TestBuildCatalog_SameAsFresh(t *testing.T) {
	t.Parallel()
	base := []ServerInput{numbered("a", 0, 30), numbered("b", 50, 30), serverOf("c", "search", "x")}
	change := func(edit func([]ServerInput) []ServerInput) []ServerInput {
		copied := make([]ServerInput, len(base))
		for i, s := range base {
			copied[i] = s
			copied[i].Tools = append([]json.RawMessage(nil), s.Tools...)
		}
		return edit(copied)
	}
	tests := []struct {
		name    string
		servers []ServerInput
		// counted is the most tools whose tokens may be counted again.
		counted int
	}{
		{"nothing", base, 0},
		{"one description", change(func(s []ServerInput) []ServerInput { s[0].Tools[4] = rawTool("a_zqbbg", "New."); return s }), 1},
		{"a tool in front", change(func(s []ServerInput) []ServerInput {
			s[0].Tools = append([]json.RawMessage{rawTool("front", "")}, s[0].Tools...)
			return s
		}), 1},
		{"a tool gone", change(func(s []ServerInput) []ServerInput { s[1].Tools = s[1].Tools[3:]; return s }), 0},
		{"another order", change(func(s []ServerInput) []ServerInput { s[0], s[1] = s[1], s[0]; return s }), 0},
		{"a server gone", change(func(s []ServerInput) []ServerInput { return s[1:] }), 0},
		{"an override", change(func(s []ServerInput) []ServerInput {
			s[0].Policy.Overrides = map[string]string{"a_zqbbb": "Mine.", "no_such": "x"}
			return s
		}), 1},
		{"a collision", change(func(s []ServerInput) []ServerInput { return append(s, serverOf("d", "search")) }), 2},
		{"a policy", change(func(s []ServerInput) []ServerInput { s[0].Policy.AlwaysLoad = true; return s }), 0},
	}
	prev := catalogOf(base...)
	viewOf(prev).Open(Opening{ID: "t", Message: "common"}) // so that there is an index to take over
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			counted := 0
			count := func(text string) int { counted++; return len(text) }
			fresh := BuildCatalog(CatalogInput{Servers: tt.servers, Count: bytesCount}, nil)
			again := BuildCatalog(CatalogInput{Servers: tt.servers, Count: count}, prev)
			if !reflect.DeepEqual(again.Tools, fresh.Tools) || !reflect.DeepEqual(again.Servers, fresh.Servers) {
				t.Error("the tools differ from those of a fresh build")
			}
			if counted > tt.counted {
				t.Errorf("%d tools were counted again, want at most %d", counted, tt.counted)
			}
			one, two := viewOf(again), viewOf(fresh)
			task, want := one.Open(Opening{ID: "t", Message: "common new mine"}), two.Open(Opening{ID: "t", Message: "common new mine"})
			wantSame(t, "the attachment", one.Attachment(&task), two.Attachment(&want))
		})
	}
}

// TestBuildCatalog_ParsesOnce: a tool that a server moves in its list is not
// parsed again.
func TestBuildCatalog_ParsesOnce(t *testing.T) {
	t.Parallel()
	prev := catalogOf(syntheticServers(50)...)
	moved := syntheticServers(50)
	moved[0].Tools = append([]json.RawMessage{rawTool("front", "")}, moved[0].Tools...)
	again := BuildCatalog(CatalogInput{Servers: moved, Count: bytesCount}, prev)
	for i := range prev.Tools {
		if &again.Tools[i+1].Parameters[0] != &prev.Tools[i].Parameters[0] {
			t.Fatalf("%s was parsed again", prev.Tools[i].ID)
		}
	}
}

// TestBuildCatalog_Overrides: the user's text is what models are told and what
// is searched; the server's is kept to be shown.
func TestBuildCatalog_Overrides(t *testing.T) {
	t.Parallel()
	s := serverOf("s", "a")
	s.Tools = append(s.Tools, rawTool("b", "aardvark"))
	s.Policy.Overrides = map[string]string{"b": "zebra", "a": ""}
	v := viewOf(catalogOf(s, numbered("r", 0, 60)))
	b := v.Catalog.tool(ref("s", "b"))
	if b.Text() != "zebra" || b.Description != "aardvark" {
		t.Errorf("told %q, kept %q", b.Text(), b.Description)
	}
	task := v.Open(Opening{ID: "t", Message: "x"})
	if got := v.Search(&task, "zebra", 1, false); len(got) != 1 {
		t.Error("the override is not found")
	}
	if got := v.Search(&task, "aardvark", 1, false); len(got) != 0 {
		t.Error("the overridden text is found")
	}
}

// TestCatalog_Concurrent: a catalogue and its views serve many tasks at once,
// from the first moment on.
func TestCatalog_Concurrent(t *testing.T) {
	t.Parallel()
	c := catalogOf(numbered("a", 0, 100), numbered("b", 50, 100))
	v := viewOf(c)
	results := make([]string, 8)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			task := v.Open(Opening{ID: "t", Message: words(60, 3)})
			task, _ = v.Load(task, Request{Query: "qqq", Names: []string{"A-zqbbb", "nothing"}})
			task = v.Turn(task, "qqq")
			next := BuildCatalog(CatalogInput{Servers: []ServerInput{numbered("a", 0, 101)}, Count: bytesCount}, c)
			results[i] = string(marshal([]any{v.Attachment(&task), v.Explain(&task), len(next.Tools)}))
		})
	}
	wg.Wait()
	for i := range results {
		if results[i] != results[0] {
			t.Errorf("run %d differs", i)
		}
	}
}

// TestToolID_Key: no two identities are one string.
func TestToolID_Key(t *testing.T) {
	t.Parallel()
	seen := map[string]ToolID{}
	for _, server := range []string{"", "a", "a/b", "a\x00b", "ab"} {
		for _, tool := range []string{"a", "b", "b/c", "ab"} {
			id := ref(server, tool)
			if other, twice := seen[id.key()]; twice {
				t.Errorf("%q and %q are one", id, other)
			}
			seen[id.key()] = id
		}
	}
	if got := fmt.Sprint(ref("github", "create_issue")); got != "github/create_issue" {
		t.Errorf("written as %q", got)
	}
}

// TestView_AttachmentShape: lists are lists on the wire, never null, and the
// counts and tokens add up.
func TestView_AttachmentShape(t *testing.T) {
	t.Parallel()
	for _, v := range []*View{viewOf(catalogOf()), viewOf(catalogOf(numbered("s", 0, 10))), viewOf(catalogOf(numbered("s", 0, 100)))} {
		task := v.Open(Opening{ID: "t", Message: "common", Model: protocol.ModelLimits{NativeTools: 4}})
		a := v.Attachment(&task)
		if a.Tools == nil || a.MetaTools == nil {
			t.Errorf("tools %v, meta tools %v", a.Tools, a.MetaTools)
		}
		sum := 0
		for _, tool := range a.Tools {
			sum += len(PresentedJSON(tool.Name, tool.Description, tool.InputSchema))
			if tool.Tokens != len(PresentedJSON(tool.Name, tool.Description, tool.InputSchema)) {
				t.Errorf("%s costs %d", tool.Name, tool.Tokens)
			}
		}
		for _, meta := range a.MetaTools {
			sum += len(PresentedJSON(meta.Name, meta.Description, meta.InputSchema))
			if !json.Valid(meta.InputSchema) || meta.Name != LoadName {
				t.Errorf("meta tool %s: %s", meta.Name, meta.InputSchema)
			}
		}
		if a.Tokens.Attached != sum || a.Tokens.All != v.Scope.Tokens || a.Tokens.Saved != a.Tokens.All-sum ||
			a.Counts != (protocol.AttachedCounts{Scoped: v.Scope.Count, Attached: len(a.Tools), Named: a.Counts.Named, Native: 4}) {
			t.Errorf("tokens %+v, counts %+v", a.Tokens, a.Counts)
		}
	}
}

// TestPresentedJSON is what JSON.stringify writes, so that what is counted is
// what is sent.
func TestPresentedJSON(t *testing.T) {
	t.Parallel()
	// The right side was written by Node's JSON.stringify.
	for description, want := range map[string]string{
		`plain`: `"plain"`, "<b>&amp;</b>": `"<b>&amp;</b>"`, "\u2028\u2029": "\"\u2028\u2029\"", `\u2028`: `"\\u2028"`,
		"\b\f\n\r\t\v\x00\x1f\x7f": `"\b\f\n\r\t\u000b\u0000\u001f` + "\x7f\"", `"\/`: `"\"\\/"`, "é日💥": `"é日💥"`, "\xff\xfe": "\"\uFFFD\"",
	} {
		got := string(PresentedJSON("n", description, json.RawMessage("{ \"a\" : \"\\u00e9 \" }")))
		if full := `{"name":"n","description":` + want + `,"inputSchema":{"a":"\u00e9 "}}`; got != full {
			t.Errorf("%q is presented as %s, want %s", description, got, full)
		}
	}
}

// TestBuildCatalog_policyNames: a policy that names what the server does not
// offer is told, with what was meant.
func TestBuildCatalog_policyNames(t *testing.T) {
	t.Parallel()
	s := serverOf("s", "create_issue", "list_issues")
	s.Policy = Policy{OnlyAllow: []string{"create_isue", "list_issues"}, DisabledTools: []string{"unheard_of"},
		Overrides: map[string]string{"nowhere": "x"}, Further: []ToolRule{{DisabledTools: []string{"gone"}}}}
	want := []string{
		`onlyAllow names "create_isue", which the server does not offer; did you mean "create_issue"?`,
		`disabledTools names "unheard_of", which the server does not offer`,
		`toolDescriptionOverrides names "nowhere", which the server does not offer`,
		`disabledTools names "gone", which the server does not offer`,
	}
	if got := catalogOf(s).Servers[0].Warnings; !slices.Equal(got, want) {
		t.Errorf("warnings %q, want %q", got, want)
	}
	s.Tools = nil // not known yet
	if got := catalogOf(s).Servers[0].Warnings; len(got) > 0 {
		t.Errorf("before its tools are known: %q", got)
	}
}

// TestBuildCatalog_unknownToLock: a tool that the lock does not know is held
// back where there is a lock, and passes where there is none.
func TestBuildCatalog_unknownToLock(t *testing.T) {
	t.Parallel()
	tools := []json.RawMessage{json.RawMessage(`{"name":"evil","Name":"known"}`), rawTool("known", "")}
	for name, tt := range map[string]struct {
		locks map[string]ToolLock
		want  protocol.CauseKind
	}{
		"no lock":       {nil, ""},
		"not known":     {map[string]ToolLock{"known": {State: protocol.LockApproved}}, protocol.CauseUnlisted},
		"no tool known": {map[string]ToolLock{}, protocol.CauseUnlisted},
		"known":         {map[string]ToolLock{"evil": {}, "known": {}}, ""},
	} {
		c := catalogOf(ServerInput{Name: "s", Tools: tools, Locks: tt.locks})
		if got := c.Tools[0]; got.ID.Tool != "evil" || got.Lock.Held.Kind != tt.want {
			t.Errorf("%s: tool %q held by %q, want evil by %q", name, got.ID.Tool, got.Lock.Held.Kind, tt.want)
		}
	}
}
