package signals

// words is the BM25 of the words that the message and a tool share. An explanation
// shows it by field. Without it, by vectors alone: see "embeddings" in ranker/eval.
var words = Signal{
	Name: "words", Weight: 1,
	Value: func(f *Facts, _ float64) float64 { return f.Words },
}
