package dictionary

import (
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// maxBare is the most words of a message that is looked up without a grammatical word of
// any language ("Rechnungen exportieren").
const maxBare = 6

// clause is a part of a message that is in one language.
type clause struct {
	from, to int
	tokens   []token
	// grammar counts the grammatical words of a language that are not English, and tells
	// those that are specific to it. Of the words that the catalogue lacks, listed counts
	// those in a language's list, and alike those of them that look like English or are
	// short.
	grammar       [languages]int
	tells         [languages + 1]int
	listed, alike [languages]int
	// quoted reports that it is between quotation marks.
	quoted bool
	// unlisted counts the words that neither the catalogue nor any list has.
	unlisted int
}

// edge is how many bytes at the beginning and at the end of a message are checked for
// another language. The request is there rather than in pasted text.
const edge = 500

// suspicious reports whether a message may have words of another language. For an English
// message this is the only cost.
func (t *tables) suspicious(message string, known func(string) bool) bool {
	if len(message) > 2*edge {
		return t.suspicious(message[:edge], known) || t.suspicious(message[len(message)-edge:], known)
	}
	var buffer [32]byte
	words, shared, strange, isEnglish := 0, 0, false, false
	for i := 0; i < len(message); {
		from, to := nextWord(message, i)
		if i = to; from == to {
			break
		}
		words++
		folded := buffer[:0]
		for k := from; k < to && len(folded) < len(buffer); k++ {
			c := message[k]
			if c >= 0x80 {
				return true
			}
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			folded = append(folded, c)
		}
		if e, ok := t.evidence[string(folded)]; ok {
			switch {
			case e.tells == 1<<english:
				isEnglish = true
			case e.tells != 0:
				return true
			case !text.IsStop(string(folded)):
				shared++
			}
			continue
		}
		strange = strange || words <= maxBare && !known(string(folded))
	}
	return !isEnglish && (shared > 1 || strange && words <= maxBare)
}

// clauses splits a message at the ends of sentences, clauses and quotations.
func (t *tables) clauses(message string) []clause {
	var list []clause
	start, quoted := 0, false
	for i := 0; i < len(message); {
		width := boundary(message, i)
		if width == 0 {
			_, size := decode(message, i)
			i += size
			continue
		}
		list = t.appendClause(list, message, start, i, quoted)
		quoted = quotes(message[i:i+width], quoted)
		i += width
		start = i
	}
	return t.appendClause(list, message, start, len(message), quoted)
}

func (t *tables) appendClause(list []clause, message string, from, to int, quoted bool) []clause {
	c := clause{from: from, to: to, tokens: tokens(message, from, to), quoted: quoted}
	if len(c.tokens) == 0 {
		return list
	}
	for i := range c.tokens {
		e := t.evidence[c.tokens[i].key]
		if c.tokens[i].piece || hyphenated(message, &c.tokens[i]) {
			continue
		}
		for l := range c.tells {
			c.tells[l] += int(e.tells >> l & 1)
		}
		if text.IsStop(c.tokens[i].key) {
			continue
		}
		for l := range c.grammar {
			c.grammar[l] += int(e.grammar >> l & 1)
		}
	}
	return append(list, c)
}

// quotes reports whether the text after a boundary is quoted, given whether the text
// before it was. A quotation ends with its line.
func quotes(mark string, before bool) bool {
	switch mark {
	case "\"", "'", "`":
		return !before
	case "„", "«", "「", "『":
		return true
	case "“": // opens in English, closes in German
		return !before
	case "”", "»", "」", "』", "\n":
		return false
	}
	return before
}

// hyphenated reports whether a hyphen joins a token to another: the eu of acme-eu is not
// Portuguese.
func hyphenated(s string, t *token) bool {
	return t.from > 0 && s[t.from-1] == '-' || t.to < len(s) && s[t.to] == '-'
}

// boundary returns the length of the mark at i that ends a clause, or 0.
func boundary(s string, i int) int {
	switch s[i] {
	case '\n', '"', '`', '(', ')', '[', ']', '{', '}', '<', '>', '|':
		return 1
	case '.', '!', '?', ';', ':', ',':
		if i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n' || s[i+1] == '\t' {
			return 1
		}
		return 0
	}
	if s[i] < 0x80 {
		return 0
	}
	for _, mark := range []string{"。", "！", "？", "；", "，", "、", "：", "؟", "“", "”", "„", "«", "»", "「", "」", "『", "』", "（", "）", "¿", "¡", "…", "–", "—"} {
		if strings.HasPrefix(s[i:], mark) {
			return len(mark)
		}
	}
	return 0
}

// minListed is the fewest bytes of a listed word that indicates its language. Shorter
// ones are also abbreviations and typing errors in English.
const minListed = 5

// manyTells is how many specific words make a language certain.
const manyTells = 4

