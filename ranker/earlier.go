package ranker

import "strings"

// maxEarlier is how many earlier messages count, the latest ones.
const maxEarlier = 3

// earlierSignal is the match with the task's earlier messages and with the names
// of the tools it called.
var earlierSignal = signal{
	name:   "earlier messages",
	weight: func(w *Weights) float64 { return w.Earlier },
	find:   (*work).readEarlier,
	score: func(w *work, _ *Query, doc int32, _ float64) float64 {
		if !w.hasEarlier {
			return 0
		}
		return w.earlier.score(doc)
	},
	detail: func(w *work, _ int32, p *Part) {
		p.Detail = clipDetail(strings.Join(strings.Fields(w.earlier.text), " "))
	},
}

// readEarlier reads the task's earlier messages and the names of the tools it
// called, and makes what fits them candidates. What was pasted into the messages
// does not count. They never bring in more than the message itself does: the
// latest message counts most.
func (w *work) readEarlier(q *Query) {
	x := w.x
	if len(q.Earlier) == 0 && len(q.Called) == 0 {
		return
	}
	var b strings.Builder
	for _, message := range q.Earlier[max(0, len(q.Earlier)-maxEarlier):] {
		request, _ := splitPasted(message)
		head, _ := clipQuery(request)
		b.WriteString(head)
		b.WriteString("\n")
	}
	for _, doc := range q.Called[max(0, len(q.Called)-maxEarlier):] {
		if doc >= 0 && doc < len(x.analysed.docs) {
			b.WriteString(x.analysed.docs[doc].Name)
			b.WriteString("\n")
		}
	}
	var translation translation
	w.earlier.read(writeOut(translation.translate(b.String(), x, &w.tokenizer)), w, stepPool, nil, nil)
	w.hasEarlier = w.earlier.says()
	if w.hasEarlier {
		for _, doc := range w.earlier.pool {
			w.consider(doc)
		}
	}
}
