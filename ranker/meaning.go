package ranker

import "fmt"

// meaningSignal is the similarity of the message's vector and a tool's; see
// view.
var meaningSignal = signal{
	name: "meaning", weight: always,
	score: func(w *work, _ *Query, doc int32, _ float64) float64 { return w.whole.meaningPart(doc) },
	detail: func(w *work, doc int32, p *Part) {
		// From the average tool, which has none.
		p.Detail = fmt.Sprintf("%.0f%% of the nearest tool's", 100*w.whole.similarity(doc))
	},
}
