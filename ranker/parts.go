package ranker

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// signal numbers the parts of a fused score.
type signal int

const (
	signalWords signal = iota
	signalMeaning
	signalName
	signalSentence
	signalClause
	signalSibling
	signalNamed
	signalEarlier
	signalCalledServer
	signalUses
	signalRemembered
	signalHarm
	signalCount
)

// String names a signal as an explanation shows it. Words are shown by field.
func (s signal) String() string {
	return [signalCount]string{
		"words", "meaning", "name covered", "sentence", "clause", "server's other tools", "server named",
		"earlier messages", "server in use", "recent use", "remembered", "only asks to see",
	}[s]
}

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

// breakdown computes the parts of a document's score: words and meaning say
// how well it fits the message as a whole, sentence and clause how well it
// fits one step of it; a name that the message has, the server, the task and
// the workspace add to that; harm takes away.
func (w *work) breakdown(x *fusionIndex, q *Query, doc int32) breakdown {
	var b breakdown
	b[signalWords], b[signalMeaning] = w.whole.parts(doc)
	b[signalName] = round(x.weights.NameCovered * w.whole.coverage(doc))
	for g := range granularities {
		score, _ := w.steps.best(g, doc)
		b[signalSentence+signal(g)] = round(g.weight(&x.weights) * score)
	}
	b[signalSibling] = round(x.weights.Sibling * w.servers.sibling(x, doc))
	if w.servers.named(x, doc) {
		b[signalNamed] = round(x.weights.NamedServer)
	}
	w.contextParts(x, q, doc, &b)
	if w.harmless && destroys(&x.analysed.docs[doc], x.analyses[doc]) {
		b[signalHarm] = round(-(1 - x.weights.Harm) * b.total())
	}
	return b
}

// explain returns the named parts of a match. What they lack of its score was
// taken from a copy of a tool that ranks higher.
func (w *work) explain(x *fusionIndex, q *Query, m Match, spelling *spelling) []Part {
	doc := int32(m.Doc)
	b := w.breakdown(x, q, doc)
	scale := (1 - w.whole.meaningShare()) * w.whole.wordScale
	parts := w.whole.wordParts(m.Doc, b[signalWords], scale, spelling)
	for s := signalMeaning; s < signalCount; s++ {
		if b[s] != 0 {
			parts = append(parts, Part{Name: s.String(), Value: b[s], Detail: w.detail(x, s, doc)})
		}
	}
	if rest := m.Score - b.total(); rest != 0 {
		parts = append(parts, Part{Name: "copy of a tool above", Value: rest, Detail: "another server has it too"})
	}
	return parts
}

// detail says what a part rests on.
func (w *work) detail(x *fusionIndex, s signal, doc int32) string {
	switch s {
	case signalMeaning:
		// From the average tool, which has none.
		return fmt.Sprintf("%.0f%% of the nearest tool's", 100*w.whole.similarity(doc))
	case signalName:
		// Rare words count more.
		return fmt.Sprintf("%.0f%% of its words", 100*w.whole.coverage(doc))
	case signalSentence, signalClause:
		_, step := w.steps.best(granularity(s-signalSentence), doc)
		return clipDetail(step)
	case signalSibling, signalNamed, signalCalledServer:
		return x.analysed.docs[doc].Server
	case signalEarlier:
		return clipDetail(strings.Join(strings.Fields(w.earlier.text), " "))
	case signalRemembered:
		return "fetched by hand for a similar message before"
	case signalHarm:
		return "this tool destroys or removes something"
	}
	return ""
}

// maxDetail is the most bytes of a message that an explanation repeats.
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
