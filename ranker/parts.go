package ranker

import "unicode/utf8"

// copyPart names what a tool's score lacks since a copy of it ranks higher.
const copyPart = "copy of a tool above"

// explain returns the named parts of a match. What they lack of its score was
// taken from a copy of a tool that ranks higher.
func (w *work) explain(q *Query, m Match, spelling *spelling) []Part {
	doc := int32(m.Doc)
	b := w.breakdown(q, doc)
	scale := (1 - w.whole.meaningShare()) * w.whole.wordScale
	var parts []Part
	for i, s := range signals {
		switch {
		case s == &wordsSignal:
			parts = w.whole.wordParts(m.Doc, b[i], scale, spelling)
		case b[i] != 0:
			p := Part{Name: s.name, Value: b[i]}
			if s.detail != nil {
				s.detail(w, doc, &p)
			}
			parts = append(parts, p)
		}
	}
	parts = w.movePhrasings(parts, doc)
	if rest := m.Score - b.total(); rest != 0 {
		parts = append(parts, Part{Name: copyPart, Value: rest, Detail: "another server has it too"})
	}
	return parts
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
