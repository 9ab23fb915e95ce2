package ranker

// actionSignal lifts the tools whose name has a verb of a kind that the message
// has too. What a tool works on is the same for all that create, read, change and
// delete it; the kind of verb tells these siblings apart, in other words too:
// "stick it into a file" makes something, as write_file does.
var actionSignal = signal{
	name:    "kind of action",
	weight:  func(w *Weights) float64 { return w.Action },
	prepare: func(w *work, _ *Query) { w.asked = actionsIn(clipLong(w.whole.text), inRequest, &w.tokenizer) },
	score: func(w *work, _ *Query, doc int32, sum float64) float64 {
		if w.x.analyses[doc].action&w.asked == 0 {
			return 0
		}
		return sum
	},
	detail: func(w *work, doc int32, p *Part) { p.Detail = w.x.analyses[doc].action.String() },
}

// String says what a tool of one kind does; empty for none.
func (a action) String() string {
	switch a {
	case looksUp:
		return "it looks something up, as you ask"
	case makes:
		return "it makes something, as you ask"
	case alters:
		return "it changes something, as you ask"
	case takesAway:
		return "it takes something away, as you ask"
	}
	return ""
}
