package display

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// question is about a server of a file, as changed.
func question(server, file string, edit func(q *protocol.ConsentQuestion)) protocol.ConsentQuestion {
	q := protocol.ConsentQuestion{Server: server, File: file, Hash: "hash of " + server, Starts: "run " + server}
	if edit != nil {
		edit(&q)
	}
	return q
}

// prompt is the next question; files lose their first character.
func prompt(p protocol.ConsentPromptParams, questions ...protocol.ConsentQuestion) *protocol.ConsentPrompt {
	return Consent(&p, questions, func(file string) string { return file[1:] }).Prompt
}

func isChanged(q *protocol.ConsentQuestion)  { q.Changed = true }
func isDeclined(q *protocol.ConsentQuestion) { q.Declined = true }
func isInstead(q *protocol.ConsentQuestion)  { q.Instead = true }
func isOwn(q *protocol.ConsentQuestion)      { q.OwnFile = true }

// What is new is asked together, what has changed on its own, and each once.
func TestConsentOrder(t *testing.T) {
	questions := []protocol.ConsentQuestion{
		question("c1", "/x", isChanged), question("c2", "/x", isChanged), question("declined", "/x", isDeclined),
		question("own", "/w", isOwn), question("a", "/x", nil), question("b", "/y", nil),
	}
	var asked, got []string
	for next := prompt(protocol.ConsentPromptParams{}, questions...); next != nil; next = prompt(protocol.ConsentPromptParams{Asked: asked}, questions...) {
		asked = append(asked, next.Asked...)
		group := next.Show
		for _, answer := range next.Answers {
			group += " " + answer.Server
		}
		got = append(got, group)
	}
	if want := []string{"Show Files a b", "Show File own", "Show Changes c1", "Show Changes c2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	again := question("a", "/x", func(q *protocol.ConsentQuestion) { q.Hash = "another" })
	if prompt(protocol.ConsentPromptParams{Asked: asked}, again) == nil {
		t.Error("another start of a server is not asked about")
	}
	one := prompt(protocol.ConsentPromptParams{Asked: asked, Server: "declined", File: "/x"}, questions...)
	if one == nil || len(one.Answers) != 1 || one.Answers[0] != (protocol.ServerConsentParams{File: "/x", Server: "declined", Hash: "hash of declined"}) {
		t.Errorf("about the one that was declined: %+v", one)
	}
	if other := prompt(protocol.ConsentPromptParams{Server: "declined", File: "/y"}, questions...); other != nil {
		t.Errorf("about one that there is not: %+v", other)
	}
}

// The question names the servers and the files, and what one starts.
func TestConsentText(t *testing.T) {
	var many []protocol.ConsentQuestion
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		many = append(many, question(name, "/x", nil))
	}
	for _, c := range []struct {
		questions []protocol.ConsentQuestion
		want      string
	}{
		{[]protocol.ConsentQuestion{question("a", "/.mcp.json", nil)},
			"Winnow found an MCP server (a) in .mcp.json, which another client may run too. It starts: run a. May Winnow run it?"},
		{append(many, question("f", "/y", nil)),
			"Winnow found 6 MCP servers (a, b, c and 3 more) in x and y, which another client may run too. May Winnow run them?"},
		{[]protocol.ConsentQuestion{question("a", "/w", func(q *protocol.ConsentQuestion) { q.OwnFile, q.Instead = true, true })},
			"Since you trusted this workspace, an MCP server (a) came into w. It starts: run a. It would run instead of your other server of that name (a). May Winnow run it?"},
		{[]protocol.ConsentQuestion{question("a", "/w", isInstead), question("b", "/w", isInstead), question("c", "/w", nil)},
			"Winnow found 3 MCP servers (a, b and c) in w, which another client may run too. They would run instead of your other servers of those names (a and b). May Winnow run them?"},
		{[]protocol.ConsentQuestion{question("a", "/x", func(q *protocol.ConsentQuestion) { q.AllowedByFile = true })},
			"Winnow found an MCP server (a) in x, which another client may run too. It starts: run a. You have allowed this file before; Winnow now asks about each server, and again when one changes. May Winnow run it?"},
	} {
		if got := prompt(protocol.ConsentPromptParams{}, c.questions...).Text; got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// Each of several servers is shown whole, to be chosen on its own, and the rules
// of an entry are asked about one by one.
func TestConsentChoices(t *testing.T) {
	long := "npx " + strings.Repeat("x", 1000)
	var many []protocol.ConsentQuestion
	for i := range 30 {
		many = append(many, question(fmt.Sprint("s", i), "/x", func(q *protocol.ConsentQuestion) { q.Starts = long + fmt.Sprint(i) }))
	}
	many[3].Instead, many[3].Rules = true, []protocol.ConsentPart{{Key: "alwaysAllow", Text: "*"}}
	got := prompt(protocol.ConsentPromptParams{}, many...)
	if len(got.Choices) != 30 || len(got.Answers) != 30 || got.Choose == "" {
		t.Fatalf("%d choices, %d answers, %q", len(got.Choices), len(got.Answers), got.Choose)
	}
	for i, choice := range got.Choices {
		want := long + fmt.Sprint(i)
		if i == 3 {
			want += "; instead of your other server of that name; alwaysAllow *"
		}
		if choice.Label != got.Answers[i].Server || choice.Description != "x" || choice.Detail != want {
			t.Errorf("choice %d is %+v", i, choice)
		}
	}
	rules := question("mine", "/x", func(q *protocol.ConsentQuestion) {
		q.OnlyRules, q.Rules = true, []protocol.ConsentPart{{Key: "alwaysAllow", Text: "*"}, {Key: "toolDescriptionOverrides.t", Text: "evil"}}
	})
	one := prompt(protocol.ConsentPromptParams{}, rules, rules)
	want := "x has rules for the MCP server mine: alwaysAllow *; toolDescriptionOverrides.t evil. Until you agree, your own rules hold. May these count?"
	if one.Text != want || len(one.Answers) != 1 || one.Choices != nil {
		t.Errorf("about rules: %+v", one)
	}
}

// What turns the direction of a text, or ends its line, hides nothing of what would
// start; the answer is about the server by its own name.
func TestConsentHidden(t *testing.T) {
	evil := question("do\u202ecs", "/x", func(q *protocol.ConsentQuestion) {
		q.Starts = "npx \u202eteg lruc\u202c good"
		q.Parts = []protocol.ConsentPart{{Key: "args", Text: "a\ncommand: good"}}
	})
	got := prompt(protocol.ConsentPromptParams{}, evil)
	want := `Winnow found an MCP server (do\u202ecs) in x, which another client may run too. It starts: npx \u202eteg lruc\u202c good. May Winnow run it?`
	if got.Text != want {
		t.Errorf("got %q, want %q", got.Text, want)
	}
	if got.Answers[0].Server != evil.Server {
		t.Errorf("the answer is about %q, want %q", got.Answers[0].Server, evil.Server)
	}
	evil.Changed, evil.Changes = true, []protocol.ConsentChange{{Key: "args", Before: "a", After: "a\ncommand: good"}}
	want = "args: a\\ncommand: good\n"
	if got := prompt(protocol.ConsentPromptParams{}, evil).Changes; got == nil || got.After != want {
		t.Errorf("got %+v, want %q after the change", got, want)
	}
}

// The question says what has changed.
func TestConsentChangedText(t *testing.T) {
	text := func(changes ...protocol.ConsentChange) string {
		return prompt(protocol.ConsentPromptParams{}, question("a", "/x", func(q *protocol.ConsentQuestion) {
			q.Changed, q.Changes = true, changes
		})).Text
	}
	long := strings.Repeat("x", 1000)
	for want, change := range map[string]protocol.ConsentChange{
		"is -n, it was -y":                 {Before: "-y", After: "-n"},
		"is new, -n":                       {After: "-n"},
		"is gone, it was -y":               {Before: "-y"},
		"has another value":                {Before: "(hidden)", After: "(hidden)"},
		"is y, it was " + long[:119] + "…": {Before: long, After: "y"},
	} {
		change.Key = "args"
		want := "The MCP server a in x is not what you allowed: args " + want + ". May Winnow run it as it is now?"
		if got := text(change); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	both := text(protocol.ConsentChange{Key: "args", After: "-n"}, protocol.ConsentChange{Key: "url", After: "x"})
	if !strings.Contains(both, "args is new, -n, and 1 more.") {
		t.Errorf("of two changes: %q", both)
	}
}

// Both sides of a change are shown whole.
func TestConsentChanges(t *testing.T) {
	got := consentChanges(&protocol.ConsentQuestion{
		Server: "a",
		Parts:  []protocol.ConsentPart{{Key: "command", Text: "node"}, {Key: "env.NEW", Text: "1"}, {Key: "env.KEY", Text: "(hidden)"}},
		Changes: []protocol.ConsentChange{
			{Key: "command", Before: "npx", After: "node"},
			{Key: "env.NEW", After: "1"},
			{Key: "env.OLD", Before: "2"},
			{Key: "env.KEY", Before: "(hidden)", After: "(hidden)"},
		},
	})
	want := protocol.ConsentChanges{
		Title:  "a: what you allowed ↔ what would start",
		Before: "command: npx\nenv.KEY: (hidden) (another value)\nenv.OLD: 2\n",
		After:  "command: node\nenv.NEW: 1\nenv.KEY: (hidden)\n",
	}
	if *got != want {
		t.Errorf("got %+v, want %+v", *got, want)
	}
}
