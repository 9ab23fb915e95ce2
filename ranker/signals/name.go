package signals

import "fmt"

// Name is the share of a tool's name that the message has. BM25 counts the words
// that are there, and cannot tell a name that is met from one that says more than
// was asked.
var Name = Signal{
	Name: "name covered", Weight: 0.2,
	Value: func(f *Facts, _ float64) float64 { return f.NameCovered },
	Detail: func(_ *Evidence, f *Facts, p *Part) {
		// Rare words count more.
		p.Detail = fmt.Sprintf("%.0f%% of its words", 100*f.NameCovered)
	},
}
