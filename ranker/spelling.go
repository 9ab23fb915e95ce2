package ranker

import "github.com/winnow-mcp/winnow/ranker/internal/text"

// spelling displays terms: a term is a stem, such as "knowledg", which nobody wrote.
type spelling struct {
	index *index
	// said maps each term to the first word of the message with it.
	said map[termID]string
	// has is the same for the document last read, doc; -1 before the first.
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

// read records the first word of a text for each term.
func (s *spelling) read(words map[termID]string, from string) {
	var tokenizer text.Tokenizer
	tokenizer.Each(from, func(word []byte, _ text.Form) {
		if id, ok := s.index.lexicon.find(word); ok && words[id] == "" {
			words[id] = string(word)
		}
	})
}

// word returns a term that a document matches: as in the message or, if the message only
// implies it, as in the document, with what implies it.
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
