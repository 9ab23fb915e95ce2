package signals

import "fmt"

// Name is the share of a tool's name that is in the message. BM25 counts matching words,
// and does not penalize a name with more words than requested.
var Name = Signal{
	Name: "name covered", Weight: 0.2,
	Value: func(f *Facts, _ float64) float64 { return f.NameCovered },
	Detail: func(_ *Evidence, f *Facts, p *Part) {
		// Rare words count more.
		p.Detail = fmt.Sprintf("%.0f%% of its words", 100*f.NameCovered)
	},
}
