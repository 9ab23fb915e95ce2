package ranker

import "testing"

// The message shares "post" and "message" with slack.postMessage (its whole,
// "postmessage", is a third word but not in the message): 2·10 = 20.
func TestKeyword_Formula(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	pinned := func(doc int) bool { return doc == 4 }
	used := func(doc int) float64 { return map[int]float64{1: 3, 6: 1}[doc] }
	got := c.Ranker(Keyword).Rank(Query{Text: "Post a message, a message", Pinned: pinned, Uses: used})
	want := []Match{
		{Doc: 4, Score: 100},         // the floor for a pin
		{Doc: 1, Score: 2*10 + 3*.5}, // two shared words and three uses
		{Doc: 6, Score: 1 * .5},      // one use
	}
	if bytesOf(got) != bytesOf(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestKeyword_FloorDoesNotAdd(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	all := func(int) bool { return true }
	many := func(int) float64 { return 300 }
	got := c.Ranker(Keyword).Rank(Query{Text: "message", Pinned: all, Uses: many, Limit: 1})
	if got[0].Score != 160 { // 1·10 + 300·0.5, above the floor already
		t.Errorf("score %v, want 160", got[0].Score)
	}
}

func TestKeyword_IgnoresWordsOfThreeLetters(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	if got := c.Ranker(Keyword).Rank(Query{Text: "sql PDF a"}); len(got) != 0 {
		t.Errorf("got %v, want nothing", got)
	}
}
