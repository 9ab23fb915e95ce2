package ranker

import "github.com/winnow-mcp/winnow/ranker/internal/text"

// spelling writes terms for a person: a term is a stem, such as "knowledg",
// which nobody wrote.
type spelling struct {
	index *index
	// said holds the first word of the message with each of its terms.
	said map[termID]string
	// has is the same for the document read last, doc; -1 before the first.
	has map[termID]string
	doc int
}

// newSpelling reads the words of a message.
func newSpelling(x *index, message string) *spelling {
	s := &spelling{index: x, said: map[termID]string{}, doc: -1}
	head, tail := clipQuery(message)
	s.read(s.said, head)
	s.read(s.said, tail)
	return s
}

// read notes the words of a text by their terms, the first of each.
func (s *spelling) read(words map[termID]string, from string) {
	var tokenizer text.Tokenizer
	tokenizer.Each(from, func(word []byte, _ text.Form) {
		if id, ok := s.index.lexicon.find(word); ok && words[id] == "" {
			words[id] = string(word)
		}
	})
}

// word writes a term that a document matches: as the message has it or, when
// the message only implies it, as the document does, with what implies it.
func (s *spelling) word(t queryTerm, doc int) Word {
	if t.implied == "" {
		return Word{Text: s.said[t.term]}
	}
	if s.doc != doc {
		s.doc, s.has = doc, map[termID]string{}
		s.index.analysed.docs[doc].eachText(func(_ field, from string) { s.read(s.has, clipText(from)) })
		s.index.expander.eachPhrasing(s.index.expansions[doc], func(phrasings string) { s.read(s.has, phrasings) })
	}
	return Word{Text: s.has[t.term], Implied: t.implied}
}
