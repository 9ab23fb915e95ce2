package ranker

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// axes returns a vector for each document: its own axis out of three.
func axes(n int) [][]float32 {
	vectors := make([][]float32, n)
	for i := range vectors {
		vectors[i] = make([]float32, 3)
		vectors[i][i%3] = 2 // not of unit length on purpose
	}
	return vectors
}

func TestWithVectors_Rank(t *testing.T) {
	t.Parallel()
	docs := tools(t, "a.one: First", "b.two: Second", "c.three: Third")
	c, err := NewCorpus(docs, nil).WithVectors("model", axes(3))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []Kind{Auto, Embeddings} {
		got := c.Ranker(kind).Rank(Query{Text: "unknown words", Vector: []float32{0, 5, 0.1}, Limit: 1})
		if ids(c, got) != "b.two" {
			t.Errorf("%s finds %s, want b.two", kind, ids(c, got))
		}
	}
	if name := c.Ranker(Auto).Name(); name != "hybrid" {
		t.Errorf("ranker is named %s, want hybrid", name)
	}
}

// Language models that serve as embedders have vectors of 8,192 elements.
func TestWithVectors_LongOnes(t *testing.T) {
	t.Parallel()
	const dim, n = 8192, 2 * poolSize
	docs, vectors := make([]Document, n), make([][]float32, n)
	for i := range docs {
		docs[i] = Document{ID: fmt.Sprintf("a.%03d", i), Server: "a", Name: "tool"}
		vectors[i] = make([]float32, dim)
		vectors[i][i], vectors[i][dim-1] = 1, 1
	}
	c, err := NewCorpus(docs, nil).WithVectors("model", vectors)
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(c, c.Ranker(Auto).Rank(Query{Text: "unknown words", Vector: vectors[200], Limit: 1})); got != "a.200" {
		t.Errorf("found %q, want a.200", got)
	}
}

func TestWithVectors_OtherDimensionIsNotUsed(t *testing.T) {
	t.Parallel()
	docs := tools(t, "a.one: First", "b.two: Second", "c.three: Third")
	c, err := NewCorpus(docs, nil).WithVectors("model", axes(3))
	if err != nil {
		t.Fatal(err)
	}
	for _, vector := range [][]float32{nil, {1}, {0, 0, 0}, {0, 1, 0, 0}, {float32(math.NaN()), 0, 0}} {
		got := c.Ranker(Auto).Rank(Query{Text: "third", Vector: vector})
		if ids(c, got) != "c.three" {
			t.Errorf("with vector %v: %s, want c.three by its words", vector, ids(c, got))
		}
	}
}

func TestWithVectors_MissingOnesFallBackToTheBuiltIn(t *testing.T) {
	t.Parallel()
	docs := tools(t, "a.photo: Camera", "b.weather: Forecast", "c.pay: Invoice")
	vectors := [][]float32{{1, 0}, nil, {0, 1}}
	c, err := NewCorpus(docs, nil, WithEmbedder(testConcepts)).WithVectors("model", vectors)
	if err != nil {
		t.Fatal(err)
	}
	got := c.Ranker(Embeddings).Rank(Query{Text: "rain", Vector: []float32{1, 0.1}})
	if !strings.Contains(ids(c, got), "b.weather") {
		t.Errorf("found %s, want b.weather by its built-in vector", ids(c, got))
	}
}

func TestWithVectors_Errors(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t, "a.one: First", "b.two: Second"), nil)
	for _, test := range []struct {
		name    string
		vectors [][]float32
		want    string
	}{
		{"too few", axes(1), "1 vectors for 2 documents"},
		{"mixed", [][]float32{{1, 2}, {1, 2, 3}}, "vectors of two models are mixed"},
	} {
		if _, err := c.WithVectors("m", test.vectors); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
	none, err := c.WithVectors("m", [][]float32{nil, nil})
	if err != nil || none.Ranker(Auto).Name() != "bm25f" {
		t.Errorf("no vectors at all: %v, ranker %s", err, none.Ranker(Auto).Name())
	}
}

// A new version has the vectors of the texts that it shares with the one
// before, whatever their tools are called and wherever they are in the list, in
// memory that chromem-go and the scan share.
func TestWithVectors_KeptForTheNextVersion(t *testing.T) {
	t.Parallel()
	c, err := NewCorpus(tools(t, "a.one: First", "b.two: Second", "c.three: Third"), nil).
		WithVectors("m", [][]float32{{3, 4}, {0, 0}, {0, 5}})
	if err != nil {
		t.Fatal(err)
	}
	next := NewCorpus(tools(t, "d.four: Fourth", "c.three: Third", "b.two: Second", "a.one: Changed"), c)
	if next.VectorModel() != "m" {
		t.Errorf("got the model %q, want m", next.VectorModel())
	}
	want := [][]float32{nil, {0, 1}, nil, nil}
	for i, row := range next.provider.rows {
		if !slices.Equal(row, want[i]) {
			t.Errorf("document %d: got %v, want %v", i, row, want[i])
		}
	}
	found, err := next.provider.collection.QueryEmbedding(t.Context(), []float32{0, 1}, 1, nil, nil)
	if err != nil || &found[0].Embedding[0] != &next.provider.rows[1][0] {
		t.Errorf("the vectors are in memory twice: %v, %v", found, err)
	}
	if other := NewCorpus(tools(t, "x.y: Another"), next); other.VectorModel() != "" || other.provider != nil {
		t.Errorf("nothing in common: got vectors of %q", other.VectorModel())
	}
}

// The flat scan finds what chromem-go finds.
func TestWithVectors_AgreesWithChromem(t *testing.T) {
	t.Parallel()
	docs := office(t)
	vectors := make([][]float32, len(docs))
	for i := range vectors {
		vectors[i] = []float32{float32(math.Sin(float64(i))), float32(math.Cos(float64(i * i))), float32(i%3) - 1}
	}
	c, err := NewCorpus(docs, nil).WithVectors("m", vectors)
	if err != nil {
		t.Fatal(err)
	}
	query := []float32{0.6, 0.8, 0}
	results, err := c.provider.collection.QueryEmbedding(context.Background(), query, len(docs), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		i := slices.Index(textIDs(docs), r.ID)
		if got := dot(query, c.provider.rows[i]); math.Abs(got-float64(r.Similarity)) > 1e-6 {
			t.Errorf("%s: %v by the scan, %v by chromem-go", r.ID, got, r.Similarity)
		}
	}
}

func TestWithVectors_CollectionEmbedsNothingItself(t *testing.T) {
	t.Parallel()
	c, err := NewCorpus(office(t), nil).WithVectors("m", axes(len(office(t))))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.provider.collection.Query(context.Background(), "text", 1, nil, nil); err == nil {
		t.Error("the collection embedded a text: with which service?")
	}
}
