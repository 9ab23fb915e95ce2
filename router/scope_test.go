package router

import (
	"errors"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// TestScope_Rules pins each rule, and which of two wins.
func TestScope_Rules(t *testing.T) {
	t.Parallel()
	allowed := func(servers ...string) *[]string { return &servers }
	tests := []struct {
		name   string
		policy Policy
		mode   *Mode
		// want maps each tool of server s to the rule that keeps it out.
		want map[string]string
	}{
		{"no rule", Policy{}, nil, map[string]string{"a": "", "b": "", "c": ""}},
		{"disabled server", Policy{Disabled: true}, nil, map[string]string{
			"a": `disabled of server "s"`, "b": `disabled of server "s"`, "c": `disabled of server "s"`}},
		{"disabled wins over onlyAllow", Policy{Disabled: true, OnlyAllow: []string{"a"}}, nil, map[string]string{
			"a": `disabled of server "s"`, "b": `disabled of server "s"`, "c": `disabled of server "s"`}},
		{"onlyAllow", Policy{OnlyAllow: []string{"a"}}, nil, map[string]string{
			"a": "", "b": `onlyAllow of server "s"`, "c": `onlyAllow of server "s"`}},
		{"onlyAllow wins over disabledTools", Policy{OnlyAllow: []string{"a", "b"}, DisabledTools: []string{"a"}}, nil,
			map[string]string{"a": "", "b": "", "c": `onlyAllow of server "s"`}},
		{"empty onlyAllow leaves disabledTools in force", Policy{OnlyAllow: []string{}, DisabledTools: []string{"a"}}, nil,
			map[string]string{"a": `disabledTools of server "s"`, "b": "", "c": ""}},
		{"disabledTools", Policy{DisabledTools: []string{"b", "no_such_tool"}}, nil,
			map[string]string{"a": "", "b": `disabledTools of server "s"`, "c": ""}},
		{"rules go by the exact name", Policy{DisabledTools: []string{"A", "b ", "s/c"}}, nil,
			map[string]string{"a": "", "b": "", "c": ""}},
		{"mode allows", Policy{}, &Mode{Slug: "m", Allowed: allowed("s")}, map[string]string{"a": "", "b": "", "c": ""}},
		{"mode allows another", Policy{}, &Mode{Slug: "m", Allowed: allowed("other")}, map[string]string{
			"a": `allowedMcpServers of mode "m"`, "b": `allowedMcpServers of mode "m"`, "c": `allowedMcpServers of mode "m"`}},
		{"empty allowed means none", Policy{}, &Mode{Slug: "m", Allowed: allowed()}, map[string]string{
			"a": `allowedMcpServers of mode "m"`, "b": `allowedMcpServers of mode "m"`, "c": `allowedMcpServers of mode "m"`}},
		{"allowed wins over blocked", Policy{}, &Mode{Slug: "m", Allowed: allowed("s"), Blocked: []string{"s"}},
			map[string]string{"a": "", "b": "", "c": ""}},
		{"blocked", Policy{}, &Mode{Slug: "m", Blocked: []string{"s"}}, map[string]string{
			"a": `blockedMcpServers of mode "m"`, "b": `blockedMcpServers of mode "m"`, "c": `blockedMcpServers of mode "m"`}},
		{"server names are case-sensitive", Policy{}, &Mode{Slug: "m", Blocked: []string{"S"}},
			map[string]string{"a": "", "b": "", "c": ""}},
		{"mode without mcp", Policy{}, &Mode{Slug: "m", NoMCP: true, Allowed: allowed("s")}, map[string]string{
			"a": `groups of mode "m"`, "b": `groups of mode "m"`, "c": `groups of mode "m"`}},
		{"the server's rule is named before the mode's", Policy{DisabledTools: []string{"a"}},
			&Mode{Slug: "m", Blocked: []string{"s"}}, map[string]string{
				"a": `disabledTools of server "s"`, "b": `blockedMcpServers of mode "m"`, "c": `blockedMcpServers of mode "m"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			input := serverOf("s", "a", "b", "c")
			input.Policy = tt.policy
			c := catalogOf(input, serverOf("z", "elsewhere"))
			scope := NewScope(tt.mode, c)
			count, tokens := 0, 0
			for i := range c.Tools {
				tool := &c.Tools[i]
				rule := reasons.Text(tt.mode.ToolRule(c, i))
				if scope.Admits(i) != (rule == "") {
					t.Errorf("%s: admitted %v, yet the rule is %q", tool.ID, scope.Admits(i), rule)
				}
				if want, ok := tt.want[tool.ID.Tool]; ok && rule != want {
					t.Errorf("%s: rule %q, want %q", tool.ID, rule, want)
				}
				if scope.Admits(i) {
					count++
					tokens += tool.Tokens
				}
			}
			if scope.Count != count || scope.Tokens != tokens {
				t.Errorf("the scope counts %d tools and %d tokens, they are %d and %d", scope.Count, scope.Tokens, count, tokens)
			}
		})
	}
}

// TestScope_HoldsEverywhere: a tool out of scope is not attached, found,
// loaded or called, whichever rule keeps it out and however it is asked for.
func TestScope_HoldsEverywhere(t *testing.T) {
	t.Parallel()
	const hidden = "s_zqbbb"
	disabledTools := numbered("s", 0, 60)
	disabledTools.Policy.DisabledTools = []string{hidden}
	onlyAllow := numbered("s", 0, 60)
	onlyAllow.Policy.OnlyAllow = toolNames("s", 1, 59)
	disabled := numbered("s", 0, 1)
	disabled.Policy.Disabled = true
	pinned := numbered("s", 0, 1)
	pinned.Policy.AlwaysLoad = true
	rest := numbered("r", 1, 60)
	tests := []struct {
		name   string
		server ServerInput
		mode   *Mode
		choice protocol.TaskChoices
		rule   string
	}{
		{"disabledTools", disabledTools, nil, protocol.TaskChoices{}, `disabledTools of server "s"`},
		{"onlyAllow", onlyAllow, nil, protocol.TaskChoices{}, `onlyAllow of server "s"`},
		{"disabled", disabled, nil, protocol.TaskChoices{}, `disabled of server "s"`},
		{"blocked", numbered("s", 0, 1), &Mode{Slug: "m", Blocked: []string{"s"}}, protocol.TaskChoices{},
			`blockedMcpServers of mode "m"`},
		{"allowed", numbered("s", 0, 1), &Mode{Slug: "m", Allowed: &[]string{"r"}}, protocol.TaskChoices{},
			`allowedMcpServers of mode "m"`},
		{"choice", numbered("s", 0, 1), nil, protocol.TaskChoices{Disabled: refs("s", hidden), Pinned: refs("s", hidden)},
			"your choice for this task"},
		{"choice against a pin", pinned, nil, protocol.TaskChoices{Disabled: refs("s", hidden)}, "your choice for this task"},
	}
	for _, tt := range tests {
		for _, strategy := range []protocol.Strategy{protocol.StrategyWindow, protocol.StrategyTopK} {
			t.Run(tt.name+"/"+string(strategy), func(t *testing.T) {
				t.Parallel()
				c := catalogOf(tt.server, rest)
				v := NewView(c, settingsOf(func(s *protocol.Settings) { s.Strategy = strategy }), tt.mode)
				v = v.WithUsage(Usage{ref("s", hidden): 100})
				task := v.Open(Opening{ID: "t", Message: words(0, 1), Choices: tt.choice, Called: []ToolID{ref("s", hidden)}})
				task, _ = v.Load(task, Request{Query: words(0, 1) + "common"})
				task, _ = v.Load(task, Request{Query: hidden})
				task, loaded := v.Load(task, Request{Names: []string{hidden, "s/" + hidden, "mcp__s__" + hidden}})
				if len(loaded.Tools) != 0 {
					t.Errorf("loaded by name: %v", loaded.Tools)
				}
				task = v.Turn(task, words(0, 1))
				task = v.Compact(task, "")
				if task.Has(ref("s", hidden)) >= 0 {
					t.Error("it is attached")
				}
				for _, m := range v.Search(&task, words(0, 1)+"common", 1000, false) {
					if c.Tools[m.Doc].ID.Tool == hidden {
						t.Error("it is found")
					}
				}
				_, _, err := v.Call(task, hidden)
				var refusal *Refusal
				if !errors.As(err, &refusal) || refusal.Kind != protocol.KindOutOfScope || ruleOf(refusal) != tt.rule {
					t.Errorf("the call is answered by %v, want a refusal by %q", err, tt.rule)
				}
				a := v.Attachment(&task)
				if count := len(c.Tools) - 1; a.Counts.Scoped != count {
					t.Errorf("%d tools in scope, want %d", a.Counts.Scoped, count)
				}
			})
		}
	}
}

// TestView_ChoiceNamedTwice: a tool that is switched off twice is missing
// once.
func TestView_ChoiceNamedTwice(t *testing.T) {
	t.Parallel()
	c := catalogOf(numbered("s", 0, 10))
	v := viewOf(c)
	choices := protocol.TaskChoices{Disabled: append(refs("s", "s_zqbbb", "s_zqbbb", "no_such"), refs("gone", "s_zqbbc")...)}
	task := v.Open(Opening{ID: "t", Message: "x", Choices: choices})
	a := v.Attachment(&task)
	if a.Counts.Scoped != 9 || a.Counts.Attached != 9 || a.Tokens.All != v.Scope.Tokens-c.Tools[0].Tokens {
		t.Errorf("counts %+v, tokens %+v", a.Counts, a.Tokens)
	}
}

// TestView_NilMode: no mode is a mode that admits everything.
func TestView_NilMode(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(serverOf("s", "a")))
	if v.Mode == nil || v.Scope.Count != 1 {
		t.Errorf("mode %v, %d in scope", v.Mode, v.Scope.Count)
	}
}
