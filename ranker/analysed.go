package ranker

import "slices"

// analysed holds the terms of one version's documents.
type analysed struct {
	*expanded
	lexicon  *lexicon
	analyses []*analysis
	// frequencies counts the documents that have each term, including in their
	// expansions. ownFrequencies counts those that have it in their own text.
	frequencies, ownFrequencies []uint32
}

// minusOne undoes adding 1.
const minusOne = ^uint32(0)

// maxStale is the share of terms in a lexicon that may belong to removed documents before
// everything is tokenised again, so that a catalogue that changes for weeks does not grow
// for weeks.
const maxStale = 0.5

// analyseAll analyses the documents that prev lacks. prev may be nil.
func analyseAll(b *expanded, prev *analysed) *analysed {
	if prev != nil && prev.expander != b.expander {
		prev = nil
	}
	a := &analysed{expanded: b, analyses: make([]*analysis, len(b.docs))}
	came := a.takeOver(prev)
	worker := newAnalyser(a.lexicon)
	for _, i := range came {
		a.analyses[i] = worker.analyse(&b.docs[i], &b.expander, b.expansions[i])
	}
	more := make([]uint32, len(a.lexicon.texts)-len(a.frequencies))
	a.frequencies, a.ownFrequencies = append(a.frequencies, more...), append(a.ownFrequencies, more...)
	for _, i := range came {
		a.count(a.analyses[i], 1)
	}
	return a
}

// count adds by to the frequencies of an analysis's terms.
func (a *analysed) count(d *analysis, by uint32) {
	for _, t := range d.terms {
		a.frequencies[t.term] += by
		if t.own() {
			a.ownFrequencies[t.term] += by
		}
	}
}

// stale reports whether more than maxStale of the terms are in no document.
func (a *analysed) stale() bool {
	unused := 0
	for _, n := range a.frequencies {
		if n == 0 {
			unused++
		}
	}
	return float64(unused) > maxStale*float64(len(a.frequencies))
}

// takeOver copies what prev has and returns the ordinals of the documents that it lacks.
// If there are any, the lexicon may be extended.
func (a *analysed) takeOver(prev *analysed) (came []int) {
	if prev == nil {
		prev = &analysed{expanded: &expanded{}, lexicon: newLexicon()}
	}
	since := succeed(a.docs, prev.docs, prev.ordinals)
	a.frequencies, a.ownFrequencies = slices.Clone(prev.frequencies), slices.Clone(prev.ownFrequencies)
	for _, j := range since.gone {
		a.count(prev.analyses[j], minusOne)
	}
	if a.stale() {
		return a.takeOver(nil)
	}
	for i, j := range since.before {
		if j >= 0 {
			a.analyses[i] = prev.analyses[j]
		}
	}
	a.lexicon = prev.lexicon
	if len(since.came) > 0 {
		a.lexicon = prev.lexicon.clone()
	}
	return since.came
}
