package ranker

import "unicode/utf8"

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
			parts = append(parts, Part{Name: s.name, Value: b[i], Detail: s.describe(w, doc)})
		}
	}
	parts = w.movePhrasings(parts, doc)
	if rest := m.Score - b.total(); rest != 0 {
		parts = append(parts, Part{Name: "copy of a tool above", Value: rest, Detail: "another server has it too"})
	}
	return parts
}

// describe says what a document's part rests on; empty when there is nothing to
// add to the name.
func (s *signal) describe(w *work, doc int32) string {
	if s.detail == nil {
		return ""
	}
	return s.detail(w, doc)
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
