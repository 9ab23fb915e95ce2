package ranker

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
)

// counting counts the texts it is asked to read.
type counting struct {
	mu    sync.Mutex // guards texts
	texts []string
	inner Embedder
}

func (c *counting) Dim() int { return c.inner.Dim() }

func (c *counting) Tokens(dst []int32, s string) []int32 {
	c.mu.Lock()
	c.texts = append(c.texts, s)
	c.mu.Unlock()
	return c.inner.Tokens(dst, s)
}

func (c *counting) Embed(dst []float32, tokens []int32, weights []float32) bool {
	return c.inner.Embed(dst, tokens, weights)
}

func (c *counting) Knows(word string) bool { return c.inner.Knows(word) }

func TestEmbedding_ReusesUnchangedDocuments(t *testing.T) {
	t.Parallel()
	e := &counting{inner: testConcepts}
	docs := office(t)
	first := NewCorpus(docs, nil, WithEmbedder(e))
	first.embed()
	all := len(e.texts)
	changed := slices.Clone(docs)
	changed[0].Description = "Weather forecast"
	e.texts = nil
	second := NewCorpus(changed, NewCorpus(changed, first, WithEmbedder(e)), WithEmbedder(e))
	rows := second.embed()
	if len(e.texts) >= all/2 || !strings.Contains(strings.Join(e.texts, "|"), "Weather forecast") {
		t.Errorf("embedded %q anew, want the changed document alone", e.texts)
	}
	fresh := NewCorpus(changed, nil, WithEmbedder(e)).embed()
	if !slices.EqualFunc(rows.rows, fresh.rows, slices.Equal) || !slices.Equal(rows.signs, fresh.signs) {
		t.Error("reused vectors differ from fresh ones")
	}
}

// Thirty tools that take pictures come to three others: the weight of a picture
// changes, and with it the vectors that have one, though their tools did not.
func TestEmbedding_FollowsTheCatalogue(t *testing.T) {
	t.Parallel()
	few := tools(t, "a.camera: Picture and weather", "b.invoice: Pay", "b.price: Weather")
	first := NewCorpus(few, nil, WithEmbedder(testConcepts))
	first.embed()
	many := slices.Clone(few)
	for i := range 30 {
		many = append(many, tools(t, fmt.Sprintf("c.t%d: Picture", i))...)
	}
	second, fresh := NewCorpus(many, first, WithEmbedder(testConcepts)).embed(), NewCorpus(many, nil, WithEmbedder(testConcepts)).embed()
	if !slices.EqualFunc(second.rows, fresh.rows, slices.Equal) {
		t.Error("vectors carried over differ from fresh ones")
	}
	if slices.Equal(second.rows[0], first.embed().rows[0]) {
		t.Error("a picture weighs the same in both: the test shows nothing")
	}
}

func TestEmbedding_OtherEmbedderOrWeightsReuseNothing(t *testing.T) {
	t.Parallel()
	first := NewCorpus(office(t), nil, WithEmbedder(testConcepts))
	first.embed()
	e := &counting{inner: testConcepts}
	NewCorpus(office(t), first, WithEmbedder(e)).embed()
	if len(e.texts) == 0 {
		t.Error("vectors of another embedder were reused")
	}
}

// "camera" and the parameter "price": (1 + 0.3)·camera + 0.15·price, at unit
// length: the price's part is 0.15/√(1.3² + 0.15²) = 0.11463.
func TestEmbedding_WeighsTheFields(t *testing.T) {
	t.Parallel()
	d := Document{ID: "a", Name: "camera", Parameters: []Parameter{{Name: "price"}}}
	row := NewCorpus([]Document{d}, nil, WithEmbedder(testConcepts)).embed().rows[0]
	if got := float64(row[testConcepts.dimension("price")]); math.Abs(got-0.11463) > 1e-5 {
		t.Errorf("the parameter's part is %v, want 0.11463", got)
	}
}

func TestEmbedding_UnknownTextHasNoVector(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t, "x.zebra: Striped", "y.camera: Takes a picture"), nil, WithEmbedder(testConcepts))
	if got := c.embed(); got.has(0) || !got.has(1) {
		t.Errorf("vectors %v, want the second alone", got.rows)
	}
	if got := ids(c, c.Ranker(Embeddings).Rank(Query{Text: "photo"})); got != "y.camera" {
		t.Errorf("found %q, want y.camera", got)
	}
}

func TestEachChunk_CoversEverythingOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, chunk, chunk + 1, 5*chunk - 1} {
		var mu sync.Mutex
		seen := make([]int, n)
		eachChunk(n, func() func(from, to int) {
			return func(from, to int) {
				mu.Lock()
				defer mu.Unlock()
				for i := from; i < to; i++ {
					seen[i]++
				}
			}
		})
		if slices.ContainsFunc(seen, func(times int) bool { return times != 1 }) {
			t.Errorf("of %d some were not done once", n)
		}
	}
}

// pieces embeds every text alike, as a model of word pieces does with words that
// it has never seen, and knows the words of another.
type pieces struct{ *concepts }

func (p pieces) Tokens(dst []int32, s string) []int32 {
	tokens := p.concepts.Tokens(dst, s)
	if len(tokens) == len(dst) {
		tokens = append(tokens, 0)
	}
	return tokens
}

// Something is always nearest. A text of which neither the documents nor the
// model have a word finds nothing all the same; one that the model understands
// does, and so does one of which a document has a word.
func TestEmbedding_UnknownWordsFindNothing(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil, WithEmbedder(pieces{testConcepts}))
	for _, test := range []struct {
		text  string
		found bool
	}{
		{"zzqx wvut", false}, {"please help me to zzqx the wvut", false}, {"qqq. zzqx wvut. xyzzy plugh", false},
		{"umbrella", true}, {"zzqx umbrellas", true}, {"slack wvut", true},
	} {
		for _, kind := range []Kind{Auto, Embeddings} {
			if got := c.Ranker(kind).Rank(Query{Text: test.text, Limit: 5}); len(got) > 0 != test.found {
				t.Errorf("%s of %q found %s", kind, test.text, ids(c, got))
			}
		}
	}
}
