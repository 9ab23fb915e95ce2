package ranker

import (
	"slices"
	"strings"
	"testing"
)

func TestGranularity_Split(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		message   string
		sentences []string
		clauses   []string
	}{
		{"", nil, nil},
		{"send a message", nil, nil},
		{"Read the notes folder today. Merge three pdf files.",
			[]string{"Read the notes folder today", "Merge three pdf files"},
			[]string{"Read the notes folder today", "Merge three pdf files"}},
		{"read the notes folder and merge pdf files", nil, []string{"read the notes folder", "merge pdf files"}},
		{"repair my washing machine, the broken model is Samsung X20, and call the repair service", nil,
			[]string{"repair my washing machine, the broken model is Samsung X20", "call the repair service"}},
		{"repair my washing machine, the broken model is Samsung X20", nil, nil},
		{"repair my washing machine and find what model is broken", nil,
			[]string{"repair my washing machine", "find what model is broken"}},
		{"repair my washing machine, is the Samsung model broken", nil,
			[]string{"repair my washing machine", "is the Samsung model broken"}},
		{"the broken model is Samsung X20, repair my washing machine", nil,
			[]string{"the broken model is Samsung X20", "repair my washing machine"}},
	} {
		if got := sentences.split(test.message); !slices.Equal(got, test.sentences) {
			t.Errorf("sentences of %q: %q, want %q", test.message, got, test.sentences)
		}
		if got := clauses.split(test.message); !slices.Equal(got, test.clauses) {
			t.Errorf("clauses of %q: %q, want %q", test.message, got, test.clauses)
		}
	}
}

// Whatever is joined, every clause is still read, in order.
func TestJoinStatements_LoseNothing(t *testing.T) {
	t.Parallel()
	clauses := []string{"the model is X20", "my number is 5", "repair my phone", "it was new", "", "call me", "the day is Friday"}
	for n := range len(clauses) + 1 {
		want := strings.Join(clauses[:n], ", ")
		if got := strings.Join(joinStatements(slices.Clone(clauses[:n])), ", "); got != want {
			t.Errorf("%d clauses become %q, want %q", n, got, want)
		}
	}
}

func TestStepScores_KeepTheBestStep(t *testing.T) {
	t.Parallel()
	s := newStepScores(3)
	s.reset()
	s.texts[clauses] = []string{"first", "second", "third"}
	s.offer(clauses, 0, 1, 0.3)
	s.offer(clauses, 1, 1, 0.7)
	s.offer(clauses, 2, 1, 0.5)
	if score, step := s.best(clauses, 1); score != 0.7 || step != "second" {
		t.Errorf("best is %v with %q, want 0.7 with the second", score, step)
	}
	if score, step := s.best(sentences, 1); score != 0 || step != "" {
		t.Errorf("another granularity knows %v, %q", score, step)
	}
	s.reset()
	if score, _ := s.best(clauses, 1); score != 0 {
		t.Errorf("a score of %v outlives a reset", score)
	}
}
