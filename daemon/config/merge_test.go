package config

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestMerge_Archives reads a tree: ws/ is the workspace folder, home/ the home
// folder, user/ the folder of the user's winnow.json, storage/ VS Code's
// globalStorage. The comment's last line holds options: trusted, fromVSCode,
// and allow=file, deny=file or changed=file; Winnow's own file is allowed where
// nothing is said.
func TestMerge_Archives(t *testing.T) {
	t.Parallel()
	eachArchive(t, "merge", func(t *testing.T, comment string, tree map[string][]byte) string {
		lines := strings.Split(strings.TrimSpace(comment), "\n")
		o := parseMergeOptions(lines[len(lines)-1])
		sources := Sources(Options{
			Folders: []string{"/ws"}, Home: "/home", UserDir: "/user",
			GlobalStorageDirs: []string{"/storage"}, FromVSCode: o.fromVSCode,
		})
		var files []File
		read := map[string]bool{}
		for _, s := range sources {
			name := strings.TrimPrefix(s.Path, "/")
			if data, ok := tree[name]; ok {
				files = append(files, Parse(s, data))
				read[name] = true
			}
		}
		if len(read) < len(tree) && o.fromVSCode {
			t.Errorf("of %q only %v are read", sortedKeys(tree), read)
		}
		var d dumper
		d.config(Merge(files, MergeOptions{Trusted: o.trusted, Consent: o.consent, Rules: o.rules}), func(origin Origin) string {
			return origin.Source.Path
		})
		return d.String()
	})
}

type mergeOptions struct {
	trusted, fromVSCode bool
	answers             map[string]Consent
}

func (o mergeOptions) consent(e Entry) Consent {
	if e.Origin.Source.OfWorkspacesOwn() && o.answers[e.Origin.Source.Path] == Unasked {
		return Allowed
	}
	return o.answers[e.Origin.Source.Path]
}

// rules are agreed to with all else of another client's file that is allowed, and
// in Winnow's own file of the workspace where the test says allow.
func (o mergeOptions) rules(e Entry) Consent { return o.answers[e.Origin.Source.Path] }

func parseMergeOptions(line string) mergeOptions {
	o := mergeOptions{answers: map[string]Consent{}}
	for _, word := range strings.Fields(line) {
		name, file, _ := strings.Cut(word, "=")
		switch name {
		case "trusted":
			o.trusted = true
		case "fromVSCode":
			o.fromVSCode = true
		case "allow":
			o.answers[path.Join("/", file)] = Allowed
		case "deny":
			o.answers[path.Join("/", file)] = Denied
		case "changed":
			o.answers[path.Join("/", file)] = Changed
		}
	}
	return o
}

func entry(name string, scope Scope, dialect Dialect, file string, p Policy, d Definition) File {
	source := Source{Path: file, Dialect: dialect, Scope: scope}
	return File{Source: source, Entries: []Entry{{Name: name, Origin: Origin{source, 1, 1}, Definition: d, Policy: p}}}
}

// agreed is a user who says yes to everything.
func agreed(Entry) Consent { return Allowed }

func TestMerge_PolicyLayers(t *testing.T) {
	t.Parallel()
	run := Definition{Transport: Stdio, Command: "x"}
	yes, no := true, false
	files := []File{
		entry("a", Workspace, Winnow, "w", Policy{OnlyAllow: []string{"1"}, DescriptionOverrides: map[string]string{"t": "w"}}, Definition{}),
		entry("a", Workspace, Claude, "c", Policy{OnlyAllow: []string{"2"}, Disabled: &no, DescriptionOverrides: map[string]string{"t": "c", "c": "c"}}, run),
		entry("a", User, Winnow, "u", Policy{Disabled: &yes, DisabledTools: []string{"3"}, DescriptionOverrides: map[string]string{"u": "u"}}, Definition{}),
	}
	c := Merge(files, MergeOptions{Trusted: true, Consent: agreed, Rules: agreed})
	s, ok := c.Server("a")
	if !ok || len(c.Servers) != 1 || len(c.Policies) != 0 || len(s.Layers) != 3 {
		t.Fatalf("got %+v", c)
	}
	if s.Policy.OnlyAllow[0] != "1" || !s.Disabled() || len(s.Policy.Further) != 2 || s.Policy.Further[0].OnlyAllow[0] != "2" || s.Policy.Further[1].DisabledTools[0] != "3" {
		t.Errorf("policy %+v", s.Policy)
	}
	if d := s.Policy.DescriptionOverrides; d["t"] != "w" || d["c"] != "c" || d["u"] != "u" {
		t.Errorf("descriptions %v", d)
	}
	if files[1].Entries[0].Policy.DescriptionOverrides["t"] != "c" {
		t.Error("Merge changed its argument")
	}
}

