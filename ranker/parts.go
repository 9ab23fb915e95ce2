package ranker

import (
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/ranker/signals"
)

// copyPart is the part of a tool's score that it lacks because a copy ranks higher.
const copyPart = "copy of a tool above"

// explainer explains the scores of a query.
type explainer struct {
	w        *work
	q        *Query
	spelling *spelling
}

// newExplainer returns the explainer of the query that w has answered.
func newExplainer(w *work, q *Query) *explainer {
	return &explainer{w, q, newSpelling(w.x.index, w.whole.text)}
}

// parts returns the named parts of a match. The difference from its score was taken
// because a copy ranks higher.
func (e *explainer) parts(m Match) []Part {
	doc, whole := int32(m.Doc), e.w.whole
	c := whole.candidate(doc)
	facts := e.w.facts(e.q, &c)
	facts.Evidence = e.w.evidence(doc)
	score, values := e.w.x.weights.Signals.Score(&facts)
	parts := wordParts(whole, m.Doc, values[0], (1-whole.meaningShare())*whole.wordScale, e.spelling)
	for i, s := range signals.All[1:] {
		if value := values[i+1]; value != 0 {
			parts = append(parts, s.Part(&facts, value))
		}
	}
	parts = e.movePhrasings(parts, doc)
	if rest := m.Score - score; rest != 0 {
		parts = append(parts, Part{Name: copyPart, Value: rest, Detail: "another server has it too"})
	}
	return parts
}

// movePhrasings makes one part of what a document's phrasings contribute, in words and in
// meaning, and puts it last.
func (e *explainer) movePhrasings(parts []Part, doc int32) []Part {
	if e.w.x.expansions[doc] == nil {
		return parts
	}
	said := Part{Name: fieldPhrasing.String()}
	parts = slices.DeleteFunc(parts, func(p Part) bool {
		if p.Name == said.Name {
			said.Value, said.Detail = said.Value+p.Value, p.Detail
		}
		return p.Name == said.Name
	})
	if i := slices.IndexFunc(parts, func(p Part) bool { return p.Name == signals.Meaning.Name }); i >= 0 {
		moved := signals.Round(parts[i].Value * e.phrasingShare(doc))
		parts[i].Value -= moved
		said.Value += moved
	}
	if said.Value == 0 {
		return parts
	}
	e.quote(doc, &said)
	return append(parts, said)
}

// phrasingShare returns the share of a document's similarity with the message that comes
// from its phrasings: their part of the sum of its texts' vectors.
func (e *explainer) phrasingShare(doc int32) float64 {
	sim := &e.w.whole.meaning
	if !sim.active || e.w.whole.provider.active {
		return 0
	}
	built := e.w.x.embedded
	worker := documentEmbedder{options: built.options, commonness: built.commonness, part: make([]float32, built.dim)}
	t := *built.texts[doc]
	all := worker.sum(&t)
	t.expansionWeight = 0
	own := worker.sum(&t)
	whole := dot(sim.vector, all)
	if whole <= 0 {
		return 0
	}
	return min(1, max(0, 1-dot(sim.vector, own)/whole))
}

// nearPhrasing is the least nearness of a quoted phrasing to the message; see
// explainer.fits.
const nearPhrasing = 0.8

// quote sets the phrasing that is nearest to the message, and the tools that it belongs
// to if not this one. A phrasing that is not near is not quoted, since it would confuse;
// the part then names the shared words.
func (e *explainer) quote(doc int32, p *Part) {
	nearest, best := "", -1.0
	added := e.w.x.expansions[doc]
	e.w.x.expander.eachPhrasing(added, func(phrasings string) {
		for phrasing := range strings.SplitSeq(phrasings, "\n") {
			if fit := e.fits(phrasing); fit > best {
				nearest, best = phrasing, fit
			}
		}
	})
	p.Tool = added.source.String()
	switch {
	case best >= nearPhrasing:
	case p.Detail == "":
		p.Detail = "something alike in meaning"
		return
	default:
		p.Detail = "something with " + p.Detail
		return
	}
	p.Said = clipDetail(nearest)
	p.Detail = strconv.Quote(p.Said)
	if p.Tool != "" {
		p.Detail += ", of " + p.Tool
	}
}

// fits returns how near a phrasing is to the message: by its vector, and by its share of
// the message's rarity.
func (e *explainer) fits(phrasing string) float64 {
	var shared, all float64
	var reader queryTerms
	reader.seen = newMarks(len(e.w.x.lexicon.texts))
	reader.read(phrasing, e.w.x.index, true)
	for _, t := range e.w.whole.terms {
		rarity := t.weight * float64(e.w.x.idf[t.term])
		all += rarity
		if reader.seen.has(int32(t.term)) {
			shared += rarity
		}
	}
	fit := 0.0
	if all > 0 {
		fit = shared / all
	}
	if sim := &e.w.whole.meaning; sim.active {
		var vector similarity
		vector.open(e.w.x.vectors())
		vector.read(e.w.x.embedded, phrasing)
		if vector.active {
			fit += dot(sim.vector, vector.vector)
		}
	}
	return fit
}

// wordParts divides the words' part of a document's score among the fields with the
// message's words and the translated words. total and scale are as in fieldShares.
func wordParts(v *view, doc int, total, scale float64, spelling *spelling) []Part {
	var own []queryTerm
	var words []Word
	var meanings []string
	translated := 0.0
	for _, t := range v.terms {
		if t.form.written == "" {
			own = append(own, t)
			continue
		}
		if _, impact := v.x.posting(t.term, doc); impact != 0 {
			translated += signals.Round(impact * t.weight * scale)
			word := Word{Text: t.form.written, Means: spelling.said[t.term]}
			words, meanings = append(words, word), append(meanings, word.Text+" means "+word.Means)
		}
	}
	parts := fieldShares(v.x.index, own, doc, total-translated, scale, spelling)
	if len(meanings) == 0 {
		return parts
	}
	if len(parts) == 0 {
		translated = total // to the last bit
	}
	return append(parts, Part{Name: otherLanguagePart, Value: translated, Detail: strings.Join(meanings, ", "), Words: words})
}

// otherLanguagePart is the part for English words that translate another language.
const otherLanguagePart = "other language"
