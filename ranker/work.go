package ranker

import (
	"strings"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
	"github.com/winnow-mcp/winnow/ranker/signals"
)

// work is the working memory of one fused query, reused from query to query.
type work struct {
	x *fusionIndex
	selection
	whole, step, earlier view
	steps                stepScores
	candidates           []candidate
	candidateOf          marks
	// known holds the facts of the candidate being scored.
	known   signals.Facts
	servers serverScores
	// asked holds the kinds of action that the message requests; harmless reports that it
	// only asks to see something.
	asked    action
	harmless bool
	// translation is the message's translation.
	translation translation
	// remembered holds the similarity of the message to one that a document was fetched
	// for; recallScale is the value of an equal message.
	remembered  map[int32]float64
	recallScale float64
	copies      copyFinder
	// needed holds the best claim on each document.
	needed    map[int32]claim
	tokenizer text.Tokenizer
}

func newWork(x *fusionIndex) *work {
	n := len(x.analyses)
	w := &work{
		x: x, selection: newSelection(n),
		candidateOf: newMarks(n), steps: newStepScores(n), needed: map[int32]claim{},
	}
	for _, v := range []*view{&w.whole, &w.step, &w.earlier} {
		v.x = x
		v.words = newScores(n)
		v.query.seen = newMarks(len(x.lexicon.texts))
	}
	w.whole.query.translation, w.step.query.translation = &w.translation, &w.translation
	return w
}

// open clears the previous query and reads the message of this one and the earlier ones.
// provider holds the vectors of an embedding provider, or is nil; meaningOnly ignores words
// if there are vectors.
func (w *work) open(q *Query, provider *matrix, meaningOnly bool) {
	w.reset(q)
	request, context := splitPasted(q.Text)
	if w.x.weights.Pasted >= 1 {
		request, context = q.Text, ""
	}
	message := writeOut(w.translation.translate(request, w.x.index, w.x.weights.Translated, &w.tokenizer))
	w.whole.meaningOnly, w.step.meaningOnly = meaningOnly, meaningOnly
	w.whole.read(message, &w.selection, poolSize, provider, q.Vector)
	w.whole.readContext(context)
	feedBack(&w.whole)
	w.asked = actionsIn(clipLong(message), inRequest, &w.tokenizer)
	w.harmless = actionsIn(clipLong(message), plainly, &w.tokenizer) == looksUp
	if earlier := earlierText(q, w.x.analysed.docs); earlier != "" {
		var translation translation
		w.earlier.read(writeOut(translation.translate(earlier, w.x.index, w.x.weights.Translated, &w.tokenizer)), &w.selection, stepPool, nil, nil)
	}
}

// reset forgets a query.
func (w *work) reset(q *Query) {
	w.selection.reset(q)
	w.steps.reset()
	w.earlier.forget()
	w.servers.reset(w.x.servers)
	w.recallScale = 0
	clear(w.needed)
	w.candidates = w.candidates[:0]
	w.candidateOf.reset()
}

// consider adds documents that may be returned to the candidates, each once. The message
// must have been read.
func (w *work) consider(docs []int32) {
	for _, doc := range docs {
		if w.admits(doc) && w.candidateOf.mark(doc) {
			w.candidates = append(w.candidates, w.whole.candidate(doc))
		}
	}
}

// maxEarlier is how many earlier messages and calls count, the latest.
const maxEarlier = 3

// earlierText returns the task's earlier messages, without pasted text, and the names of the
// tools it called.
func earlierText(q *Query, docs []Document) string {
	var b strings.Builder
	for _, message := range q.Earlier[max(0, len(q.Earlier)-maxEarlier):] {
		request, _ := splitPasted(message)
		head, _ := clipQuery(request)
		b.WriteString(head)
		b.WriteString("\n")
	}
	for _, doc := range q.Called[max(0, len(q.Called)-maxEarlier):] {
		if doc >= 0 && doc < len(docs) {
			b.WriteString(docs[doc].Name)
			b.WriteString("\n")
		}
	}
	return b.String()
}

// claim is a claim on a tool by a better one.
type claim struct {
	score float64
	by    int32
	why   string
}
