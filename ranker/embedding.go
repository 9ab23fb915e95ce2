package ranker

import (
	"runtime"
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
}

// embedAll embeds the documents that prev, which may be nil, does not have.
func embedAll(docs []Document, ordinals map[string]int, o options, prev *embedded) *embedded {
	if prev != nil && prev.options != o {
		prev = nil
	}
	dim := o.embedder.Dim()
	rows, known := make([]float32, len(docs)*dim), make([]bool, len(docs))
	eachChunk(len(docs), func() func(from, to int) {
		e := documentEmbedder{options: o, part: make([]float32, dim)}
		return func(from, to int) {
			for i := from; i < to; i++ {
				row := rows[i*dim : (i+1)*dim]
				if j, ok := prev.find(&docs[i]); ok {
					copy(row, prev.row(j))
					known[i] = prev.known[j]
					continue
				}
				known[i] = e.embed(row, &docs[i])
			}
		}
	})
	return &embedded{matrix: newMatrix(dim, len(docs), rows, known), docs: docs, ordinals: ordinals, options: o}
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

// documentEmbedder makes a document's vector; it keeps buffers.
type documentEmbedder struct {
	options
	part      []float32
	tokenizer text.Tokenizer
}

// embed writes the unit vector of a document to row: the weighted sum of the
// vectors of "name. description", the name, the parameters' names and the
// server, so that a long description does not drown what a tool is called.
func (e *documentEmbedder) embed(row []float32, d *Document) bool {
	name := e.spaced(d.Name)
	if d.Title != "" {
		name += " " + d.Title
	}
	e.add(row, 1, name+". "+clipText(d.Description))
	e.add(row, e.weights.VectorName, name)
	e.add(row, e.weights.VectorParameters, e.parameters(d))
	e.add(row, e.weights.VectorParameterText, parameterTexts(d))
	e.add(row, e.weights.VectorServer, e.spaced(d.Server))
	return normalise(row)
}

func (e *documentEmbedder) add(row []float32, weight float64, s string) {
	if weight == 0 || s == "" || !e.embedder.Embed(e.part, s) {
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
