package ranker

import "fmt"

// nameSignal is the share of a tool's name that the message has.
var nameSignal = signal{
	name:   "name covered",
	weight: func(w *Weights) float64 { return w.NameCovered },
	score:  func(w *work, _ *Query, doc int32, _ float64) float64 { return w.whole.coverage(doc) },
	detail: func(w *work, doc int32, p *Part) {
		// Rare words count more.
		p.Detail = fmt.Sprintf("%.0f%% of its words", 100*w.whole.coverage(doc))
	},
}

// nameRarities returns, for each document, the sum of the idf of the words of
// its name.
func nameRarities(x *index) []float64 {
	sums := make([]float64, len(x.analyses))
	for i, a := range x.analyses {
		for _, id := range a.nameTerms {
			sums[i] += float64(x.idf[id])
		}
	}
	return sums
}

// coverage is the share of a document's name that the message has or implies,
// by idf: 1 when it has every word, 0 when it has none or when meaning alone
// ranks.
func (v *view) coverage(doc int32) float64 {
	rarity := v.x.nameRarities[doc]
	if rarity == 0 || v.meaningShare() == 1 {
		return 0
	}
	had := 0.0
	for _, id := range v.x.analyses[doc].nameTerms {
		if v.query.seen.has(int32(id)) {
			had += float64(v.x.idf[id])
		}
	}
	return had / rarity
}
