package ranker

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// embedded is the built-in vectors of one version. The next version takes
// over the rows of documents that did not change.
type embedded struct {
	*matrix
	docs     []Document
	ordinals map[string]int
	options  options
	// tokens holds the distinct tokens of each document, ascending.
	tokens     [][]int32
	commonness commonness
}

// embedAll embeds the documents that prev, which may be nil, does not have, or
// has by other weights.
func embedAll(docs []Document, ordinals map[string]int, o options, prev *embedded) *embedded {
	if prev != nil && prev.options != o {
		prev = nil
	}
	e := &embedded{docs: docs, ordinals: ordinals, options: o, tokens: make([][]int32, len(docs))}
	sources := e.read(prev)
	e.commonness = newCommonness(e.tokens, &e.options.weights)
	dim := o.embedder.Dim()
	rows, known := make([]float32, len(docs)*dim), make([]bool, len(docs))
	eachChunk(len(docs), func() func(from, to int) {
		worker := documentEmbedder{options: o, commonness: &e.commonness, part: make([]float32, dim)}
		return func(from, to int) {
			for i := from; i < to; i++ {
				row, s := rows[i*dim:(i+1)*dim], sources[i]
				switch {
				case s.texts != nil:
					known[i] = worker.embed(row, s.texts)
				case e.commonness.same(&prev.commonness, e.tokens[i]):
					copy(row, prev.row(s.before))
					known[i] = prev.known[s.before]
				default:
					known[i] = worker.embed(row, worker.read(&docs[i]))
				}
			}
		}
	})
	e.matrix = newMatrix(dim, len(docs), rows, known)
	return e
}

// source is what a document's vector is made from: its texts or, when they are
// nil, the ordinal that the same document had in the version before.
type source struct {
	texts  *documentTexts
	before int
}

// read fills in the tokens of the documents and returns their sources.
func (e *embedded) read(prev *embedded) []source {
	sources := make([]source, len(e.docs))
	eachChunk(len(e.docs), func() func(from, to int) {
		worker := documentEmbedder{options: e.options}
		return func(from, to int) {
			for i := from; i < to; i++ {
				if j, ok := prev.find(&e.docs[i]); ok {
					sources[i].before, e.tokens[i] = j, prev.tokens[j]
					continue
				}
				texts := worker.read(&e.docs[i])
				sources[i].texts, e.tokens[i] = texts, texts.distinct()
			}
		}
	})
	return sources
}

// chunk is how many documents one goroutine embeds at a time.
const chunk = 32

// eachChunk has every chunk of n documents done, on all processors, and returns
// when all are. worker makes what does them on one processor.
func eachChunk(n int, worker func() func(from, to int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+chunk-1)/chunk) {
		workers.Go(func() {
			do := worker()
			for {
				from := int(next.Add(chunk)) - chunk
				if from >= n {
					return
				}
				do(from, min(n, from+chunk))
			}
		})
	}
	workers.Wait()
}

// find returns the ordinal of a document that did not change.
func (e *embedded) find(d *Document) (int, bool) {
	if e == nil {
		return 0, false
	}
	j, ok := e.ordinals[d.ID]
	return j, ok && d.same(&e.docs[j])
}

// maxParameterText is about how many bytes of parameters' names, and of their
// descriptions, go into a vector. A sum of more words than that is near the
// mean of all texts and says nothing.
const maxParameterText = 1000

// documentTexts is the tokens of the texts that make up a document's vector:
// "name. description", the name, the parameters' names, what is said of them,
// and the server. ends says where each ends.
type documentTexts struct {
	tokens []int32
	ends   [5]int
}

// distinct returns every token once, ascending.
func (t *documentTexts) distinct() []int32 {
	tokens := slices.Clone(t.tokens)
	slices.Sort(tokens)
	return slices.Clip(slices.Compact(tokens))
}

// documentEmbedder makes a document's vector; it keeps buffers.
type documentEmbedder struct {
	options
	commonness *commonness
	part       []float32
	counts     []float32 // how much each token counts
	tokenizer  text.Tokenizer
}

// read tokenises a document.
func (e *documentEmbedder) read(d *Document) *documentTexts {
	name := e.spaced(d.Name)
	if d.Title != "" {
		name += " " + d.Title
	}
	var t documentTexts
	for i, s := range [len(t.ends)]string{
		name + ". " + clipText(d.Description), name, e.parameters(d), parameterTexts(d), e.spaced(d.Server),
	} {
		t.tokens = e.embedder.Tokens(t.tokens, s)
		t.ends[i] = len(t.tokens)
	}
	return &t
}

// embed writes the unit vector of a document to row: the weighted sum of its
// texts' vectors, so that a long description does not drown what a tool is
// called.
func (e *documentEmbedder) embed(row []float32, t *documentTexts) bool {
	w, start := &e.weights, 0
	for i, weight := range [len(t.ends)]float64{1, w.VectorName, w.VectorParameters, w.VectorParameterText, w.VectorServer} {
		e.add(row, weight, t.tokens[start:t.ends[i]])
		start = t.ends[i]
	}
	return normalise(row)
}

func (e *documentEmbedder) add(row []float32, weight float64, tokens []int32) {
	e.counts = e.commonness.append(e.counts[:0], tokens)
	if weight == 0 || !e.embedder.Embed(e.part, tokens, e.counts) {
		return
	}
	for k, v := range e.part {
		row[k] += float32(float32(weight) * v)
	}
}

func (e *documentEmbedder) parameters(d *Document) string {
	var b strings.Builder
	for i := range d.Parameters {
		b.WriteString(e.spaced(d.Parameters[i].Name))
		b.WriteString(", ")
		if b.Len() > maxParameterText {
			break
		}
	}
	return b.String()
}

// parameterTexts joins what is said of the parameters.
func parameterTexts(d *Document) string {
	var b strings.Builder
	for i := range d.Parameters {
		if b.Len() > maxParameterText {
			break
		}
		b.WriteString(d.Parameters[i].Description)
		b.WriteString(". ")
	}
	return b.String()
}

// spaced writes an identifier as words.
func (e *documentEmbedder) spaced(identifier string) string {
	var words []string
	e.tokenizer.Each(identifier, func(word []byte, form text.Form) {
		if form != text.Whole {
			words = append(words, string(word))
		}
	})
	return strings.Join(words, " ")
}

// clipText cuts a text to what is read of it.
func clipText(s string) string {
	if len(s) > maxFieldText {
		return s[:maxFieldText]
	}
	return s
}
