package ranker

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Texts that are read at the same time are read as they are one after the other.
func TestWork_ReadsTextsAtOnce(t *testing.T) {
	t.Parallel()
	things := strings.Fields("picture camera image photo invoice rain zebra camera")
	var specs []string
	for i := range 1_000 {
		specs = append(specs, fmt.Sprintf("server%d.take_%s_%d: Takes a %s of the %s", i%7, things[i%8], i, things[i%5], things[i%3]))
	}
	var sentences []string
	for i := range maxSteps {
		sentences = append(sentences, fmt.Sprintf("Please send the %s and the %s to team number %d.", things[i%8], things[i%3], i))
	}
	w := newWork(NewCorpus(tools(t, specs...), nil, WithEmbedder(testConcepts)).fusion())
	q := Query{Text: strings.Join(sentences, " "), Earlier: []string{"take a picture"}, Limit: 30}
	w.open(&q, nil, false)
	if n := len(w.steps.texts) * len(specs); n < minAtOnce {
		t.Fatalf("only %d texts times documents are read", n)
	}
	for i := range w.steps.texts {
		alone := newStepScores(len(specs))
		alone.texts = w.steps.texts
		alone.rank(i, newView(w.x, &w.admission, &w.translation))
		if len(alone.lists[i]) == 0 || !slices.Equal(alone.lists[i], w.steps.lists[i]) {
			t.Errorf("step %d finds %v, by itself %v", i, w.steps.lists[i], alone.lists[i])
		}
	}
}
