package signals

import "fmt"

// Meaning is the similarity of the message's vector and a tool's. Without it, by
// words alone: see "bm25f" in ranker/eval.
var Meaning = Signal{
	Name: "meaning", Weight: 1,
	Value: func(f *Facts, _ float64) float64 { return f.Meaning },
	Detail: func(e *Evidence, _ *Facts, p *Part) {
		// Relative to the average tool, which has 0%.
		p.Detail = fmt.Sprintf("%.0f%% of the nearest tool's", 100*e.Similarity)
	},
	Sentence: says(CloseMeaning),
}

// CloseMeaning is the sentence of a tool that matches by meaning alone.
const CloseMeaning = "its description says something close"
