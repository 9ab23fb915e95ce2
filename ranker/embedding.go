package ranker

import (
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// embedded holds the built-in vectors of one version. The next version reuses those of
// unchanged documents.
type embedded struct {
	*matrix
	*expanded
	options    options
	texts      []*documentTexts
	commonness *commonness
}

// embedAll embeds the documents that prev lacks or has with other weights. prev may be
// nil.
func embedAll(b *expanded, o options, prev *embedded) *embedded {
	if prev == nil || prev.options != o {
		prev = &embedded{expanded: &expanded{}, commonness: newCommonness(&o.weights)}
	}
	e := &embedded{expanded: b, options: o}
	since := succeed(b.docs, prev.docs, prev.ordinals)
	e.read(prev, since)
	e.commonness = prev.commonness.changed(tokensOf(prev.texts, since.gone), tokensOf(e.texts, since.came))
	rows, stale := e.takeOver(prev, since)
	dim := o.embedder.Dim()
	eachChunk(len(stale), func() func(from, to int) {
		worker := documentEmbedder{options: o, commonness: e.commonness, part: make([]float32, dim)}
		return func(from, to int) {
			for _, i := range stale[from:to] {
				rows[i] = worker.embed(e.texts[i])
			}
		}
	})
	e.matrix = newMatrix(dim, rows)
	return e
}

// read fills in the texts.
func (e *embedded) read(prev *embedded, since succession) {
	e.texts = make([]*documentTexts, len(e.docs))
	for i, j := range since.before {
		if j >= 0 {
			e.texts[i] = prev.texts[j]
		}
	}
	eachChunk(len(since.came), func() func(from, to int) {
		worker := documentEmbedder{options: e.options}
		return func(from, to int) {
			for _, i := range since.came[from:to] {
				e.texts[i] = worker.read(&e.docs[i], e.expansions[i])
			}
		}
	})
}

// takeOver returns the reusable rows of prev: of unchanged documents without a token
// whose weight has changed. stale holds the ordinals of the others.
func (e *embedded) takeOver(prev *embedded, since succession) (rows [][]float32, stale []int) {
	rows = make([][]float32, len(e.docs))
	moved := e.commonness.moved(prev.commonness)
	for i, j := range since.before {
		if j < 0 || moved != nil && slices.ContainsFunc(e.texts[i].tokens, func(token int32) bool { return moved[token] }) {
			stale = append(stale, i)
			continue
		}
		rows[i] = prev.rows[j]
	}
	return rows, stale
}

// documentTexts holds the tokens of the texts that make up a document's vector: "name.
// description", the name, the parameters' names and descriptions, the server, and its
// expansion. ends holds where each ends, and expansionWeight the weight of the last.
type documentTexts struct {
	tokens          []int32
	ends            [6]int
	expansionWeight float64
}

// tokensOf returns the tokens of the documents at ordinals.
func tokensOf(texts []*documentTexts, ordinals []int) [][]int32 {
	tokens := make([][]int32, len(ordinals))
	for i, ordinal := range ordinals {
		tokens[i] = texts[ordinal].tokens
	}
	return tokens
}

// documentEmbedder computes documents' vectors; it reuses buffers.
type documentEmbedder struct {
	options
	commonness *commonness
	part       []float32
	tokens     []int32
	counts     []float32 // weight of each token
	tokenizer  text.Tokenizer
}

// read tokenises a document.
func (e *documentEmbedder) read(d *Document, added *expansion) *documentTexts {
	name := spaced(d.Name, &e.tokenizer)
	if d.Title != "" {
		name += " " + d.Title
	}
	t := documentTexts{expansionWeight: added.weight(&e.weights)}
	e.tokens = e.tokens[:0]
	for i, s := range [len(t.ends) - 1]string{
		name + ". " + clipText(d.Description), name, parameterNames(d, &e.tokenizer), parameterTexts(d), spaced(d.Server, &e.tokenizer),
	} {
		e.tokens = e.embedder.Tokens(e.tokens, s)
		t.ends[i] = len(e.tokens)
	}
	e.eachPhrasing(added, func(phrasings string) { e.tokens = e.embedder.Tokens(e.tokens, phrasings) })
	t.ends[len(t.ends)-1] = len(e.tokens)
	t.tokens = slices.Clone(e.tokens)
	return &t
}

// embed returns the unit vector of a document, or nil if its texts have none. It is the
// weighted sum of the texts' vectors, so that a long description does not outweigh the
// name.
func (e *documentEmbedder) embed(t *documentTexts) []float32 {
	row := e.sum(t)
	if !normalise(row) {
		return nil
	}
	return row
}

// sum returns a document's vector before normalisation.
func (e *documentEmbedder) sum(t *documentTexts) []float32 {
	row := make([]float32, len(e.part))
	w, start := &e.weights, 0
	for i, weight := range [len(t.ends)]float64{1, w.VectorName, w.VectorParameters, w.VectorParameterText, w.VectorServer, w.VectorPhrasing * t.expansionWeight} {
		e.add(row, weight, t.tokens[start:t.ends[i]])
		start = t.ends[i]
	}
	return row
}

func (e *documentEmbedder) add(row []float32, weight float64, tokens []int32) {
	if weight == 0 || len(tokens) == 0 {
		return
	}
	e.counts = e.commonness.append(e.counts[:0], tokens)
	if !e.embedder.Embed(e.part, tokens, e.counts) {
		return
	}
	row = row[:len(e.part)] // checks the bounds once
	for k, v := range e.part {
		row[k] += float32(float32(weight) * v)
	}
}
