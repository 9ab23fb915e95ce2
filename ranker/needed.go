package ranker

// neededTools is how many of the best tools bring along what they need.
const neededTools = 10

// neededSignal lifts a tool that a better one needs to a place behind that one.
var neededSignal = signal{
	name:   "needed for",
	weight: always,
	score: func(w *work, _ *Query, doc int32, sum float64) float64 {
		return max(0, w.needed[doc].score-sum)
	},
	detail: func(w *work, doc int32, p *Part) {
		n := w.needed[doc]
		if p.Purpose, p.Detail = n.why, n.why; n.why != forAnyKind && n.why != forSentence {
			p.Tool = w.x.analysed.docs[n.by].Name
			p.Detail = p.Tool + ", " + n.why
		}
	},
}

// need is a claim on a tool by a better one.
type need struct {
	score float64
	by    int32
	why   string
}

// bringNeeded finds what the best candidates need and scores it again.
func (w *work) bringNeeded(q *Query) {
	if w.x.weights.Needed == 0 {
		return
	}
	w.best.reset(neededTools)
	for _, c := range w.candidates {
		if c.score > 0 {
			w.best.offer(c.score, c.doc)
		}
	}
	for _, b := range w.best.kept {
		w.claim(b.doc, b.score*w.x.weights.Needed)
	}
	(&late{w: w}).bring()
	if len(w.needed) == 0 {
		return
	}
	for i := range w.candidates {
		if c := &w.candidates[i]; w.needed[c.doc].score > 0 {
			b := w.breakdown(q, c.doc)
			c.score = b.total()
		}
	}
}

// claim notes that a tool needs its companions, which so earn a score. Of two
// claims the higher one counts, of equal ones that of the first document.
func (w *work) claim(doc int32, score float64) {
	for _, c := range w.x.companionsOf(doc) {
		score := score
		if c.reads {
			score *= readerShare
		}
		if other := w.needed[c.doc]; !w.admits(c.doc) || other.score > score || other.score == score && other.by < doc {
			continue
		}
		w.needed[c.doc] = need{score, doc, c.why}
		w.consider(c.doc)
	}
}