// TestMerge_Untrusted: a workspace cannot speak about the user's own servers
// before it is trusted, and then not loosen a mode of the user's.
func TestMerge_Untrusted(t *testing.T) {
	t.Parallel()
	none := []string{}
	files := []File{
		entry("mine", Workspace, Winnow, "w", Policy{DescriptionOverrides: map[string]string{"t": "evil"}}, Definition{}),
		entry("theirs", Workspace, Winnow, "w2", Policy{}, Definition{Transport: Stdio}),
		entry("mine", User, Winnow, "u", Policy{}, Definition{Transport: Stdio}),
		{Source: Source{Path: "u", Scope: User, Dialect: Winnow}, Modes: []Mode{{Slug: "m", Allowed: &none}}},
	}
	files[0].Modes = []Mode{{Slug: "m"}, {Slug: "n"}}
	c := Merge(files, MergeOptions{})
	mine, _ := c.Server("mine")
	theirs, _ := c.Server("theirs")
	if mine.Hold != "" || mine.Policy.DescriptionOverrides != nil || theirs.Hold != HoldTrust {
		t.Errorf("mine %+v, theirs %+v", mine, theirs)
	}
	if m, _ := c.Mode("m"); m.Allowed == nil {
		t.Error("the workspace's mode replaced the user's")
	}
	if _, ok := c.Mode("n"); ok {
		t.Error("the workspace has a mode before it is trusted")
	}
	trusted := Merge(files, MergeOptions{Trusted: true, Consent: agreed, Rules: agreed})
	if m, _ := trusted.Mode("m"); m.Allowed == nil || m.User == nil {
		t.Error("a trusted workspace's mode has loosened the user's")
	}
}

func TestConfig_Input(t *testing.T) {
	t.Parallel()
	a, b := Source{Path: "a"}, Source{Path: "b"}
	c := Config{Inputs: []Input{
		{ID: "k", Description: "a's", Origin: Origin{Source: a}},
		{ID: "k", Description: "b's", Origin: Origin{Source: b}},
		{ID: "k", Description: "b's again", Origin: Origin{Source: b}},
	}}
	for _, tt := range []struct {
		source Source
		id     string
		want   string
	}{
		{b, "k", "b's"}, {a, "k", "a's"}, {Source{Path: "c"}, "k", "a's"}, {a, "other", "other"},
	} {
		got := c.Input(Server{Origin: Origin{Source: tt.source}}, tt.id)
		if got.Description != tt.want || got.ID != tt.id {
			t.Errorf("%s of %s: got %+v, want %q", tt.id, tt.source.Path, got, tt.want)
		}
	}
	if !c.Input(Server{}, "undeclared").Password {
		t.Error("an undeclared input must be hidden")
	}
}

func TestConfig_UnmatchedPolicies(t *testing.T) {
	t.Parallel()
	c := Merge([]File{
		entry("gihub", User, Winnow, "u", Policy{OnlyAllow: []string{"x"}}, Definition{}),
		entry("hosted", User, Winnow, "u2", Policy{OnlyAllow: []string{"x"}}, Definition{}),
		entry("github", User, Winnow, "u3", Policy{}, Definition{Transport: Stdio}),
	}, MergeOptions{})
	problems := c.UnmatchedPolicies([]string{"hosted"})
	if len(problems) != 1 || problems[0].Server != "gihub" || !strings.Contains(problems[0].Hint, `"github"`) {
		t.Errorf("got %v", problems)
	}
	if p, ok := c.Policy("hosted"); !ok || p.Policy.OnlyAllow[0] != "x" {
		t.Errorf("policy of the host's server: %+v", p)
	}
}

