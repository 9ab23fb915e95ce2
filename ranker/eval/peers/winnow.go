package main

import (
	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/ranker/eval/evaluate"
)

// winnow returns the product's ranker, for the benchmark of all engines. The report
// already has it.
func winnow(model ranker.Embedder) evaluate.Contender {
	return evaluate.Contender{Name: "winnow", Prepare: func(docs []ranker.Document) func(string) []int {
		r := ranker.NewCorpus(docs, nil, ranker.WithEmbedder(model)).Ranker(ranker.Auto)
		r.Rank(ranker.Query{Text: "build the index", Limit: 1})
		return func(message string) []int {
			found := r.Rank(ranker.Query{Text: message, Limit: evaluate.Depth})
			answer := make([]int, len(found))
			for i, m := range found {
				answer[i] = m.Doc
			}
			return answer
		}
	}}
}
