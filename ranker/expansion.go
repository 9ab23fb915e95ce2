package ranker

import (
	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/ranker/internal/text"
	"github.com/winnow-mcp/winnow/ranker/signals"
)

// source is why a document gets a tool's phrasings.
type source int8

const (
	// known: it is that tool, by its name, its server or description, and its parameters.
	knownTool source = iota
	// namesake: it has the tool's name, and similar parameters.
	namesake
	// neighbour: the bank lacks it, and its text is near the phrasings.
	neighbour
	sourceCount
)

// String returns the source for an explanation.
func (s source) String() string {
	return [sourceCount]string{"", "tools with this name", "tools like this one"}[s]
}

const (
	// maxNamesakeEntries and maxNeighbourEntries are the most tools whose phrasings a
	// document gets by name and by meaning.
	maxNamesakeEntries  = 2
	maxNeighbourEntries = 3
	// parametersAgree and meaningAgrees are what full agreement in parameters
	// and in meaning are worth to a namesake, together at most 1.
	parametersAgree = 0.6
	meaningAgrees   = 0.8
	// minNamesake is the least agreement by which a name alone expands a
	// document; below, its neighbours do.
	minNamesake = 0.3
	// minNear is the least similarity of a neighbour. A nearest tool below it is often
	// for something else and misleads: cancelling a registration is nearest to removing a
	// credential from a telephone line.
	minNear = 0.73
	// chanceNear is the similarity of unrelated tools. Above it, a neighbour counts in
	// proportion.
	chanceNear = 0.55
	// oneWord is the value of agreement if the name is a single word, such as "search",
	// which unrelated tools share.
	oneWord = 0.5
)

// expansion is the phrasings of some entries that a document gets from the bank (document
// expansion, Nogueira and others 2019).
type expansion struct {
	entries []int
	source  source
	// agreement is their weight, above 0 and at most 1, before the source's weight.
	agreement float64
}

// documentExpander finds expansions; it reuses buffers.
type documentExpander struct {
	expander
	tokenizer text.Tokenizer
	tokens    []int32
	weights   []float32
	vector    []float32
	nearest   *bank.Nearest
}

func newDocumentExpander(l expander) *documentExpander {
	b := &documentExpander{expander: l, nearest: l.bank.Nearest()}
	if l.embedder != nil && l.embedder.Dim() == l.bank.Dim() {
		b.vector = make([]float32, l.bank.Dim())
	}
	return b
}

// expand returns the expansion of a document, or nil if the bank has nothing for it.
func (b *documentExpander) expand(d *Document) *expansion {
	server := bank.Words(d.Server)
	names := make([]string, len(d.Parameters))
	for i := range d.Parameters {
		names[i] = d.Parameters[i].Name
	}
	parameters := bank.ParameterPrints(names)
	if i, ok := b.bank.Known(d.Name, server, bank.DescriptionPrint(d.Description), parameters); ok {
		return &expansion{entries: []int{i}, source: knownTool, agreement: 1}
	}
	if b.vector == nil {
		return nil
	}
	b.tokens = b.embedder.Tokens(b.tokens[:0], spaced(d.Name, &b.tokenizer)+". "+clipText(d.Description))
	b.weights = b.bank.Weights(b.weights[:0], b.tokens)
	if !b.embedder.Embed(b.vector, b.tokens, b.weights) {
		return nil
	}
	vector := b.bank.Vector(b.vector)
	if l := b.fromNamesakes(d, server, parameters, vector); l != nil {
		return l
	}
	return b.fromNeighbours(vector)
}

// fromNamesakes uses the best matching tools of the same name. A tool with the name but
// none of the parameters is not used, because names often coincide.
func (b *documentExpander) fromNamesakes(d *Document, server []string, parameters []uint16, vector bank.Vector) *expansion {
	var best bestDocs
	best.reset(maxNamesakeEntries)
	for _, i := range b.bank.Named(d.Name, server) {
		overlap := b.bank.Overlap(i, parameters)
		if overlap == 0 {
			continue
		}
		agreement := float64(parametersAgree*overlap) + float64(meaningAgrees*max(0, b.bank.Similarity(i, vector)))
		if len(bank.Words(d.Name)) == 1 {
			agreement *= oneWord
		}
		if agreement >= minNamesake {
			best.offer(signals.Round(min(1, agreement)), int32(i))
		}
	}
	return best.expansion(namesake)
}

// fromNeighbours uses the tools with the nearest phrasings.
func (b *documentExpander) fromNeighbours(vector bank.Vector) *expansion {
	var best bestDocs
	best.reset(maxNeighbourEntries)
	for _, n := range b.nearest.Near(vector, maxNeighbourEntries) {
		if n.Similarity > minNear {
			best.offer(signals.Round((n.Similarity-chanceNear)/(1-chanceNear)), int32(n.Entry))
		}
	}
	return best.expansion(neighbour)
}

// expansion returns the expansion from the kept entries, with the agreement of the best,
// or nil if there is none.
func (b *bestDocs) expansion(s source) *expansion {
	if len(b.kept) == 0 {
		return nil
	}
	b.sorted()
	l := &expansion{source: s, agreement: b.kept[0].score}
	for _, kept := range b.kept {
		l.entries = append(l.entries, int(kept.doc))
	}
	return l
}

// weight returns the weight of a document's phrasings, between 0 and 1. l may be nil.
func (l *expansion) weight(w *Weights) float64 {
	if l == nil {
		return 0
	}
	return signals.Round(l.agreement * [sourceCount]float64{1, w.Namesake, w.Neighbour}[l.source])
}

// eachPhrasing calls yield for the phrasings of each of an expansion's entries, one per
// line. expansion may be nil.
func (l *expander) eachPhrasing(expansion *expansion, yield func(phrasings string)) {
	if expansion == nil {
		return
	}
	for _, i := range expansion.entries {
		yield(l.bank.Said(i))
	}
}

// expanded holds the expansions of one version's documents.
type expanded struct {
	docs     []Document
	ordinals map[string]int
	expander expander
	// expansions holds each document's expansion or nil. It is nil without a bank.
	expansions []*expansion
}

// expandAll finds the expansions of the documents that prev lacks. prev may be nil.
func expandAll(docs []Document, ordinals map[string]int, l expander, prev *expanded) *expanded {
	b := &expanded{docs: docs, ordinals: ordinals, expander: l, expansions: make([]*expansion, len(docs))}
	if l.bank == nil {
		return b
	}
	if prev == nil || prev.expander != l {
		prev = &expanded{}
	}
	since := succeed(docs, prev.docs, prev.ordinals)
	for i, j := range since.before {
		if j >= 0 {
			b.expansions[i] = prev.expansions[j]
		}
	}
	eachChunk(len(since.came), func() func(from, to int) {
		documentExpander := newDocumentExpander(l)
		return func(from, to int) {
			for _, i := range since.came[from:to] {
				b.expansions[i] = documentExpander.expand(&docs[i])
			}
		}
	})
	return b
}
