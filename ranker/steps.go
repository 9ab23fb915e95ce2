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
	// lists holds the documents in each step's pool, best first.
	lists [maxSteps][]scored
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

// rank ranks a step by itself, as v reads it. Steps can be ranked at the same time, by a
// view each.
func (s *stepScores) rank(step int, v *view) {
	v.read(s.texts[step], stepPool, nil, nil)
	list := s.lists[step][:0]
	for _, doc := range v.pool {
		list = append(list, scored{v.score(doc), doc})
	}
	sortScored(nil, list)
	s.lists[step] = list
}

// merge records the scores of all steps, each further one of a step lowered by decay, and
// returns the documents with one.
func (s *stepScores) merge(decay float64) []int32 {
	for step := range s.texts {
		list, keep := s.lists[step], 1.0
		for _, b := range list {
			first := s.seen.mark(b.doc)
			if first {
				s.found = append(s.found, b.doc)
			}
			if score := b.score * keep; first || score > s.scores[b.doc] {
				s.scores[b.doc], s.steps[b.doc] = score, uint8(step)
			}
			keep *= decay
		}
		if len(s.texts) >= longMessage {
			var first []int32
			for _, b := range list[:min(perSentence, len(list))] {
				first = append(first, b.doc)
			}
			s.ranked = append(s.ranked, first)
		}
	}
	return s.found
}
