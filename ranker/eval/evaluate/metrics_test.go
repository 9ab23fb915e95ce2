package evaluate

import (
	"math"
	"testing"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	log2 := math.Log2
	for _, test := range []struct {
		name   string
		needs  [][]int
		answer []int
		want   map[metric]float64
	}{
		{"perfect", [][]int{{7}}, []int{7, 1, 2}, map[metric]float64{
			recall1: 1, recall5: 1, recall30: 1, all15: 1, hit1: 1, ndcg10: 1, mrr: 1}},
		{"third place", [][]int{{7}}, []int{1, 2, 7}, map[metric]float64{
			recall1: 0, recall5: 1, all15: 1, hit1: 0, ndcg10: 1 / log2(4), mrr: 1.0 / 3}},
		{"one of two", [][]int{{7}, {8}}, []int{7, 1}, map[metric]float64{
			recall1: 0.5, recall5: 0.5, all15: 0, all30: 0, hit1: 1, ndcg10: 1 / (1 + 1/log2(3)), mrr: 1}},
		{"both", [][]int{{8}, {7}}, []int{7, 8}, map[metric]float64{recall1: 0.5, recall5: 1, all15: 1, ndcg10: 1}},
		{"an alternative", [][]int{{7}, {8, 9}}, []int{7, 1, 9, 8}, map[metric]float64{
			recall1: 0.5, recall5: 1, all15: 1, hit1: 1, ndcg10: (1 + 1/log2(4)) / (1 + 1/log2(3)), mrr: 1}},
		{"one place meets two needs", [][]int{{7, 8}, {7}}, []int{7}, map[metric]float64{recall1: 1, all15: 1, ndcg10: 1}},
		{"no alternative", [][]int{{7}, {8, 9}}, []int{7, 1}, map[metric]float64{recall5: 0.5, all30: 0}},
		{"none", [][]int{{7}}, []int{1, 2}, map[metric]float64{recall30: 0, all30: 0, hit1: 0, ndcg10: 0, mrr: 0}},
		{"no answer", [][]int{{7}}, nil, map[metric]float64{recall30: 0, mrr: 0}},
	} {
		got := judge(&query{needs: test.needs}, test.answer)
		for m, want := range test.want {
			if math.Abs(got[m]-want) > 1e-12 {
				t.Errorf("%s: %s = %v, want %v", test.name, m, got[m], want)
			}
		}
	}
}

func TestJudge_OnlyThirtyPlacesCount(t *testing.T) {
	t.Parallel()
	answer := make([]int, 40)
	for i := range answer {
		answer[i] = i + 100
	}
	answer[30] = 7
	if got := judge(&query{needs: [][]int{{7}}}, answer); got[recall30] != 0 || got[mrr] != 0 {
		t.Errorf("the thirty-first place counts: %v", got)
	}
}

func TestMean(t *testing.T) {
	t.Parallel()
	if got := mean([]figures{{recall1: 1}, {recall1: 0}, {recall1: 0.5}}); got[recall1] != 0.5 {
		t.Errorf("mean %v, want 0.5", got[recall1])
	}
	if got := mean(nil); got != (figures{}) {
		t.Errorf("mean of nothing %v", got)
	}
}
