package ranker

import (
	"strings"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/ranker/signals"
)

// facts returns the facts of a candidate.
func (w *work) facts(q *Query, c *candidate) signals.Facts {
	x, doc, server := w.x, c.doc, w.servers.of(c.doc)
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
		Server: w.x.analysed.docs[doc].Server, Action: w.x.analyses[doc].action.String(), Folder: w.servers.of(doc).evidence,
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

// destroys reports whether a call of a tool probably removes something: a verb of its
// name says so and its annotations do not deny it. The destructive hint alone is not
// enough: it also marks tools that overwrite, and is the default.
func destroys(d *Document, a *analysis) bool {
	return a.removes && d.ReadOnly != Yes && d.Destructive != No
}

// maxDetail is the most bytes of a message that an explanation quotes.
const maxDetail = 80

func clipDetail(s string) string {
	if len(s) <= maxDetail {
		return s
	}
	n := maxDetail
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
