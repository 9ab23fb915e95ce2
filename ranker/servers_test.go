package ranker

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestServers_NamedByTheUserWins(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t,
		"jira.create_issue: Create an issue", "linear-mcp.create_issue: Create an issue",
		"linear-mcp.list_cycles: List cycles", "github.create_issue: Create an issue"), nil)
	for _, test := range []struct{ query, first string }{
		{"create an issue in linear", "linear-mcp.create_issue"},
		{"create an issue on GitHub", "github.create_issue"},
		{"Jira: create an issue", "jira.create_issue"},
	} {
		if got := ids(c, c.Ranker(Auto).Rank(Query{Text: test.query, Limit: 1})); got != test.first {
			t.Errorf("%q finds %s first, want %s", test.query, got, test.first)
		}
	}
}

func TestServers_EverydayWordsNameNoServer(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t,
		"search.web: Search the web", "files.search: Search in files", "mail.search: Search mail",
		"wiki.search: Search articles", "code.search: Search code"), nil)
	for _, m := range c.Ranker(Auto).Rank(Query{Text: "search the mail", Explain: true}) {
		for _, p := range m.Parts {
			if p.Name == "server named" && c.Document(m.Doc).Server == "search" {
				t.Errorf("the server search counts as named: %+v", m.Parts)
			}
		}
	}
}

func TestServers_AnInflectionIsNotAName(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t, "teams.post: Post to a channel", "slack.post: Post to a channel"), nil)
	for _, test := range []struct {
		query string
		named bool
	}{{"tell the team in the channel", false}, {"post to the channel in Teams", true}} {
		named := false
		for _, m := range c.Ranker(Auto).Rank(Query{Text: test.query, Explain: true}) {
			for _, p := range m.Parts {
				named = named || p.Name == "server named"
			}
		}
		if named != test.named {
			t.Errorf("%q names a server: %v, want %v", test.query, named, test.named)
		}
	}
}

func TestServers_SiblingsAreEvidence(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t,
		"alpha.export: Export data", "beta.export: Export data", "beta.invoice_report: Report on invoices"), nil)
	if got := ids(c, c.Ranker(Auto).Rank(Query{Text: "export the invoice report data"})); got != "beta.invoice_report beta.export alpha.export" {
		t.Errorf("got %s, want beta.export before alpha.export for its sibling's sake", got)
	}
}

// TestServers_ShortNames: a server is named by what the bank calls such servers,
// whosever package it is; of two such, by all of its name.
func TestServers_ShortNames(t *testing.T) {
	t.Parallel()
	named := func(c *Corpus, message string) string {
		servers := map[string]bool{}
		for _, m := range c.Ranker(Auto).Rank(Query{Text: message, Explain: true}) {
			for _, p := range m.Parts {
				if p.Name == "server named" {
					servers[c.Document(m.Doc).Server] = true
				}
			}
		}
		return strings.Join(slices.Sorted(maps.Keys(servers)), " ")
	}
	one := tools(t, "slack-acme.post: Post to a channel", "mail-acme.post: Post to a list")
	two := append(tools(t, "slack-home.post: Post to a channel"), one...)
	tests := []struct {
		docs    []Document
		options []Option
		message string
		want    string
	}{
		{one, nil, "post it in slack", ""},
		{one, []Option{WithBank(testBank(t))}, "post it in slack", "slack-acme"},
		{one, []Option{WithBank(testBank(t))}, "post it in mail", ""},
		{two, []Option{WithBank(testBank(t))}, "post it in slack", ""},
		{two, []Option{WithBank(testBank(t))}, "post it in slack at home", "slack-home"},
	}
	for _, tt := range tests {
		if got := named(NewCorpus(tt.docs, nil, tt.options...), tt.message); got != tt.want {
			t.Errorf("%q among %s: %q is named, want %q", tt.message, tt.docs[0].Server, got, tt.want)
		}
	}
}
