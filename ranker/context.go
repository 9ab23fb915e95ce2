package ranker

import "strings"

// maxEarlier is how many earlier messages count, the latest ones.
const maxEarlier = 3

// usesHalf is the number of recent uses that earns half of what use can add.
const usesHalf = 3.0

// readContext reads the task's earlier messages and the names of the tools it
// called, and makes what fits them candidates. They never bring in more than
// the message itself does: the latest message counts most.
func (w *work) readContext(q *Query, x *fusionIndex) {
	w.hasEarlier = false
	if x.weights.Earlier == 0 || len(q.Earlier) == 0 && len(q.Called) == 0 {
		return
	}
	var b strings.Builder
	for _, message := range q.Earlier[max(0, len(q.Earlier)-maxEarlier):] {
		head, _ := clipQuery(message)
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
	earlier := translation.translate(b.String(), x, &w.tokenizer)
	w.earlier.read(writeOut(earlier), w, stepPool, nil, nil)
	w.hasEarlier = w.earlier.says()
	if w.hasEarlier {
		for _, doc := range w.earlier.pool {
			w.consider(doc)
		}
	}
}

// contextParts adds what the task and the workspace say of a document.
func (w *work) contextParts(x *fusionIndex, q *Query, doc int32, b *breakdown) {
	if w.hasEarlier {
		b[signalEarlier] = round(x.weights.Earlier * w.earlier.score(doc))
	}
	if w.servers.called(x, doc) {
		b[signalCalledServer] = round(x.weights.CalledServer)
	}
	if q.Uses != nil {
		if uses := max(0, q.Uses(int(doc))); uses > 0 {
			b[signalUses] = round(x.weights.Uses * uses / (uses + usesHalf))
		}
	}
	if q.Memory != nil {
		b[signalRemembered] = round(w.recallScale * w.remembered[doc])
	}
}
