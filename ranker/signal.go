package ranker

// signal is one named summand of a fused score. To add one: a file with its
// value and its arithmetic, its place in signals, a weight in weights.go, a test
// with the arithmetic in a comment, and a line in eval's list of parts that can
// be switched off, which tells what it is worth.
type signal struct {
	// name is what an explanation calls it.
	name string
	// weight is what score is multiplied with. At 0 the signal is left out.
	weight func(*Weights) float64
	// find reads what the signal needs of a query and makes the documents
	// candidates that it brings; nil when it brings none. The message itself has
	// been read, and its documents are candidates.
	find func(*work, *Query)
	// prepare is called once all candidates are known; nil when there is
	// nothing to do.
	prepare func(*work, *Query)
	// score is what a document earns, before the weight. sum is what it has from
	// the signals listed before, weighted.
	score func(w *work, q *Query, doc int32, sum float64) float64
	// detail fills in what a document's score rests on; nil when the name says
	// it all.
	detail func(w *work, doc int32, p *Part)
}

// signalCount is the length of signals.
const signalCount = 15

// signals lists the summands in the order in which they are explained and
// summed: actionSignal, folderSignal and harmSignal are shares of what those before them come to.
var signals = [signalCount]*signal{
	&wordsSignal, &meaningSignal, &nameSignal, &sentenceSignal, &clauseSignal, &actionSignal, &folderSignal, &siblingSignal, &namedSignal,
	&earlierSignal, &calledSignal, &usesSignal, &rememberedSignal, &neededSignal, &harmSignal,
}

// signalWeights holds how much each signal counts.
type signalWeights [signalCount]float64

func newSignalWeights(w *Weights) (weights signalWeights) {
	for i, s := range signals {
		weights[i] = s.weight(w)
	}
	return weights
}

// always is the weight of a signal whose score is weighted already.
func always(*Weights) float64 { return 1 }

// breakdown holds the parts of one document's score, each a multiple of grid,
// so that their sum is exact.
type breakdown [signalCount]float64

// total is the score.
func (b *breakdown) total() float64 {
	sum := 0.0
	for _, value := range b {
		sum += value
	}
	return sum
}

// readSignals reads what the signals need of a query: first those that bring
// candidates, then those that look at all of them.
func (w *work) readSignals(q *Query) {
	for i, s := range signals {
		if s.find != nil && w.x.signalWeights[i] != 0 {
			s.find(w, q)
		}
	}
	for i, s := range signals {
		if s.prepare != nil && w.x.signalWeights[i] != 0 {
			s.prepare(w, q)
		}
	}
}

// breakdown computes the parts of a document's score.
func (w *work) breakdown(q *Query, doc int32) (b breakdown) {
	sum := 0.0
	for i, s := range signals {
		if weight := w.x.signalWeights[i]; weight != 0 {
			b[i] = round(weight * s.score(w, q, doc, sum))
			sum += b[i]
		}
	}
	return b
}
