package ranker

import (
	"fmt"
	"testing"
)

func TestMemory_FindsWhatWasFetchedForSuchAMessage(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	q := Query{Text: "please ping the deploy crew about tonight"}
	if got := place(c, q, "slack.postMessage"); got != -1 {
		t.Fatalf("found without memory, in place %d", got)
	}
	q.Memory = NewMemory([]Miss{{Message: "ping the deploy crew", ID: "slack.postMessage"}})
	if got := place(c, q, "slack.postMessage"); got != 0 {
		t.Errorf("place %d with memory, want 0", got)
	}
	q.Text = "merge two pdf files"
	if got := place(c, q, "slack.postMessage"); got != -1 {
		t.Errorf("remembered for an unlike message, in place %d", got)
	}
}

func TestMemory_IgnoresToolsThatAreGoneOrNotEligible(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	q := Query{Text: "ping the crew", Memory: NewMemory([]Miss{
		{Message: "ping the crew", ID: "gone.tool"}, {Message: "ping the crew", ID: "pdf.merge"}, {Message: "", ID: "pdf.merge"},
	}), Eligible: func(doc int) bool { return doc != 6 }}
	if got := c.Ranker(Auto).Rank(q); len(got) != 0 {
		t.Errorf("found %s", ids(c, got))
	}
}

func TestMemory_KeepsTheLatest(t *testing.T) {
	t.Parallel()
	var misses []Miss
	for i := range maxMisses + 10 {
		misses = append(misses, Miss{Message: fmt.Sprintf("message%d", i), ID: "a"})
	}
	m := NewMemory(misses)
	if len(m.misses) != maxMisses || m.misses[0].stems[0] != "10" {
		t.Errorf("%d misses kept, the first of %v", len(m.misses), m.misses[0].stems)
	}
}

// {a b c} and {b c d e} share two: 2²/(3·4) = 1/3.
func TestAlikeSquared(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b []string
		want float64
	}{
		{[]string{"a", "b", "c"}, []string{"b", "c", "d", "e"}, 4.0 / 12},
		{[]string{"a"}, []string{"a"}, 1},
		{[]string{"a"}, []string{"b"}, 0},
		{nil, nil, 0},
	} {
		if got := alikeSquared(test.a, test.b); got != test.want {
			t.Errorf("alikeSquared(%v, %v) = %v, want %v", test.a, test.b, got, test.want)
		}
	}
}
