package ranker

import (
	"slices"
	"strconv"
	"strings"
)

// movePhrasings makes one part of what a document has from its phrasings, in words
// and in meaning, and puts it last.
func (w *work) movePhrasings(parts []Part, doc int32) []Part {
	if w.x.expansions[doc] == nil {
		return parts
	}
	said := Part{Name: fieldPhrasing.String()}
	parts = slices.DeleteFunc(parts, func(p Part) bool {
		if p.Name == said.Name {
			said.Value += p.Value
		}
		return p.Name == said.Name
	})
	if i := slices.IndexFunc(parts, func(p Part) bool { return p.Name == meaningSignal.name }); i >= 0 {
		moved := round(parts[i].Value * w.phrasingShare(doc))
		parts[i].Value -= moved
		said.Value += moved
	}
	if said.Value == 0 {
		return parts
	}
	w.quote(doc, &said)
	return append(parts, said)
}

// phrasingShare is the share of a document's similarity with the message that comes
// from its phrasings: of the sum of its texts' vectors, theirs.
func (w *work) phrasingShare(doc int32) float64 {
	sim := &w.whole.meaning
	if !sim.active || w.whole.provider.active {
		return 0
	}
	e := w.x.embedded
	worker := documentEmbedder{options: e.options, commonness: e.commonness, part: make([]float32, e.dim)}
	t := *e.texts[doc]
	all := worker.sum(&t)
	t.expansionWeight = 0
	own := worker.sum(&t)
	whole := dot(sim.vector, all)
	if whole <= 0 {
		return 0
	}
	return min(1, max(0, 1-dot(sim.vector, own)/whole))
}

// nearPhrasing is how near a phrasing is to the message at least to be quoted to a
// person; see [work.fits].
const nearPhrasing = 0.8

// quote fills in the phrasing that the message is nearest to, and of which tools
// it is said when it is not of this one. One that is not near is told with the
// parts of the score only.
func (w *work) quote(doc int32, p *Part) {
	nearest, best := "", -1.0
	added := w.x.expansions[doc]
	w.x.expander.eachPhrasing(added, func(phrasings string) {
		for phrasing := range strings.SplitSeq(phrasings, "\n") {
			if fit := w.fits(phrasing); fit > best {
				nearest, best = phrasing, fit
			}
		}
	})
	p.Said, p.Tool = clipDetail(nearest), added.source.String()
	p.Detail = strconv.Quote(p.Said)
	if p.Tool != "" {
		p.Detail += ", of " + p.Tool
	}
	if best < nearPhrasing {
		p.Said = ""
	}
}

// fits says how near a phrasing is to the message: by its vector, and by how much
// of the message's rarity it has.
func (w *work) fits(phrasing string) float64 {
	var shared, all float64
	var reader queryTerms
	reader.seen = newMarks(len(w.x.lexicon.texts))
	reader.read(phrasing, w.x.index, true)
	for _, t := range w.whole.terms {
		rarity := t.weight * float64(w.x.idf[t.term])
		all += rarity
		if reader.seen.has(int32(t.term)) {
			shared += rarity
		}
	}
	fit := 0.0
	if all > 0 {
		fit = shared / all
	}
	if sim := &w.whole.meaning; sim.active {
		var vector similarity
		vector.open(w.x.vectors())
		vector.read(w.x.embedded, phrasing)
		if vector.active {
			fit += dot(sim.vector, vector.vector)
		}
	}
	return fit
}
