package evaluate

import "testing"

// scoredResult makes a result whose queries have the given recalls.
func scoredResult(recalls ...float64) result {
	var r result
	for _, v := range recalls {
		r.perQuery = append(r.perQuery, figures{recall5: v})
	}
	r.mean = mean(r.perQuery)
	return r
}

func TestCompare(t *testing.T) {
	t.Parallel()
	a := []result{scoredResult(1, 1, 1, 0), scoredResult(1, 1)}
	b := []result{scoredResult(1, 0, 1, 0), scoredResult(0, 0)}
	got := compare(a, b, recall5) // (¼ + 1) / 2
	if got.Difference != 0.625 || got.Low < 0.5 || got.High > 0.875 || got.Low > got.High {
		t.Errorf("interval %+v, want 0.625 within [0.5, 0.875]", got)
	}
	if again := compare(a, b, recall5); again != got {
		t.Errorf("a second run gives %+v", again)
	}
	if same := compare(a, a, recall5); same != (interval{}) {
		t.Errorf("a contender differs from itself by %+v", same)
	}
}
