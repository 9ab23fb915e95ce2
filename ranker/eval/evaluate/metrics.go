package evaluate

import (
	"math"
	"slices"
)

// metric is a quality measure between 0 and 1.
type metric int

const (
	recall1 metric = iota
	recall5
	recall10
	recall15
	recall30
	all15
	all30
	hit1
	ndcg10
	mrr
	metricCount
)

// String returns the metric's name in reports.
func (m metric) String() string {
	return [metricCount]string{
		"R@1", "R@5", "R@10", "R@15", "R@30", "all@15", "all@30", "H@1", "nDCG@10", "MRR",
	}[m]
}

// figures holds one value for each metric.
type figures [metricCount]float64

// judge evaluates an answer, best first, against a query's needs. A need with
// alternatives is met at the first place with one of them. One place may meet several
// needs.
//
//   - R@k is the share of needs met in the first k places
//   - all@k is 1 when every need is met there
//   - H@1 is 1 when the first place meets a need
//   - nDCG@10 discounts the place p of each met need by log2(p+1)
//   - MRR is the reciprocal of the first place that meets a need
func judge(q *query, answer []int) figures {
	places := q.places(answer)
	var f figures
	recall := func(k int) float64 {
		met := 0
		for _, p := range places {
			if p <= k {
				met++
			}
		}
		return float64(met) / float64(len(places))
	}
	f[recall1], f[recall5], f[recall10] = recall(1), recall(5), recall(10)
	f[recall15], f[recall30] = recall(15), recall(Depth)
	f[all15], f[all30] = math.Floor(f[recall15]), math.Floor(f[recall30])
	first := slices.Min(places)
	if first == 1 {
		f[hit1] = 1
	}
	if first <= Depth {
		f[mrr] = 1 / float64(first)
	}
	f[ndcg10] = ndcg(places, 10)
	return f
}

// places returns, for each need, the 1-based place that meets it, or Depth+1.
func (q *query) places(answer []int) []int {
	places := make([]int, len(q.needs))
	for i, need := range q.needs {
		places[i] = Depth + 1
		meets := func(doc int) bool { return slices.Contains(need, doc) }
		if at := slices.IndexFunc(answer[:min(Depth, len(answer))], meets); at >= 0 {
			places[i] = at + 1
		}
	}
	return places
}

func ndcg(places []int, k int) float64 {
	got, best := 0.0, 0.0
	for i, p := range places {
		if p <= k {
			got += 1 / math.Log2(float64(p)+1)
		}
		if i < k {
			best += 1 / math.Log2(float64(i)+2)
		}
	}
	return min(1, got/best) // more if one place meets several needs
}

// mean averages figures.
func mean(list []figures) figures {
	var sum figures
	for _, f := range list {
		for m := range sum {
			sum[m] += f[m]
		}
	}
	for m := range sum {
		sum[m] /= float64(max(1, len(list)))
	}
	return sum
}
