package ranker

import (
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// maxFamilies is how many families of servers a folder speaks for.
const maxFamilies = 3

// Family is a family of servers that something beside the message speaks for.
type Family struct {
	// Name is what its servers are called, such as "kubernetes".
	Name string
	// Evidence says what speaks for it, such as "this folder has a Chart.yaml".
	Evidence string
}

// folderSignal lifts the tools of the servers that the folder speaks for, by a
// share of what they have already: what the message says itself outweighs it,
// and a wrong guess lifts nothing that does not fit.
var folderSignal = signal{
	name:    "folder",
	weight:  func(w *Weights) float64 { return w.Folder },
	prepare: func(w *work, q *Query) { w.servers.readFamilies(w.x, q.Families) },
	score: func(w *work, _ *Query, doc int32, sum float64) float64 {
		if w.servers.evidenceOf(w.x, doc) == "" {
			return 0
		}
		return sum
	},
	detail: func(w *work, doc int32, p *Part) { p.Detail = w.servers.evidenceOf(w.x, doc) },
}

// readFamilies notes the evidence for each server of the first families: one
// whose name has every word of a family's. Of several families of a server the
// first counts.
func (s *serverScores) readFamilies(x *fusionIndex, families []Family) {
	clear(s.evidence)
	if x.servers.count < 2 {
		return
	}
	var tokenizer text.Tokenizer
	for _, f := range families[:min(len(families), maxFamilies)] {
		words := serverWords(f.Name, &tokenizer)
		if len(words) == 0 {
			continue
		}
		for server, name := range x.servers.words {
			missing := slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(name, word) })
			if server := int32(server); !missing && s.evidence[server] == "" {
				s.evidence[server] = f.Evidence
			}
		}
	}
}

// evidenceOf says what speaks for a document's server; empty when nothing does.
func (s *serverScores) evidenceOf(x *fusionIndex, doc int32) string {
	return s.evidence[x.servers.of[doc]]
}
