package ranker

import (
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// namedSignal is added to the tools of a server that the message names.
var namedSignal = signal{
	name:    "server named",
	weight:  func(w *Weights) float64 { return w.NamedServer },
	prepare: func(w *work, _ *Query) { w.servers.readNames(w) },
	score: func(w *work, _ *Query, doc int32, _ float64) float64 {
		return w.servers.flag(w.x, doc, w.servers.isNamed)
	},
	detail: serverDetail,
}

// readNames finds the servers of which the message has every word of the
// name, one of them a telling one.
func (s *serverScores) readNames(w *work) {
	x := w.x
	if x.servers.count < 2 {
		return
	}
	for _, t := range w.whole.terms {
		if !t.written() {
			continue
		}
		for _, server := range x.servers.telling[t.term] {
			s.open(server)
			if !s.isNamed[server] && w.whole.hasAll(x.servers.names[server]) {
				s.isNamed[server] = w.mentions(x.servers.words[server])
			}
		}
	}
}

// mentions reports whether the message has all of the words as they are
// written.
func (w *work) mentions(words []string) bool {
	missing := len(words)
	found := make([]bool, len(words))
	head, tail := clipQuery(w.whole.text)
	for _, s := range []string{head, tail, w.whole.context} {
		w.tokenizer.Each(s, func(word []byte, _ text.Form) {
			if i := slices.Index(words, string(word)); i >= 0 && !found[i] {
				found[i] = true
				missing--
			}
		})
	}
	return missing == 0
}
