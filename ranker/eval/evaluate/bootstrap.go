package evaluate

import (
	"math/rand/v2"
	"slices"
)

// draws is the number of resamplings for an interval.
const draws = 2000

// interval is a 95 % confidence interval of a difference of means.
type interval struct {
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
}

// compare returns the difference between two contenders in the macro mean over sets, with
// its paired bootstrap interval. Queries are drawn with replacement within each set, the
// same for both. a and b hold the results of each set in the same order. The seed is
// fixed, so that runs are reproducible.
func compare(a, b []result, m metric) interval {
	rng := rand.New(rand.NewPCG(1, uint64(m)))
	differences := make([][]float64, len(a))
	observed := 0.0
	for i := range a {
		differences[i] = make([]float64, len(a[i].perQuery))
		for q := range differences[i] {
			differences[i][q] = a[i].perQuery[q][m] - b[i].perQuery[q][m]
		}
		observed += average(differences[i]) / float64(len(a))
	}
	samples := make([]float64, draws)
	for d := range samples {
		for _, set := range differences {
			sum := 0.0
			for range set {
				sum += set[rng.IntN(len(set))]
			}
			samples[d] += sum / float64(max(1, len(set))) / float64(len(differences))
		}
	}
	slices.Sort(samples)
	return interval{observed, samples[draws*25/1000], samples[draws*975/1000]}
}

func average(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(max(1, len(list)))
}
