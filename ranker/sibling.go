package ranker

// siblingSignal is the best match among the other tools of a tool's server:
// where one fits, the next call is likely.
var siblingSignal = signal{
	name:    "server's other tools",
	weight:  func(w *Weights) float64 { return w.Sibling },
	prepare: func(w *work, _ *Query) { w.servers.readBest(w) },
	score:   func(w *work, _ *Query, doc int32, _ float64) float64 { return w.servers.sibling(w.x, doc) },
	detail:  serverDetail,
}

// readBest gathers, for every server, its best candidates.
func (s *serverScores) readBest(w *work) {
	if w.x.servers.count < 2 {
		return
	}
	for _, c := range w.candidates {
		server := s.open(w.x.servers.of[c.doc])
		switch score := w.whole.score(c.doc); {
		case score > s.first[server]:
			s.second[server] = s.first[server]
			s.first[server], s.leader[server] = score, c.doc
		case score > s.second[server]:
			s.second[server] = score
		}
	}
}

// sibling is the best score among the other tools of a document's server.
func (s *serverScores) sibling(x *fusionIndex, doc int32) float64 {
	server := x.servers.of[doc]
	switch {
	case x.servers.count < 2 || !s.seen.has(server):
		return 0
	case s.leader[server] == doc:
		return s.second[server]
	}
	return s.first[server]
}
