package ranker

import (
	"slices"

	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/ranker/internal/text"
	"github.com/winnow-mcp/winnow/ranker/signals"
)

// source says why a document may use what people say of a tool.
type source int8

const (
	// known: it is that tool, by its name, its server or description, and its
	// parameters.
	known source = iota
	// namesake: it has the tool's name, and its parameters agree.
	namesake
	// neighbour: nobody knows it, and its text is near to what is said.
	neighbour
	sourceCount
)

// String says where phrasings come from, as an explanation shows it.
func (s source) String() string {
	return [sourceCount]string{"", "tools with this name", "tools like this one"}[s]
}

const (
	// maxNamesakeEntries and maxNeighbourEntries are of how many tools a document
	// has the phrasings by name and by meaning.
	maxNamesakeEntries  = 2
	maxNeighbourEntries = 3
	// parametersAgree and meaningAgrees are what full agreement in parameters
	// and in meaning are worth to a namesake, together at most 1.
	parametersAgree = 0.6
	meaningAgrees   = 0.8
	// minNamesake is the least agreement by which a name alone expands a
	// document; below, its neighbours do.
	minNamesake = 0.3
	// minNear is the similarity from which a neighbour counts. What is nearest to
	// a tool below that is often for something else, and only misleads: to
	// cancel a registration is nearest to taking a credential off a telephone
	// line.
	minNear = 0.73
	// chanceNear is the similarity above which a neighbour that counts does so in
	// proportion: tools that have nothing to do with each other are as near.
	chanceNear = 0.55
	// oneWord is what agreement is worth when the name is a single word, such as
	// "search": many tools are called so that have nothing else in common.
	oneWord = 0.5
)

// expansion is what a document gets from the bank: the phrasings of some entries (document
// expansion, Nogueira and others 2019).
type expansion struct {
	entries []int
	source  source
	// agreement is how much they count, above 0 and at most 1, before the
	// source's weight.
	agreement float64
}

// expander finds expansions. It is comparable.
type expander struct {
	bank     *bank.Bank
	embedder Embedder
}

// documentExpander finds expansions one after the other; it keeps buffers.
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

// expand returns the expansion of a document; nil when the bank has nothing for it.
func (b *documentExpander) expand(d *Document) *expansion {
	server := bank.Words(d.Server)
	names := make([]string, len(d.Parameters))
	for i := range d.Parameters {
		names[i] = d.Parameters[i].Name
	}
	parameters := bank.ParameterPrints(names)
	if i, ok := b.bank.Known(d.Name, server, bank.DescriptionPrint(d.Description), parameters); ok {
		return &expansion{entries: []int{i}, source: known, agreement: 1}
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

// fromNamesakes takes the phrasings of the tools of the same name that agree best. A tool
// that has the name only, and none of the parameters, is none of them: a name
// is easily taken.
func (b *documentExpander) fromNamesakes(d *Document, server []string, parameters []uint16, vector bank.Vector) *expansion {
	var best best
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

// fromNeighbours takes the phrasings of the tools of which is said what is nearest.
func (b *documentExpander) fromNeighbours(vector bank.Vector) *expansion {
	var best best
	best.reset(maxNeighbourEntries)
	for _, n := range b.nearest.Near(vector, maxNeighbourEntries) {
		if n.Similarity > minNear {
			best.offer(signals.Round((n.Similarity-chanceNear)/(1-chanceNear)), int32(n.Entry))
		}
	}
	return best.expansion(neighbour)
}

// expansion returns the expansion from the entries kept, as much as the best of them
// agrees; nil when there is none.
func (b *best) expansion(s source) *expansion {
	if len(b.kept) == 0 {
		return nil
	}
	slices.SortFunc(b.kept, scored.order)
	l := &expansion{source: s, agreement: b.kept[0].score}
	for _, kept := range b.kept {
		l.entries = append(l.entries, int(kept.doc))
	}
	return l
}

// weight is how much a document's phrasings count, between 0 and 1. It may be
// called on nil.
func (l *expansion) weight(w *Weights) float64 {
	if l == nil {
		return 0
	}
	return signals.Round(l.agreement * [sourceCount]float64{1, w.Namesake, w.Neighbour}[l.source])
}

// eachPhrasing calls yield for the phrasings of each of a expansion's entries, one a line.
// The expansion may be nil.
func (l *expander) eachPhrasing(expansion *expansion, yield func(phrasings string)) {
	if expansion == nil {
		return
	}
	for _, i := range expansion.entries {
		yield(l.bank.Said(i))
	}
}

// expanded is the expansions of one version's documents.
type expanded struct {
	docs     []Document
	ordinals map[string]int
	expander expander
	// expansions holds each document's, nil for one without. It is nil without a
	// bank.
	expansions []*expansion
}

// expandAll finds the expansions of the documents that prev, which may be nil, does
// not have.
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
