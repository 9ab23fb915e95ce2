package signals

import (
	"math"
	"testing"
)

func TestRound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want float64 }{
		{0, 0}, {1, 1}, {grid * 0.4, 0}, {grid * 0.6, grid}, {-grid * 0.6, -grid}, {0.1, 6554 * grid},
	} {
		if got := Round(test.in); got != test.want {
			t.Errorf("Round(%v) = %v, want %v", test.in, got, test.want)
		}
	}
}

// Each signal does its arithmetic: words .3 and meaning .2 and a name covered by
// half give .3 + .2 + .2/2 = .6, a step of .5 gives .4/2 = .2; a verb that is asked
// for .12 of these .8, a folder .25 of .896, and so on.
func TestWeights_Score(t *testing.T) {
	t.Parallel()
	w := DefaultWeights()
	f := Facts{Words: .3, Meaning: .2, NameCovered: .5, Step: .5, Sibling: 1, Earlier: .4, Uses: 3, Remembered: .1,
		Needed: 3, IsAsked: true, InFolder: true, IsNamed: true, IsCalled: true, IsHarm: true}
	score, values := w.Score(&f)
	want := Values{.3, .2, .1, .2, .096, .224, .05, .25, .1, .05, .05, .09, 3 - 1.71, -1.5}
	total := 0.0
	for i, v := range values {
		if math.Abs(v-want[i]) > 2*grid {
			t.Errorf("%s adds %v, want %v", All[i].Name, v, want[i])
		}
		total += v
	}
	if total != score {
		t.Errorf("the values add up to %v, and the score is %v", total, score)
	}
	*w.Of("step") = 0
	if _, values := w.Score(&f); values[3] != 0 {
		t.Error("a signal without weight adds something")
	}
}

// Every signal but those told by the words that matched has a sentence.
func TestSentence(t *testing.T) {
	t.Parallel()
	e := &Evidence{Server: "s", Action: "a", Folder: "f", Step: "x", Earlier: "y", NeededFor: "n"}
	for _, s := range All {
		p := s.Part(&Facts{Evidence: e}, 1)
		if said := Sentence(&p); said == "" && s != &words && s != &Name {
			t.Errorf("%s says nothing", s.Name)
		}
	}
	if said := Sentence(&Part{Name: "unheard of"}); said != "" {
		t.Errorf("what is no signal says %q", said)
	}
}
