package ranker

// usesHalf is the number of recent uses that earns half of what use can add.
const usesHalf = 3.0

// usesSignal is a tool's recent use in the workspace.
var usesSignal = signal{
	name:   "recent use",
	weight: func(w *Weights) float64 { return w.Uses },
	score: func(_ *work, q *Query, doc int32, _ float64) float64 {
		if q.Uses == nil {
			return 0
		}
		uses := max(0, q.Uses(int(doc)))
		return uses / (uses + usesHalf)
	},
}