// candidates returns the languages that clauses may be in: only one if many words
// indicate it and few another.
func candidates(list []clause) []int {
	var all []int
	best, second := 0, 0
	sure := 0
	for l := range Languages {
		if Languages[l].script != nil {
			continue
		}
		all = append(all, l)
		tells := 0
		for i := range list {
			tells += list[i].tells[l]
		}
		switch {
		case tells > best:
			best, second, sure = tells, best, l
		case tells > second:
			second = tells
		}
	}
	if best >= manyTells && best >= 3*second {
		return []int{sure}
	}
	return all
}

// look counts the words that the catalogue lacks and a language's list has.
func (t *tables) look(c *clause, languages []int, known func(string) bool) {
	for i := range c.tokens {
		tok := &c.tokens[i]
		if _, grammatical := t.evidence[tok.key]; grammatical || tok.piece || tok.script != none || isNumber(tok.key) || known(tok.key) {
			continue
		}
		listed := false
		for _, l := range languages {
			e := t.findWord(l, tok.key, tok.key)
			listed = listed || len(e) > 0
			switch {
			case len(e) == 0:
			case len(e) == 1 && (e[0].english || t.resembles(e[0], tok.key) || len(tok.key) < minListed):
				c.alike[l]++
			default:
				c.listed[l]++
			}
		}
		if !listed {
			c.unlisted++
		}
	}
}

// resembles reports whether a word looks like the English ones that it may mean: "pods"
// is in lists, but is English too.
func (t *tables) resembles(e entry, word string) bool {
	like := false
	t.each(e, func(english string) {
		like = like || len(word) >= 3 && strings.HasPrefix(english, word[:3])
	})
	return like
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

// message sums up the clauses of a message.
type message struct {
	// language is the language of undetermined clauses; english if the message is English
	// or that is unknown.
	language int
	// english reports that an unquoted clause has a word that only English has.
	english bool
	// bare reports that no word indicates a language, and that the lists have every word
	// that the catalogue lacks, at least half of all.
	bare bool
}

// likely returns the language of a clause without specific words, in a message without
// English. It needs two words that English does not use so, one more if the others look
// like English, and half of the others in the list. It returns english if there is none.
func (c *clause) likely(m message) int {
	if m.english {
		return english
	}
	best, score := english, 1
	for l := range Languages {
		own, listed := c.grammar[l]+c.listed[l], c.listed[l]+c.alike[l]
		if c.listed[l] == 0 {
			own-- // what is listed looks like English
		}
		if Languages[l].script == nil && own > score && listed > 0 && c.unlisted <= listed {
			best, score = l, own
		}
	}
	return best
}

// isBare reports whether a message is bare; see message.
func isBare(list []clause) bool {
	words, listed := 0, 0
	for i := range list {
		c := &list[i]
		words += len(c.tokens)
		listed += slices.Max(c.listed[:])
		if c.unlisted > 0 || c.tells != [languages + 1]int{} {
			return false
		}
	}
	return 2*listed >= words
}

// read sums up a message's clauses. Quotations do not make it English.
func read(list []clause) message {
	m := message{language: english, bare: isBare(list)}
	against := 0
	all := !slices.ContainsFunc(list, func(c clause) bool { return !c.quoted })
	for i := range list {
		if all || !list[i].quoted {
			against += list[i].tells[english]
		}
	}
	m.english = against > 0
	score := 1
	for l := range Languages {
		tells, listed := 0, 0
		for i := range list {
			tells += list[i].tells[l]
			listed += list[i].listed[l] + list[i].alike[l]
		}
		if tells > 0 && tells+listed > max(score, against) {
			m.language, score = l, tells+listed
		}
	}
	return m
}

// english reports whether a clause is English although it may have words in other
// scripts, such as names or text to be written.
func (c *clause) english() bool {
	others := 0
	for i := range c.tokens {
		if c.tokens[i].script != none {
			others++
		}
	}
	return c.tells[english] > others
}

// language returns the language of the clause's words in Latin letters, or english if it
// is English or unknown. It needs two indicating words, one of them grammatical, or one
// that agrees with the rest of the message; or see likely.
func (c *clause) language(m message) int {
	best, score := english, 0
	for l := range Languages {
		if Languages[l].script != nil {
			continue
		}
		s := c.tells[l] + c.listed[l]
		if c.tells[l] > 0 || l == m.language {
			s += c.alike[l]
		}
		if s > score || s == score && s > 0 && (l == m.language || best != m.language && c.grammar[l] > c.grammar[best]) {
			best, score = l, s
		}
	}
	switch {
	case c.tells[english] >= max(1, score), score > 0 && c.unlisted > 2*score:
		return english
	case score > 0 && (best == m.language || m.bare), score >= 2 && c.tells[best] > 0:
		return best
	case m.language != english:
		return m.language
	}
	return c.likely(m)
}
