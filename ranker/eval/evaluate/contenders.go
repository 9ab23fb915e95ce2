package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/ranker/static"
)

// Depth is how many places of an answer are judged.
const Depth = 30

// Contender is a ranker, or a variant of one, that is measured.
type Contender struct {
	Name string
	// Prepare indexes a catalogue and returns what ranks it: the ordinals of
	// at most Depth documents, best first.
	Prepare func(docs []ranker.Document) func(message string) []int
}

// knowledge is what the product's ranker knows beside the catalogue; each may be
// nil.
type knowledge struct {
	model *static.Model
	bank  *bank.Bank
}

// product returns Winnow's own ranker of a kind, with weights changed.
func product(name string, kind ranker.Kind, knows knowledge, change func(*ranker.Weights)) Contender {
	return Contender{Name: name, Prepare: func(docs []ranker.Document) func(string) []int {
		weights := ranker.DefaultWeights()
		change(&weights)
		options := []ranker.Option{ranker.WithWeights(weights), ranker.WithBank(knows.bank)}
		if knows.model != nil {
			options = append(options, ranker.WithEmbedder(knows.model))
		}
		r := ranker.NewCorpus(docs, nil, options...).Ranker(kind)
		r.Rank(ranker.Query{Text: "build the index", Limit: 1})
		return func(message string) []int {
			matches := r.Rank(ranker.Query{Text: message, Limit: Depth})
			answer := make([]int, len(matches))
			for i, m := range matches {
				answer[i] = m.Doc
			}
			return answer
		}
	}}
}

// load returns what the product knows, without the phrasings of some servers.
func load(unseen []string) (knowledge, error) {
	model, err := static.Load()
	if err != nil {
		return knowledge{}, fmt.Errorf("load the built-in embedding model: %w", err)
	}
	phrasings, err := bank.Load()
	if err != nil {
		return knowledge{}, fmt.Errorf("load the phrasings: %w", err)
	}
	return knowledge{model, phrasings.Without(unseen)}, nil
}

// contenders lists everything that can be measured; the ablations, each the
// product with one part switched off, only when asked for.
func contenders(knows knowledge, ablate bool) []Contender {
	same := func(*ranker.Weights) {}
	list := []Contender{
		{"zoo-code", func(docs []ranker.Document) func(string) []int { return newZooCode(docs).rank }},
		product("wayland-keyword", ranker.Keyword, knowledge{}, same),
		{"wayland-bm25", func(docs []ranker.Document) func(string) []int { return newWayland(docs).rank }},
		product("bm25", ranker.BM25, knowledge{}, same),
		product("bm25f", ranker.Auto, knowledge{}, same),
		product("embeddings", ranker.Embeddings, knows, same),
		product("auto", ranker.Auto, knows, same),
	}
	if ablate {
		// Without the bank its words change no rarity either.
		list = append(list, product("-phrasings", ranker.Auto, knowledge{model: knows.model}, same))
		for _, part := range parts {
			list = append(list, product("-"+part.name, ranker.Auto, knows, part.off))
		}
	}
	return list
}

// withModels returns the product with each of the embedding models in files,
// whose paths are separated by commas, in place of its own.
func withModels(files string, knows knowledge) ([]Contender, error) {
	var list []Contender
	for _, file := range strings.FieldsFunc(files, func(r rune) bool { return r == ',' }) {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read the embedding model: %w", err)
		}
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		model, err := static.Parse(name, string(data))
		if err != nil {
			return nil, fmt.Errorf("embedding model %s: %w", file, err)
		}
		list = append(list, product(name, ranker.Auto, knowledge{model, knows.bank}, func(*ranker.Weights) {}))
	}
	return list, nil
}

// parts lists what an ablation switches off.
var parts = []struct {
	name string
	off  func(*ranker.Weights)
}{
	{"field-weights", func(w *ranker.Weights) {
		w.Server, w.Name, w.Title, w.Description, w.Parameter, w.ParameterText = 1, 1, 1, 1, 1, 1
	}},
	{"parameters", func(w *ranker.Weights) { w.Parameter, w.ParameterText, w.VectorParameters = 0, 0, 0 }},
	{"server-name", func(w *ranker.Weights) { w.Server, w.VectorServer = 0, 0 }},
	{"synonyms", func(w *ranker.Weights) { w.Synonym, w.SynonymOfUnknown = 0, 0 }},
	{"feedback", func(w *ranker.Weights) { w.Feedback = 0 }},
	{"pasted-text", func(w *ranker.Weights) { w.Pasted = 1 }},
	{"other-languages", func(w *ranker.Weights) { w.Translated = 0 }},
	{"signals", func(w *ranker.Weights) { w.Signal = 0 }},
	{"vector-fields", func(w *ranker.Weights) { w.VectorName, w.VectorParameters, w.VectorServer = 0, 0, 0 }},
	{"common-tokens", func(w *ranker.Weights) { w.VectorCommon, w.VectorUnseen = 1e9, 1 }},
	{"name-covered", func(w *ranker.Weights) { w.NameCovered = 0 }},
	{"sentences", func(w *ranker.Weights) { w.Sentence = 0 }},
	{"clauses", func(w *ranker.Weights) { w.Clause = 0 }},
	{"steps", func(w *ranker.Weights) { w.Sentence, w.Clause = 0, 0 }},
	{"siblings", func(w *ranker.Weights) { w.Sibling = 0 }},
	{"phrasings-as-words", func(w *ranker.Weights) { w.Phrasing = 0 }},
	{"phrasings-in-vectors", func(w *ranker.Weights) { w.VectorPhrasing = 0 }},
	{"phrasings-by-name", func(w *ranker.Weights) { w.Namesake = 0 }},
	{"phrasings-by-meaning", func(w *ranker.Weights) { w.Neighbour = 0 }},
	{"named-server", func(w *ranker.Weights) { w.NamedServer = 0 }},
	{"duplicates", func(w *ranker.Weights) { w.Duplicate = 1 }},
	{"companions", func(w *ranker.Weights) { w.Needed = 0 }},
	{"read-only", func(w *ranker.Weights) { w.Harm = 1 }},
}
