package ranker

// calledSignal is added to the tools of a server whose tools the task called.
var calledSignal = signal{
	name:    "server in use",
	weight:  func(w *Weights) float64 { return w.CalledServer },
	prepare: func(w *work, q *Query) { w.servers.readCalled(w.x, q.Called) },
	score: func(w *work, _ *Query, doc int32, _ float64) float64 {
		return w.servers.flag(w.x, doc, w.servers.isCalled)
	},
	detail: serverDetail,
}

// readCalled notes the servers of the documents called.
func (s *serverScores) readCalled(x *fusionIndex, called []int) {
	if x.servers.count < 2 {
		return
	}
	for _, doc := range called {
		if doc >= 0 && doc < len(x.servers.of) {
			s.isCalled[s.open(x.servers.of[doc])] = true
		}
	}
}
