package ranker

import (
	"strings"

	"github.com/winnow-mcp/winnow/ranker/signals"
)

// facts returns the facts of a candidate.
func (w *work) facts(q *Query, c *candidate) signals.Facts {
	x, doc, server := w.x, c.doc, w.servers.of(w.x, c.doc)
	f := signals.Facts{
		Words: c.words, Meaning: c.meaning, NameCovered: w.whole.coverage(doc),
		Step: w.steps.get(doc), Sibling: server.sibling(doc), Earlier: w.earlier.fit(doc),
		Remembered: w.recallScale * w.remembered[doc], Needed: w.needed[doc].score,
		IsAsked:  x.names[doc].action&w.asked != 0,
		InFolder: server.evidence != "", IsNamed: server.isNamed, IsCalled: server.isCalled,
		IsHarm: w.harmless && destroys(&x.analysed.docs[doc], x.analyses[doc]),
	}
	if q.Uses != nil {
		f.Uses = q.Uses(int(doc))
	}
	return f
}

// evidence returns the evidence for them.
func (w *work) evidence(doc int32) *signals.Evidence {
	e := &signals.Evidence{
		Server: w.x.analysed.docs[doc].Server, Action: w.x.analyses[doc].action.String(), Folder: w.servers.of(w.x, doc).evidence,
		Step: clipDetail(w.steps.text(doc)), Earlier: clipDetail(strings.Join(strings.Fields(w.earlier.text), " ")),
		Similarity: w.whole.similarity(doc),
	}
	if n := w.needed[doc]; n.why == forAnyKind || n.why == forStep {
		e.NeededFor = n.why
	} else if n.why != "" {
		e.NeededBy, e.NeededFor = w.x.analysed.docs[n.by].Name, n.why
	}
	return e
}