// TestConfig_MisspelledModes: a mode that names a server that there is not is told.
func TestConfig_MisspelledModes(t *testing.T) {
	t.Parallel()
	c := Config{
		Servers: []Server{{Name: "github"}},
		Modes: []Mode{
			{Slug: "m", Allowed: &[]string{"githb", "github", "of the host", "later"}},
			{Slug: "n", Blocked: []string{"git-hub"}},
		},
	}
	var got []string
	for _, p := range c.MisspelledModes([]string{"of the host"}) {
		got = append(got, p.Message+"; "+p.Hint)
	}
	want := []string{
		`mode "m" names the server "githb", and there is none; did you mean "github"?`,
		`mode "m" names the server "later", and there is none; add the server, or remove the name`,
		`mode "n" names the server "git-hub", and there is none; did you mean "github"?`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestMerge_TooManyServers: those above the limit are refused with a word that
// says where they begin. Policy for a server that is there still counts.
func TestMerge_TooManyServers(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("{\"servers\": {\n")
	for i := range MaxServers + 2 {
		fmt.Fprintf(&text, "\"s%d\": {\"command\": \"x\"},\n", i)
	}
	text.WriteString("\"last\": {\"onlyAllow\": []}}}")
	own := Parse(Source{Path: "own.json", Dialect: Winnow, Scope: User}, []byte(text.String()))
	again := Parse(Source{Path: "more.json", Dialect: Winnow, Scope: User}, []byte(`{"servers": {"s0": {"command": "y"}, "new": {"command": "y"}}}`))
	c := Merge([]File{own, again}, MergeOptions{})
	if len(c.Servers) != MaxServers || c.Servers[MaxServers-1].Name != fmt.Sprintf("s%d", MaxServers-1) {
		t.Fatalf("%d servers", len(c.Servers))
	}
	if len(c.Shadowed) != 1 || c.Shadowed[0].Name != "s0" {
		t.Errorf("shadowed: %+v", c.Shadowed)
	}
	want := fmt.Sprintf("own.json:%d:1: more than 1000 servers are defined, from here on 3 are not used (remove those that nobody needs)", MaxServers+2)
	if len(c.Problems) != 1 || c.Problems[0].String() != want {
		t.Errorf("problems %v, want %q", c.Problems, want)
	}
}

// TestMerge_projectLimits: files of one project add their limits up, and one that
// nobody agreed to takes none away.
func TestMerge_projectLimits(t *testing.T) {
	t.Parallel()
	run := Definition{Transport: Stdio, Command: "x"}
	yes, no := true, false
	files := []File{
		entry("s", Workspace, Winnow, "w", Policy{Disabled: &no, DisabledTools: []string{}, Timeout: 9}, Definition{}),
		entry("s", Workspace, Cursor, "c", Policy{DisabledTools: []string{}, OnlyAllow: []string{}}, Definition{}),
		entry("s", Workspace, Claude, "d", Policy{Disabled: &yes, DisabledTools: []string{"t"}, Timeout: 5}, run),
		entry("s", Workspace, Roo, "r", Policy{OnlyAllow: []string{"u", "t"}}, Definition{}),
	}
	s, _ := Merge(files, MergeOptions{Trusted: true, Consent: agreed, Rules: agreed}).Server("s")
	_, t1 := s.ForbidsTool("t")
	_, u := s.ForbidsTool("u")
	_, v := s.ForbidsTool("v")
	if !t1 || u || !v || !s.Disabled() || s.Policy.Timeout != 5 {
		t.Errorf("policy %+v", s.Policy)
	}
}

// TestRulesOf_definition: a yes to the rules of a server that an entry defines is
// none to the same rules for another's.
func TestRulesOf_definition(t *testing.T) {
	t.Parallel()
	own := entry("s", Workspace, Winnow, "w", Policy{AlwaysAllow: []string{"*"}}, Definition{Transport: Stdio, Command: "x"}).Entries[0]
	another := own
	another.Definition = Definition{}
	c, err := OpenConsents("")
	if err != nil || c.Allow(Approval{Entry: own, Rules: RulesOf(own)}) != nil {
		t.Fatal(err)
	}
	if c.Rules(own) != Allowed || c.Rules(another) != Changed {
		t.Errorf("its own server's: %q, another's: %q", c.Rules(own), c.Rules(another))
	}
	user := entry("s", User, Winnow, "u", Policy{}, Definition{Transport: Stdio, Command: "y"})
	asked := Merge([]File{{Source: another.Origin.Source, Entries: []Entry{another}}, user}, MergeOptions{Trusted: true, Consent: agreed, Rules: c.Rules})
	if s, _ := asked.Server("s"); s.Policy.AlwaysAllow != nil || len(asked.Waiting) != 1 || !asked.Waiting[0].Rules {
		t.Errorf("alwaysAllow %v, asked about %+v", s.Policy.AlwaysAllow, asked.Waiting)
	}
}

// keySample is a strict and a lax value of a key of a server's entry, and what is
// in force of a merged policy.
type keySample struct {
	strict, lax string
	read        func(p Policy) string
}

func keySamples() map[string]keySample {
	load := func(p Policy) string { return fmt.Sprint(p.AlwaysLoad != nil && p.AlwaysLoad.All) }
	return map[string]keySample{
		"disabled":                 {"true", "false", func(p Policy) string { return fmt.Sprint(p.Disabled != nil && *p.Disabled) }},
		"timeout":                  {"5", "50", func(p Policy) string { return fmt.Sprint(p.Timeout.Seconds()) }},
		"onlyAllow":                {`["a"]`, `["a","b"]`, func(p Policy) string { return encoded(admitted(p, "a", "b")) }},
		"disabledTools":            {`["a"]`, `[]`, func(p Policy) string { return encoded(admitted(p, "a", "b")) }},
		"toolDescriptionOverrides": {`{}`, `{"a":"x"}`, func(p Policy) string { return p.DescriptionOverrides["a"] }},
		"alwaysLoad":               {"false", "true", load},
		"deferred":                 {"true", "false", load},
		"deferTools":               {`"auto"`, `"never"`, load},
		"alwaysAllow":              {`[]`, `["a"]`, func(p Policy) string { return encoded(append([]string{}, p.AlwaysAllow...)) }},
	}
}

// admitted lists which of the tools the rules of a policy have in scope.
func admitted(p Policy, tools ...string) []string {
	in := []string{}
	for _, tool := range tools {
		if !slices.ContainsFunc(p.toolRules(), func(r ToolRule) bool { return !r.admits(toolName{tool, tool}) }) {
			in = append(in, tool)
		}
	}
	return in
}

// TestMerge_everyKey: of each key that [protocol.Rules] has for an entry, whoever
// has the laxer and the stricter value: a workspace's file, or another client's,
// tightens the user's rules and never loosens them before the user has agreed.
func TestMerge_everyKey(t *testing.T) {
	t.Parallel()
	user := Source{Path: "/user/winnow.json", Dialect: Winnow, Scope: User}
	others := []Source{
		{Path: "/w/.vscode/winnow.json", Dialect: Winnow, Scope: Workspace, Folder: "/w"},
		{Path: "/w/.cursor/mcp.json", Dialect: Cursor, Scope: Workspace, Folder: "/w"},
		{Path: "/user/.cursor/mcp.json", Dialect: Cursor, Scope: User},
	}
	for path, rule := range protocol.Rules() {
		key, ofServer := strings.CutPrefix(path, "servers.")
		sample, known := keySamples()[key]
		if !ofServer || rule == protocol.RuleStart {
			continue
		}
		if !known {
			t.Errorf("%s has no sample: add it to keySamples", path)
			continue
		}
		for _, other := range others {
			for _, agreed := range []bool{false, true} {
				merged := func(mine, theirs string) string {
					define := `"command":"x"`
					files := []File{
						Parse(other, fmt.Appendf(nil, `{%q:{"s":{%q:%s}}}`, other.Dialect.ServersKey(), key, theirs)),
						Parse(user, fmt.Appendf(nil, `{"servers":{"s":{%s,%q:%s}}}`, define, key, mine)),
					}
					answer := Unasked
					if agreed {
						answer = Allowed
					}
					c := Merge(files, MergeOptions{
						Trusted: true, Consent: func(Entry) Consent { return answer }, Rules: func(Entry) Consent { return answer },
					})
					if len(c.Servers) != 1 || len(files[0].Problems)+len(files[1].Problems) > 0 {
						t.Fatalf("%s: %+v, %v, %v", path, c.Servers, files[0].Problems, files[1].Problems)
					}
					return sample.read(c.Servers[0].Policy)
				}
				strict, lax := merged(sample.strict, sample.strict), merged(sample.lax, sample.lax)
				loosened, tightened := merged(sample.strict, sample.lax), merged(sample.lax, sample.strict)
				if strict == lax {
					t.Errorf("%s: the samples are the same, %s", path, lax)
				}
				// An override takes the place of none; nothing takes it away again.
				text, grant, ofWorkspace := key == "toolDescriptionOverrides", rule == protocol.RuleGrant, other.Scope == Workspace
				if want := grant && agreed && (ofWorkspace || text); (loosened == lax) != want {
					t.Errorf("%s of %s, agreed %t: a stricter one of the user's becomes %s; may it? want %t", path, other.Path, agreed, loosened, want)
				}
				if want := ofWorkspace && !text && (other.Dialect == Winnow || grant || agreed); (tightened == strict) != want {
					t.Errorf("%s of %s, agreed %t: a laxer one of the user's becomes %s; does it? want %t", path, other.Path, agreed, tightened, want)
				}
			}
		}
	}
}

// modeKeySamples are a strict and a lax value of each key of a mode that limits.
func modeKeySamples() map[string][2]string {
	return map[string][2]string{
		"allowedMcpServers": {`["a"]`, `["a","b"]`},
		"blockedMcpServers": {`["b"]`, `[]`},
		"groups":            {`[]`, `["mcp"]`},
	}
}

// seen lists which of the servers a mode lets its tasks see.
func seen(m Mode, servers ...string) []string {
	in := []string{}
	for _, server := range servers {
		if !m.NoTools && !slices.Contains(m.Blocked, server) && (m.Allowed == nil || slices.Contains(*m.Allowed, server)) {
			in = append(in, server)
		}
	}
	return in
}

// TestMerge_everyKeyOfModes: of each key that [protocol.Rules] has for a mode,
// whoever has the laxer and the stricter value: a workspace's file, Winnow's or
// Roo's, tightens the user's mode of that slug and never loosens it; what only
// says what the mode is called is the workspace's.
func TestMerge_everyKeyOfModes(t *testing.T) {
	t.Parallel()
	users := []Source{{Path: "/user/winnow.json", Dialect: Winnow, Scope: User}, {Path: "/user/custom_modes.yaml", Dialect: RooModes, Scope: User}}
	workspaces := []Source{
		{Path: "/w/.vscode/winnow.json", Dialect: Winnow, Scope: Workspace, Folder: "/w"},
		{Path: "/w/.roomodes", Dialect: RooModes, Scope: Workspace, Folder: "/w"},
	}
	file := func(source Source, key, value string) File {
		text := fmt.Sprintf(`{"modes":{"m":{%q:%s}}}`, key, value)
		if source.Dialect == RooModes {
			groups := `"groups":["mcp"],`
			if key == "groups" {
				groups = ""
			}
			text = fmt.Sprintf(`{"customModes":[{"slug":"m",%s%q:%s}]}`, groups, key, value)
		}
		return Parse(source, []byte(text))
	}
	for path, rule := range protocol.Rules() {
		key, ofMode := strings.CutPrefix(path, "modes.")
		if !ofMode {
			continue
		}
		sample, known := modeKeySamples()[key]
		if (rule == protocol.RuleLimit) != known {
			t.Errorf("%s has the rule %s; has it a sample? %t", path, rule, known)
			continue
		}
		for _, user := range users {
			for _, workspace := range workspaces {
				if key == "groups" && (user.Dialect == Winnow || workspace.Dialect == Winnow) {
					continue // Roo's key
				}
				merged := func(mine, theirs string) Mode {
					files := []File{file(workspace, key, theirs), file(user, key, mine)}
					c := Merge(files, MergeOptions{Trusted: true})
					mode, ok := c.Mode("m")
					if !ok || len(files[0].Problems)+len(files[1].Problems) > 0 {
						t.Fatalf("%s: %+v, %v, %v", path, c.Modes, files[0].Problems, files[1].Problems)
					}
					return mode
				}
				if !known {
					if m := merged(`"mine"`, `"theirs"`); m.Name != "theirs" && m.Description != "theirs" {
						t.Errorf("%s of %s over %s: %q, %q", path, workspace.Path, user.Path, m.Name, m.Description)
					}
					continue
				}
				strict, lax := sample[0], sample[1]
				want := seen(merged(strict, strict), "a", "b")
				if all := seen(merged(lax, lax), "a", "b"); slices.Equal(all, want) {
					t.Errorf("%s: the samples are the same, %q", path, all)
				}
				for _, pair := range [][2]string{{strict, lax}, {lax, strict}} {
					if got := seen(merged(pair[0], pair[1]), "a", "b"); !slices.Equal(got, want) {
						t.Errorf("%s: %s of %s and %s of %s: %q are seen, want %q", path, pair[0], user.Path, pair[1], workspace.Path, got, want)
					}
				}
			}
		}
	}
}
