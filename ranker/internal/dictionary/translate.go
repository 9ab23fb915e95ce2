package dictionary

import (
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// maxPhrase is the most words of a form.
const maxPhrase = 4

// Meaning is a word or phrase of a message with its possible English words, most likely
// first. Names begin with a capital letter.
type Meaning struct {
	Form  string
	Words []string
	// Known reports that the catalogue also has the form itself.
	Known bool
}

// Translate returns a message with the words of other languages replaced by English ones,
// and the meanings used. It removes grammatical words of a non-English clause, since
// English has words with the same spelling. Words that no list has stay, since they are
// names.
//
// known reports whether the catalogue has a folded word. Such a word also stays, before
// its meaning. A message without a clause in another language is returned unchanged.
func Translate(message string, known func(word string) bool) (string, []Meaning) {
	t := open()
	if !t.suspicious(message, known) {
		return message, nil
	}
	list := t.clauses(message)
	languages := candidates(list)
	for i := range list {
		t.look(&list[i], languages, known)
	}
	w := writer{tables: t, message: message, known: known, kana: hasKana(list), means: map[word][]entry{}}
	m := read(list)
	for i := range list {
		c := &list[i]
		if language := c.language(m); !(c.quoted && m.english) && !(language == english && c.english()) {
			w.clause(c, language)
		}
	}
	if len(w.meanings) == 0 {
		return message, nil
	}
	w.copy(len(message))
	return w.out.String(), w.meanings
}

func hasKana(list []clause) bool {
	for i := range list {
		for _, tok := range list[i].tokens {
			if tok.script == japanese {
				return true
			}
		}
	}
	return false
}

// writer writes a message in English.
type writer struct {
	*tables
	message  string
	known    func(string) bool
	kana     bool // the message has Kana: its Han characters are Japanese
	out      strings.Builder
	done     int // how far the message is written
	meanings []Meaning
	// means holds what the words read so far mean.
	means map[word][]entry
}

// word is a word of a language, by its key.
type word struct {
	language int
	key      string
}

// copy writes the message unchanged up to a position.
func (w *writer) copy(to int) {
	if to > w.done {
		w.out.WriteString(w.message[w.done:to])
		w.done = to
	}
}

// skip omits the message up to a position.
func (w *writer) skip(to int) { w.done = max(w.done, to) }

// clause writes a clause whose words in Latin letters are in a language.
func (w *writer) clause(c *clause, language int) {
	if language < languages && Languages[language].compounds {
		w.joinParticle(c, language)
	}
	for i := 0; i < len(c.tokens); {
		tok := &c.tokens[i]
		own := tok.script
		if own == none {
			own = language
		}
		switch {
		case tok.means != nil:
			w.put(tok.from, tok.to, tok.means...)
			i++
		case own >= languages || tok.piece && tok.script == none || isNumber(tok.key):
			i++
		case Languages[own].spaceless:
			i = w.run(c.tokens, i, own)
		default:
			i += w.word(c.tokens[i:], own)
		}
	}
}

// word translates the longest phrase that tokens start with, or omits the first token if
// it is grammatical. It returns how many tokens it used.
func (w *writer) word(tokens []token, language int) int {
	for n := min(maxPhrase, len(tokens)); n > 1; n-- {
		key, ok := w.phrase(tokens[:n])
		if !ok {
			continue
		}
		if e, ok := w.find(language, key); ok {
			w.put(tokens[0].from, tokens[n-1].to, e)
			return n
		}
	}
	tok := &tokens[0]
	e, ok := w.means[word{language, tok.key}]
	if !ok {
		e = w.findWord(language, w.message[tok.from:tok.to], tok.key)
		w.means[word{language, tok.key}] = e
	}
	switch {
	case tok.name && !Languages[language].capitals:
	case len(e) > 0:
		w.put(tok.from, tok.to, e...)
	case w.evidence[tok.key].grammar&(1<<language) != 0:
		w.copy(tok.from)
		w.skip(tok.to)
	}
	return 1
}

// phrase returns the key of adjacent tokens.
func (w *writer) phrase(tokens []token) (key string, ok bool) {
	var b strings.Builder
	for i, tok := range tokens {
		if tok.piece || tok.script != tokens[0].script || tok.means != nil {
			return "", false
		}
		if i > 0 {
			switch w.message[tokens[i-1].to:tok.from] {
			case " ", "-", "'", "’":
			default:
				return "", false
			}
			b.WriteByte(' ')
		}
		b.WriteString(tok.key)
	}
	return b.String(), true
}

// joinParticle looks up the verb of a clause that ends with the verb's particle.
func (w *writer) joinParticle(c *clause, language int) {
	last := &c.tokens[len(c.tokens)-1]
	if last.piece || w.evidence[last.key].grammar&(1<<language) == 0 {
		return
	}
	for i := range c.tokens[:len(c.tokens)-1] {
		tok := &c.tokens[i]
		if tok.piece || w.evidence[tok.key].grammar&(1<<language) != 0 {
			continue
		}
		for _, verb := range []string{tok.key, tok.key + "e"} {
			if e, ok := w.find(language, verb+" "+last.key); ok {
				tok.means = []entry{e}
				return
			}
		}
	}
}

// put writes the meanings of message[from:to] in its place, or after it if the catalogue
// has the word itself.
func (w *writer) put(from, to int, entries ...entry) {
	w.copy(from)
	form := w.message[from:to]
	m := Meaning{Form: form}
	for _, e := range entries {
		w.each(e, func(word string) { m.Words = append(m.Words, word) })
	}
	m.Known = w.known(Key(form))
	w.note(m)
	words := strings.Join(m.Words, " ")
	if m.Known {
		words = form + " (" + words + ")"
	}
	w.out.WriteString(words)
	w.skip(to)
}

// note keeps a meaning, once.
func (w *writer) note(m Meaning) {
	if !slices.ContainsFunc(w.meanings, func(o Meaning) bool { return o.Form == m.Form }) {
		w.meanings = append(w.meanings, m)
	}
}

// run translates tokens of a script without spaces by the longest forms from the left,
// and returns the index after them. Text without a form stays if the catalogue has a pair
// of its characters.
func (w *writer) run(tokens []token, i, language int) int {
	if language == chinese && w.kana {
		language = japanese
	}
	tok := &tokens[i]
	w.copy(tok.from)
	written := w.message[tok.from:tok.to]
	if w.hasPair(written) {
		w.out.WriteString(" " + written)
	}
	rest := []rune(tok.key)
	for start := true; len(rest) > 0; {
		n, e := w.longest(language, rest, start)
		if n == 0 {
			rest, start = rest[1:], false
			continue
		}
		m := Meaning{Form: string(rest[:n])}
		m.Known = w.hasPair(m.Form)
		w.each(e, func(word string) { m.Words = append(m.Words, word) })
		w.note(m)
		w.out.WriteString(" " + strings.Join(m.Words, " "))
		rest, start = rest[n:], true
	}
	w.out.WriteString(" ")
	w.skip(tok.to)
	return i + 1
}

// maxForm is the most characters of a form without spaces.
const maxForm = 12

// longest finds the longest form that a run starts with. Inside an unlisted word, a form
// of one character counts only in Chinese, where one often is a word.
func (w *writer) longest(language int, run []rune, start bool) (int, entry) {
	least := 1
	if !start && language != chinese {
		least = 2
	}
	for n := min(maxForm, len(run)); n >= least; n-- {
		if e, ok := w.find(language, string(run[:n])); ok {
			return n, e
		}
	}
	return 0, entry{}
}

// hasPair reports whether the catalogue has a pair of adjacent characters of a run, as
// package text pairs them.
func (w *writer) hasPair(run string) bool {
	pairs := []rune(text.Fold(run))
	for i := 1; i < len(pairs); i++ {
		if w.known(string(pairs[i-1 : i+1])) {
			return true
		}
	}
	return false
}
