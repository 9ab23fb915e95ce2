package ranker

import "github.com/winnow-mcp/winnow/ranker/internal/text"

// harmSignal takes from a tool that destroys when the message only asks to see
// something.
var harmSignal = signal{
	name:    "only asks to see",
	weight:  func(w *Weights) float64 { return 1 - w.Harm },
	prepare: func(w *work, _ *Query) { w.harmless = onlyAsks(w.whole.text, &w.tokenizer) },
	score: func(w *work, _ *Query, doc int32, sum float64) float64 {
		if !w.harmless || !destroys(&w.x.analysed.docs[doc], w.x.analyses[doc]) {
			return 0
		}
		return -sum
	},
	detail: func(_ *work, _ int32, p *Part) { p.Detail = "this tool destroys or removes something" },
}

// destroys reports whether calling a tool makes something disappear, as far
// as can be told: a verb of its name says so and its annotations do not deny
// it. The destructive hint alone does not tell: it also marks tools that
// overwrite, and is the default for tools that say nothing.
func destroys(d *Document, a *analysis) bool {
	return a.removes && d.ReadOnly != Yes && d.Destructive != No
}

// onlyAsks reports whether a message asks to see something and for nothing to
// be made, altered or removed.
func onlyAsks(message string, tokenizer *text.Tokenizer) bool {
	head, tail := clipQuery(message)
	return actionsIn(head, plainly, tokenizer)|actionsIn(tail, plainly, tokenizer) == looksUp
}
