package ranker

import (
	"slices"
	"strings"
	"testing"
)

func TestSplitSteps(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Read the notes folder today and send it. ", longMessage)
	for _, test := range []struct {
		message string
		want    []string
	}{
		{"", nil},
		{"send a message", nil},
		{"Read the notes folder today. Merge three pdf files.", []string{"Read the notes folder today", "Merge three pdf files"}},
		{"read the notes folder and merge pdf files", []string{"read the notes folder", "merge pdf files"}},
		{"repair my washing machine, the broken model is Samsung X20, and call the repair service",
			[]string{"repair my washing machine, the broken model is Samsung X20", "call the repair service"}},
		{"repair my washing machine, the broken model is Samsung X20", nil},
		{"repair my washing machine and find what model is broken",
			[]string{"repair my washing machine", "find what model is broken"}},
		{"repair my washing machine, is the Samsung model broken",
			[]string{"repair my washing machine", "is the Samsung model broken"}},
		{"the broken model is Samsung X20, repair my washing machine",
			[]string{"the broken model is Samsung X20", "repair my washing machine"}},
		{long, slices.Repeat([]string{"Read the notes folder today and send it"}, longMessage)},
	} {
		if got := splitSteps(test.message); !slices.Equal(got, test.want) {
			t.Errorf("steps of %q: %q, want %q", test.message, got, test.want)
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

// Of two steps the better one counts for a tool, and is what is told of it.
func TestStepScores_KeepTheBestStep(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t, "a.merge_pdf: Merge", "b.send_mail: Send mail to people"), nil)
	w := newWork(c.fusion())
	w.open(&Query{Text: "merge the pdf files, send mail to people"}, nil, false)
	if found := w.steps.merge(1); len(found) != 2 {
		t.Fatalf("the steps find %v", found)
	}
	if score, step := w.steps.get(1), w.steps.text(1); score <= 0 || step != "send mail to people" {
		t.Errorf("best is %v with %q", score, step)
	}
	w.steps.reset()
	if w.steps.get(1) != 0 || w.steps.text(1) != "" {
		t.Error("a score outlives a reset")
	}
}
