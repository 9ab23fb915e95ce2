package ranker

import "slices"

const (
	// feedbackTools is how many of the best tools contribute words: few enough that most
	// of them fit the message.
	feedbackTools = 5
	// feedbackAgreement is how many of them must have a word in their names. A single
	// tool would lift itself by its own words.
	feedbackAgreement = 2
)

// feedBack adds to the message words that the names of its best tools share and that it
// lacks: pseudo-relevance feedback (Rocchio 1971). It uses names alone, since a
// description also mentions other things. It needs meaning to find the first tools: by
// words alone they have the message's words already, and their other words mislead. A
// word's weight is the share of these tools that have it. The pool does not change.
func feedBack(v *view) {
	weight, share := v.x.weights.Feedback, v.meaningShare()
	if weight == 0 || share == 0 || share == 1 {
		return
	}
	best := newBestDocs(v.x.analysed.docs, feedbackTools, len(v.pool))
	for _, doc := range v.pool {
		if score := v.score(doc); score > 0 {
			best.offer(score, doc)
		}
	}
	found, own := best.sorted(), len(v.terms)
	for _, s := range found {
		name := v.x.analyses[s.doc].nameTerms
		name = name[:min(len(name), 2*maxQueryTerms)] // a longer text is not a name
		for i, id := range name {
			// A name that repeats a word is still one tool.
			if !v.query.seen.has(int32(id)) && !slices.Contains(name[:i], id) {
				addNameTerm(v, own, id)
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

// addNameTerm adds a term of a name, with its weight, after the view's own terms, at most
// maxQueryTerms.
func addNameTerm(v *view, own int, id termID) {
	added := v.terms[own:]
	if i := slices.IndexFunc(added, func(t queryTerm) bool { return t.term == id }); i >= 0 {
		added[i].weight++
		return
	}
	if len(added) < maxQueryTerms {
		v.terms = append(v.terms, queryTerm{term: id, weight: 1, implied: impliedByBest})
	}
}
