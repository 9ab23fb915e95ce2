package ranker

import (
	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

const (
	// maxSteps is how many steps of a message are ranked separately.
	maxSteps = 24
	// minSentenceWords and minClauseWords are the fewest meaningful words of a sentence
	// or a clause that counts as a step.
	minSentenceWords = 3
	minClauseWords   = 2
	// longMessage is the number of sentences from which each gets a share of the late
	// places, and perSentence how many tools of each may have one.
	longMessage = 5
	perSentence = 8
)

// splitSteps returns a message's steps: its clauses or, if it has many sentences, these,
// because ranking all clauses would take too long. It returns nil for a single step.
func splitSteps(message string) []string {
	head := clipLong(message)
	steps := text.Steps(head, false, minSentenceWords, maxSteps)
	if len(steps) < longMessage {
		steps = joinStatements(text.Steps(head, true, minClauseWords, maxSteps))
	}
	if len(steps) < 2 {
		return nil
	}
	return steps
}

// joinStatements joins a clause without a request to the one before it. In "repair my
// phone, the model is X20", the second is not a step, and its words would find unrelated
// tools.
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

// states reports whether a clause only states what something is: it has a form of "to
// be", not at the beginning as in a question, and no word of asking, wishing or ordering.
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

// stepScores holds each document's best score with one step of the message. It is cleared
// in constant time, as scores is.
type stepScores struct {
	seen   marks
	scores []float64
	// steps holds the index of that step, for the explanation.
	steps []uint8
	texts []string
	// found holds the documents with a score.
	found []int32
	// ranked holds, for a long message, the best documents of each sentence, best first.
	ranked [][]int32
}

func newStepScores(n int) stepScores {
	return stepScores{seen: newMarks(n), scores: make([]float64, n), steps: make([]uint8, n)}
}

// reset forgets all scores.
func (s *stepScores) reset() {
	s.seen.reset()
	s.texts, s.found, s.ranked = nil, s.found[:0], s.ranked[:0]
}

// long reports whether a message has so many sentences that one ranking has no room for
// the tools of each.
func (s *stepScores) long() bool { return len(s.texts) >= longMessage && len(s.ranked) > 0 }

// get returns a document's best score with a step, or 0 if it is in no step's pool.
func (s *stepScores) get(doc int32) float64 {
	if !s.seen.has(doc) {
		return 0
	}
	return s.scores[doc]
}

// text returns the step that a document fits best, or "".
func (s *stepScores) text(doc int32) string {
	if !s.seen.has(doc) {
		return ""
	}
	return s.texts[s.steps[doc]]
}

// rank ranks every step of a message separately, each read by v, and returns the best
// documents of each.
func (s *stepScores) rank(message string, v *view, chosen *selection) []int32 {
	s.texts = splitSteps(message)
	for i, step := range s.texts {
		v.read(step, chosen, stepPool, nil, nil)
		s.offer(v, &chosen.best, i)
	}
	return s.found
}

// offer records the scores of a step's pool, each further one lowered.
func (s *stepScores) offer(v *view, ranked *bestDocs, step int) {
	ranked.kept = ranked.kept[:0]
	for _, doc := range v.pool {
		ranked.kept = append(ranked.kept, scored{v.score(doc), doc})
	}
	ranked.sorted()
	keep := 1.0
	for _, b := range ranked.kept {
		first := s.seen.mark(b.doc)
		if first {
			s.found = append(s.found, b.doc)
		}
		if score := b.score * keep; first || score > s.scores[b.doc] {
			s.scores[b.doc], s.steps[b.doc] = score, uint8(step)
		}
		keep *= v.x.weights.StepDecay
	}
	if len(s.texts) >= longMessage {
		var first []int32
		for _, b := range ranked.kept[:min(perSentence, len(ranked.kept))] {
			first = append(first, b.doc)
		}
		s.ranked = append(s.ranked, first)
	}
}
