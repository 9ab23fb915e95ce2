package ranker

import (
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
	"github.com/winnow-mcp/winnow/ranker/signals"
)

const (
	// maxStepViews is the most goroutines of a query. Each needs a view, which takes
	// memory.
	maxStepViews = 4
	// minAtOnce is the number of texts times documents from which texts are read at the
	// same time. With fewer, waking a processor takes longer than it saves.
	minAtOnce = 20_000
)

// work is the working memory of one fused query, reused from query to query.
type work struct {
	x *fusionIndex
	admission
	whole, earlier *view
	// stepViews read the steps, one per goroutine. They are made when they are needed.
	stepViews   [maxStepViews]*view
	steps       stepScores
	best        bestDocs
	candidates  []candidate
	candidateOf marks
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
	w := &work{x: x, candidateOf: newMarks(n), steps: newStepScores(n), needed: map[int32]claim{}}
	w.allowed = make([]bool, n)
	w.whole, w.earlier = newView(x, &w.admission, &w.translation), newView(x, &w.admission, nil)
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
	w.steps.texts = splitSteps(message)

	earlier := earlierText(q, w.x.analysed.docs)
	if earlier != "" {
		var translation translation
		earlier = writeOut(translation.translate(earlier, w.x.index, w.x.weights.Translated, &w.tokenizer))
	}

	// The texts are the message, its steps and what was before.
	texts, processors := 2+len(w.steps.texts), 1
	if texts*len(w.allowed) >= minAtOnce {
		processors = min(runtime.GOMAXPROCS(0), maxStepViews)
	}
	var goroutines atomic.Int32
	atOnce(texts, 1, processors, func() func(from, to int) {
		own := int(goroutines.Add(1)) - 1
		return func(task, _ int) {
			switch {
			case task == 0:
				w.whole.meaningOnly = meaningOnly
				w.whole.read(message, poolSize, provider, q.Vector)
				w.whole.readContext(context)
				feedBack(w.whole)
			case task <= len(w.steps.texts):
				w.steps.rank(task-1, w.stepView(own, meaningOnly))
			case earlier != "":
				w.earlier.read(earlier, stepPool, nil, nil)
			}
		}
	})
	asked, said := asks(clipLong(message), &w.tokenizer)
	w.asked, w.harmless = asked, said == looksUp
}

// stepView returns a view for the steps that a goroutine reads.
func (w *work) stepView(goroutine int, meaningOnly bool) *view {
	v := &w.stepViews[goroutine]
	if *v == nil {
		*v = newView(w.x, &w.admission, &w.translation)
	}
	(*v).meaningOnly = meaningOnly
	return *v
}

// reset forgets a query.
func (w *work) reset(q *Query) {
	w.admission.reset(q)
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
