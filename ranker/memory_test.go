package ranker

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// testKey is the key of the prints in these tests.
const testKey = "a key"

// remember returns a memory of one miss.
func remember(message, id string) *Memory {
	return NewMemory(testKey, []Miss{{ID: id, Words: Prints(testKey, message)}})
}

func TestMemory_FindsWhatWasFetchedForSuchAMessage(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	q := Query{Text: "please ping the deploy crew about tonight"}
	if got := place(c, q, "slack.postMessage"); got != -1 {
		t.Fatalf("found without memory, in place %d", got)
	}
	q.Memory = remember("ping the deploy crew", "slack.postMessage")
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
	words := Prints(testKey, "ping the crew")
	q := Query{Text: "ping the crew", Memory: NewMemory(testKey, []Miss{
		{ID: "gone.tool", Words: words}, {ID: "pdf.merge", Words: words}, {ID: "slack.postMessage"},
	}), Eligible: func(doc int) bool { return doc != 6 }}
	if got := c.Ranker(Auto).Rank(q); len(got) != 0 {
		t.Errorf("found %s", ids(c, got))
	}
}

func TestMemory_KeepsTheLatest(t *testing.T) {
	t.Parallel()
	var misses []Miss
	for i := range uint32(MaxMisses + 10) {
		misses = append(misses, Miss{ID: "a", Words: []uint32{i}})
	}
	m := NewMemory(testKey, misses)
	if len(m.misses) != MaxMisses || m.misses[0].Words[0] != 10 {
		t.Errorf("%d misses kept, the first of %v", len(m.misses), m.misses[0].Words)
	}
}

// Inflection, order, repetition, politeness and case make no difference; the
// key does. A print is four bytes of SHA-256("key\x00pdf"), here 0x0e8b954f.
func TestPrints(t *testing.T) {
	t.Parallel()
	if got := Prints("key", "PDF"); len(got) != 1 || got[0] != 0x0e8b954f {
		t.Errorf("prints of one word: %#x", got)
	}
	a := Prints(testKey, "Merge the PDF files")
	if b := Prints(testKey, "please: files, file, merging of a PDF"); len(a) != 3 || !slices.Equal(a, b) {
		t.Errorf("%v and %v", a, b)
	}
	if b := Prints("another", "Merge the PDF files"); slices.Equal(a, b) {
		t.Error("the prints do not depend on the key")
	}
	if got := Prints(testKey, "could you please"); len(got) != 0 {
		t.Errorf("prints of politeness: %v", got)
	}
	var long strings.Builder
	for i := range 2 * maxPrints {
		fmt.Fprintf(&long, "word%d ", i)
	}
	if got := Prints(testKey, long.String()); len(got) != maxPrints || !slices.IsSorted(got) {
		t.Errorf("%d prints of a long message, sorted: %v", len(got), slices.IsSorted(got))
	}
}

// {1 2 3} and {2 3 4 5} share two: 2²/(3·4) = 1/3.
func TestAlikeSquared(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b []uint32
		want float64
	}{
		{[]uint32{1, 2, 3}, []uint32{2, 3, 4, 5}, 4.0 / 12},
		{[]uint32{1}, []uint32{1}, 1},
		{[]uint32{1}, []uint32{2}, 0},
		{nil, nil, 0},
	} {
		if got := alikeSquared(test.a, test.b); got != test.want {
			t.Errorf("alikeSquared(%v, %v) = %v, want %v", test.a, test.b, got, test.want)
		}
	}
}
