package ranker

import "slices"

const (
	// feedbackTools is how many of the best tools give a message words: few
	// enough that most of them fit it.
	feedbackTools = 5
	// feedbackAgreement is how many of them must have a word in their names. One
	// alone would lift itself by what only it is called.
	feedbackAgreement = 2
)

// feedBack adds to the message what the names of its best tools have in common
// and it lacks: pseudo-relevance feedback (Rocchio 1971), from names alone, since
// a description also speaks of other things. Meaning finds the first such tools,
// and their words the rest; by words alone, what is found first has the message's
// words already, and its others lead astray. A word weighs as the share of these
// tools that have it. The pool stays as it is.
func (v *view) feedBack() {
	weight, share := v.x.weights.Feedback, v.meaningShare()
	if weight == 0 || share == 0 || share == 1 {
		return
	}
	best := newTop(v.x.analysed.docs, feedbackTools, len(v.pool))
	for _, doc := range v.pool {
		if score := v.score(doc); score > 0 {
			best.offer(Match{Doc: int(doc), Score: score})
		}
	}
	found, own := best.take(), len(v.terms)
	for _, m := range found {
		name := v.x.analyses[m.Doc].nameTerms
		name = name[:min(len(name), 2*maxQueryTerms)] // what is longer is no name
		for i, id := range name {
			// A name that has a word twice is still one tool.
			if !v.query.seen.has(int32(id)) && !slices.Contains(name[:i], id) {
				v.expand(own, id)
			}
		}
	}
	added := slices.DeleteFunc(v.terms[own:], func(t queryTerm) bool { return t.weight < feedbackAgreement })
	for i := range added {
		added[i].weight *= weight / float64(len(found))
	}
	v.terms = v.terms[:own+len(added)]
	v.words.addTerms(v.x.index, added)
}

// expand counts a term of a name, in its weight, behind the view's own terms. At
// most maxQueryTerms are counted.
func (v *view) expand(own int, id termID) {
	added := v.terms[own:]
	if i := slices.IndexFunc(added, func(t queryTerm) bool { return t.term == id }); i >= 0 {
		added[i].weight++
		return
	}
	if len(added) < maxQueryTerms {
		v.terms = append(v.terms, queryTerm{term: id, weight: 1, implied: impliedByBest})
	}
}
