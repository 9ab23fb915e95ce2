package ranker

import (
	"maps"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// termID numbers a stemmed word within a lexicon.
type termID uint32

// noTerm stands for a word that is not indexed: a stop word.
const noTerm = ^termID(0)

// lexicon numbers the words of a corpus. It is immutable once its corpus is
// analysed; the next version extends a copy, so that numbers stay valid from
// one version to the next and no lock is needed.
type lexicon struct {
	// surfaces maps folded words to terms, so that only a word never seen
	// before needs stemming. Stop words map to noTerm.
	surfaces map[string]termID
	stems    map[string]termID
	// texts holds each term's stem by its number.
	texts []string
}

func newLexicon() *lexicon {
	return &lexicon{surfaces: map[string]termID{}, stems: map[string]termID{}}
}

// clone returns a copy that may be extended.
func (l *lexicon) clone() *lexicon {
	return &lexicon{
		surfaces: maps.Clone(l.surfaces),
		stems:    maps.Clone(l.stems),
		texts:    append(make([]string, 0, len(l.texts)+64), l.texts...),
	}
}

// add returns the term of a folded word, numbering it when it is new.
func (l *lexicon) add(word []byte, form text.Form) termID {
	if id, ok := l.surfaces[string(word)]; ok {
		return id
	}
	surface := string(word)
	if form != text.Whole && text.IsStop(surface) {
		l.surfaces[surface] = noTerm
		return noTerm
	}
	stem := text.Stem(surface)
	id, ok := l.stems[stem]
	if !ok {
		id = termID(len(l.texts))
		l.stems[stem] = id
		l.texts = append(l.texts, stem)
	}
	l.surfaces[surface] = id
	return id
}

// find returns the term of a folded word, noTerm for a stop word. ok is false if no
// document ever had it.
func (l *lexicon) find(word []byte) (id termID, ok bool) {
	if id, ok = l.surfaces[string(word)]; ok {
		return id, true
	}
	surface := string(word)
	if text.IsStop(surface) {
		return noTerm, true
	}
	id, ok = l.stems[text.Stem(surface)]
	return id, ok
}
