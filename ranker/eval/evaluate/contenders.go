package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/ranker/static"
)

// Depth is how many places of an answer are evaluated.
const Depth = 30

// Contender is a ranker, or a variant of one, to measure.
type Contender struct {
	Name string
	// Prepare indexes a catalogue and returns its ranking function, whose result holds
	// the ordinals of at most Depth documents, best first.
	Prepare func(docs []ranker.Document) func(message string) []int
}

// knowledge is the data of the product's ranker besides the catalogue; each field may be
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

// load returns the product's data, without the phrasings of some servers.
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

// contenders lists all contenders. With ablate it includes the ablations: the product
// with one part switched off each.
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
		for _, p := range parts {
			list = append(list, p.without("-"+p.name, knows))
		}
	}
	return list
}

// partsNamed returns the parts with the names in a comma-separated list.
func partsNamed(names string) ([]part, error) {
	var chosen []part
	for _, name := range strings.FieldsFunc(names, func(r rune) bool { return r == ',' }) {
		i := slices.IndexFunc(parts, func(p part) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no part named %q; -ablate lists them", name)
		}
		chosen = append(chosen, parts[i])
	}
	return chosen, nil
}

// eachAlone returns the product without all of some parts, and without each of them
// alone, or nil if there are none.
func eachAlone(chosen []part, knows knowledge) []Contender {
	if len(chosen) == 0 {
		return nil
	}
	list := []Contender{together(chosen).without("none of these", knows)}
	for i, p := range chosen {
		list = append(list, together(slices.Delete(slices.Clone(chosen), i, i+1)).without("+"+p.name, knows))
	}
	return list
}

// together combines parts into one.
func together(parts []part) part {
	return part{
		bank: slices.ContainsFunc(parts, func(p part) bool { return p.bank }),
		off: func(w *ranker.Weights) {
			for _, p := range parts {
				p.off(w)
			}
		},
	}
}

// without returns the product with a part switched off.
func (p part) without(name string, knows knowledge) Contender {
	if p.bank {
		knows.bank = nil
	}
	return product(name, ranker.Auto, knows, p.off)
}

// withModels returns the product with each of the embedding models in a comma-separated
// list of files, and the same without all of some parts.
func withModels(files string, knows knowledge, chosen []part) ([]Contender, error) {
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
		other := knowledge{model, knows.bank}
		list = append(list, product(name, ranker.Auto, other, func(*ranker.Weights) {}))
		if len(chosen) > 0 {
			list = append(list, together(chosen).without(name+", none of these", other))
		}
	}
	return list, nil
}

// part is what an ablation switches off.
type part struct {
	name string
	off  func(*ranker.Weights)
	// bank reports that the part is the bank, which must be removed to restore the rarity
	// of words.
	bank bool
}

// parts lists the parts.
var parts = []part{
	{"phrasings", func(*ranker.Weights) {}, true},
	{"field-weights", func(w *ranker.Weights) {
		w.Server, w.Name, w.Title, w.Description, w.Parameter, w.ParameterText = 1, 1, 1, 1, 1, 1
	}, false},
	{"parameters", func(w *ranker.Weights) { w.Parameter, w.ParameterText, w.VectorParameters = 0, 0, 0 }, false},
	{"server-name", func(w *ranker.Weights) { w.Server, w.VectorServer = 0, 0 }, false},
	{"synonyms", func(w *ranker.Weights) { w.Synonym, w.SynonymOfUnknown = 0, 0 }, false},
	{"feedback", func(w *ranker.Weights) { w.Feedback = 0 }, false},
	{"pasted-text", func(w *ranker.Weights) { w.Pasted = 1 }, false},
	{"other-languages", func(w *ranker.Weights) { w.Translated = 0 }, false},
	{"signals", func(w *ranker.Weights) { w.Signal = 0 }, false},
	{"vector-fields", func(w *ranker.Weights) { w.VectorName, w.VectorParameters, w.VectorServer = 0, 0, 0 }, false},
	{"common-tokens", func(w *ranker.Weights) { w.VectorCommon, w.VectorUnseen = 1e9, 1 }, false},
	{"name-covered", signal("name covered"), false},
	{"steps", signal("step"), false},
	{"actions", signal("kind of action"), false},
	{"siblings", signal("server's other tools"), false},
	{"phrasings-as-words", func(w *ranker.Weights) { w.Phrasing = 0 }, false},
	{"phrasings-in-vectors", func(w *ranker.Weights) { w.VectorPhrasing = 0 }, false},
	{"phrasings-by-name", func(w *ranker.Weights) { w.Namesake = 0 }, false},
	{"phrasings-by-meaning", func(w *ranker.Weights) { w.Neighbour = 0 }, false},
	{"named-server", signal("server named"), false},
	{"duplicates", func(w *ranker.Weights) { w.Duplicate = 1 }, false},
	{"companions", func(w *ranker.Weights) { w.Needed = 0 }, false},
	{"read-only", signal("only asks to see"), false},
}

// signal switches off the signal of a name.
func signal(name string) func(*ranker.Weights) {
	return func(w *ranker.Weights) { *w.Signals.Of(name) = 0 }
}
