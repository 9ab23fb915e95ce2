package ranker

import (
	"slices"
	"strings"
	"testing"
)

func place(c *Corpus, q Query, id string) int {
	return slices.IndexFunc(c.Ranker(Auto).Rank(q), func(m Match) bool { return c.Document(m.Doc).ID == id })
}

func TestContext_EarlierMessagesCountLess(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	alone := Query{Text: "merge two pdf"}
	if got := place(c, alone, "slack.postMessage"); got != -1 {
		t.Fatalf("slack.postMessage is in place %d without context", got)
	}
	after := Query{Text: "merge two pdf", Earlier: []string{"post a message to the slack channel"}}
	if got := place(c, after, "pdf.merge"); got != 0 {
		t.Errorf("the latest message's tool is in place %d, want 0", got)
	}
	if got := place(c, after, "slack.postMessage"); got < 1 {
		t.Errorf("the earlier message's tool is in place %d, want a later one", got)
	}
}

func TestContext_WhatWasPastedEarlierDoesNotCount(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	log := strings.Repeat("2026-11-21 04:00:00 ERROR could not post the message to the slack channel\n", 20)
	q := Query{Text: "merge two pdf", Earlier: []string{"what is in this file?\n\n" + log}}
	if got := place(c, q, "slack.postMessage"); got != -1 {
		t.Errorf("a tool that an earlier log speaks of is in place %d", got)
	}
	if got := place(c, q, "files.read_file"); got < 1 {
		t.Errorf("the earlier request's tool is in place %d, want a later one", got)
	}
}

func TestContext_OnlyTheLatestEarlierMessages(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	q := Query{Text: "merge two pdf", Earlier: []string{"post to slack", "first", "second", "third"}}
	if got := place(c, q, "slack.postMessage"); got != -1 {
		t.Errorf("a message four turns back still counts: place %d", got)
	}
}

func TestContext_ServerInUse(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t, "a.search: Search things", "b.search: Search items", "b.open: Open"), nil)
	if got := place(c, Query{Text: "search"}, "b.search"); got != 1 {
		t.Fatalf("b.search is in place %d without context, want 1", got)
	}
	if got := place(c, Query{Text: "search", Called: []int{2}}, "b.search"); got != 0 {
		t.Errorf("b.search is in place %d after b.open was called, want 0", got)
	}
}

func TestContext_OrdinalsOutOfRangeAreIgnored(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	want := bytesOf(c.Ranker(Auto).Rank(Query{Text: "merge pdf"}))
	if got := bytesOf(c.Ranker(Auto).Rank(Query{Text: "merge pdf", Called: []int{-1, 99}})); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Recent use adds 0.1·u/(u+3) and never more than 0.1, however often.
func TestContext_RecentUseIsBounded(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	score := func(uses float64) float64 {
		return c.Ranker(Auto).Rank(Query{Text: "merge pdf", Uses: func(int) float64 { return uses }, Limit: 1})[0].Score
	}
	base := score(0)
	for _, test := range []struct{ uses, low, high float64 }{{-5, 0, 0}, {3, 0.0499, 0.0501}, {1e9, 0.09, 0.1001}} {
		if got := score(test.uses) - base; got < test.low || got > test.high {
			t.Errorf("%v uses add %v, want between %v and %v", test.uses, got, test.low, test.high)
		}
	}
}
