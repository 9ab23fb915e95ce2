package ranker

import (
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

const (
	// maxSteps is how many steps of a message are ranked by themselves.
	maxSteps = 24
	// minSentenceWords and minClauseWords are how many words with a meaning
	// a sentence or a clause needs to count as a step.
	minSentenceWords = 3
	minClauseWords   = 2
	// longMessage is from how many sentences on each of a message's gets a share of
	// the late places, and perSentence how many tools of each may have one.
	longMessage = 10
	perSentence = 8
)

// sentenceSignal and clauseSignal are the best match with one step of the
// message.
var (
	sentenceSignal = stepSignal(sentences, "sentence", func(w *Weights) float64 { return w.Sentence })
	clauseSignal   = stepSignal(clauses, "clause", func(w *Weights) float64 { return w.Clause })
)

// stepSignal returns the signal of a granularity.
func stepSignal(g granularity, name string, weight func(*Weights) float64) signal {
	return signal{
		name: name, weight: weight,
		find: func(w *work, _ *Query) { w.readSteps(g) },
		score: func(w *work, _ *Query, doc int32, _ float64) float64 {
			score, _ := w.steps.best(g, doc)
			return score
		},
		detail: func(w *work, doc int32, p *Part) {
			_, step := w.steps.best(g, doc)
			p.Said = clipDetail(step)
			p.Detail = p.Said
		},
	}
}

// granularity is how finely a message is split into steps.
type granularity int8

const (
	sentences granularity = iota
	clauses
	granularities
)

// split returns the message's steps; none when it is a single one.
func (g granularity) split(message string) []string {
	head := clipLong(message)
	least := minSentenceWords
	if g == clauses {
		least = minClauseWords
	}
	steps := text.Steps(head, g == clauses, least, maxSteps)
	if g == clauses {
		steps = joinStatements(steps)
	}
	if len(steps) < 2 {
		return nil
	}
	return steps
}

// joinStatements joins a clause that asks for nothing to the one before it: of
// "repair my phone, the model is X20", the second is no step of its own, and
// its words would bring in tools that nobody asked for.
func joinStatements(clauses []string) []string {
	var tokenizer text.Tokenizer
	steps := clauses[:0] // clauses are text.Steps' own, and fewer steps than are read
	for _, clause := range clauses {
		if n := len(steps); n > 0 && states(clause, &tokenizer) {
			steps[n-1] += ", " + clause
			continue
		}
		steps = append(steps, clause)
	}
	return steps
}

// states reports whether a clause only says what something is: it has a form of
// "to be", which does not open it as a question's would, and no word by which
// one asks, wishes or orders.
func states(clause string, tokenizer *text.Tokenizer) bool {
	is, asks, first := false, false, true
	tokenizer.Each(clause, func(bytes []byte, form text.Form) {
		word := string(bytes)
		switch {
		case form == text.Whole:
		case !first && isBeing(word):
			is = true
		case verbFor(word, plainly) != 0, text.IsFiller(word):
			asks = true
		}
		first = false
	})
	return is && !asks
}

// stepScores holds, for each document, its best score with a step of each
// granularity. It is emptied in no time, as scores is.
type stepScores struct {
	seen   [granularities]marks
	scores [granularities][]float64
	// steps holds which step that was, for the explanation.
	steps [granularities][]uint8
	texts [granularities][]string
	// ranked holds, for a long message, the best documents of each sentence by
	// itself, the best first.
	ranked [][]int32
}

func newStepScores(n int) stepScores {
	var s stepScores
	for g := range granularities {
		s.seen[g] = newMarks(n)
		s.scores[g] = make([]float64, n)
		s.steps[g] = make([]uint8, n)
	}
	return s
}

// reset forgets all scores.
func (s *stepScores) reset() {
	for g := range granularities {
		s.seen[g].reset()
		s.texts[g] = nil
	}
	s.ranked = s.ranked[:0]
}

// long reports whether a message has so many sentences that no ranking of the
// whole has room for what each of them needs.
func (s *stepScores) long() bool { return len(s.texts[sentences]) >= longMessage }

// offer notes a document's score with a step.
func (s *stepScores) offer(g granularity, step int, doc int32, score float64) {
	if s.seen[g].mark(doc) || score > s.scores[g][doc] {
		s.scores[g][doc] = score
		s.steps[g][doc] = uint8(step)
	}
}

// best returns a document's best score with a step and that step's text.
func (s *stepScores) best(g granularity, doc int32) (score float64, step string) {
	if !s.seen[g].has(doc) {
		return 0, ""
	}
	return s.scores[g][doc], s.texts[g][s.steps[g][doc]]
}

// readSteps ranks every step of the message by itself and makes the best
// documents of each candidates. A document's score with a step it is not
// among the best of counts as none.
func (w *work) readSteps(g granularity) {
	if g == clauses && w.steps.long() {
		return // its sentences are as many as time allows for
	}
	w.steps.texts[g] = g.split(w.whole.text)
	for i, step := range w.steps.texts[g] {
		w.step.read(step, w, stepPool, nil, nil)
		w.offerStep(g, i, w.x.weights.StepDecay)
	}
}

// offerStep notes the scores of a step's pool, each further one lowered.
func (w *work) offerStep(g granularity, step int, decay float64) {
	w.best.reset(len(w.step.pool))
	for _, doc := range w.step.pool {
		w.best.offer(w.step.score(doc), doc)
	}
	slices.SortFunc(w.best.kept, scored.order)
	if w.steps.long() {
		var first []int32
		for _, s := range w.best.kept[:min(perSentence, len(w.best.kept))] {
			first = append(first, s.doc)
		}
		w.steps.ranked = append(w.steps.ranked, first)
	}
	keep := 1.0
	for _, s := range w.best.kept {
		w.consider(s.doc)
		w.steps.offer(g, step, s.doc, s.score*keep)
		keep *= decay
	}
}
