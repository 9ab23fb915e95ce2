package ranker

// wordsSignal is the BM25 of the words that the message and a tool share; see
// view. An explanation shows it by field.
var wordsSignal = signal{
	name: "words", weight: always,
	score: func(w *work, _ *Query, doc int32, _ float64) float64 { return w.whole.wordsPart(doc) },
}
