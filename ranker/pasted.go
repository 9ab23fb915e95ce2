package ranker

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

const (
	// minPasted is how many bytes a message has at least for a part of it to
	// count as pasted, and minContext how many that part has.
	minPasted  = 400
	minContext = 200
	// maxOpening and maxClosing are how many bytes the request has at most, where
	// it stands first and where it stands last.
	maxOpening, maxClosing = 700, 500
	// maxContext is how many bytes of a pasted text are read, half of them from
	// its beginning and half from its end.
	maxContext = 4 << 10
)

// splitPasted tells what a message asks for from what was pasted into it: a log,
// a stack trace, code, a table, a mail, somebody's notes. What a person asks
// stands before it or after it. A message that is not so made is all request.
//
// Of a message of which only parts are read, the parts are split, see clipQuery,
// and of a long paste the beginning and the end are returned. The message is split into blocks at empty lines and where prose and machine
// text meet. The first block is a request when it is prose and no mail begins
// with it, the last when it is prose that asks or orders; behind text of
// machines, or without such a first one, any prose does.
func splitPasted(message string) (request, context string) {
	if len(message) < minPasted || strings.IndexByte(message, '\n') < 0 {
		return message, ""
	}
	if head, tail := clipQuery(message); tail != "" {
		message = head + "\n" + tail
	}
	blocks := splitBlocks(message)
	if len(blocks) < 2 {
		return message, ""
	}
	first, last := blocks[0], blocks[len(blocks)-1]
	opens := first.prose && first.size() <= maxOpening && !opensMail(first.in(message))
	mail := opens && len(blocks) > 1 && opensMail(blocks[1].in(message))
	closes := last.prose && !mail && last.size() <= maxClosing &&
		(!opens || !blocks[len(blocks)-2].prose && !isAside(last.in(message)) || directs(last.in(message)))
	from, to := 0, len(message)
	if opens {
		from = first.to
		request = first.in(message)
	}
	if closes {
		to = last.from
		request += "\n" + last.in(message)
	}
	context = message[from:to]
	if len(context) > maxContext {
		context = context[:maxContext/2] + "\n" + context[len(context)-maxContext/2:]
	}
	if request == "" || len(context) < minContext || isProseOnly(message, blocks) && (!points(request) || goesOn(message, blocks)) {
		return message, ""
	}
	return request, context
}

// isProseOnly reports whether a message is prose from end to end, without a mail.
// A paragraph of it may be as much of a request as the first one.
func isProseOnly(message string, blocks []block) bool {
	return !slices.ContainsFunc(blocks, func(b block) bool { return !b.prose || opensMail(b.in(message)) })
}

// goesOn reports whether a message of several paragraphs goes on asking: one of
// them takes up the request again, or one between the first and the last asks.
func goesOn(message string, blocks []block) bool {
	for i, b := range blocks[1:] {
		s := b.in(message)
		opening, _, _ := strings.Cut(strings.TrimSpace(s), " ")
		switch strings.ToLower(strings.TrimRight(opening, ",")) {
		case "first", "second", "secondly", "third", "then", "next", "later", "finally", "lastly":
			return true
		}
		if i < len(blocks)-2 && strings.Contains(s, "?") {
			return true
		}
	}
	return false
}

// points reports whether a request asks a question, or speaks of something that
// stands beside it.
func points(request string) bool {
	if strings.Contains(request, "?") || strings.HasSuffix(strings.TrimSpace(request), ":") {
		return true
	}
	var tokenizer text.Tokenizer
	found := false
	tokenizer.Each(request, func(word []byte, _ text.Form) {
		switch string(word) {
		case "this", "these", "below", "above", "following", "attached", "fyi":
			found = true
		}
	})
	return found
}

// block is message[from:to], all prose or all text of machines.
type block struct {
	from, to int
	prose    bool
}

func (b block) size() int          { return b.to - b.from }
func (b block) in(s string) string { return s[b.from:b.to] }

// splitBlocks splits a message at empty lines and where prose and other text
// meet. A line that is too short to tell belongs to what it follows.
func splitBlocks(message string) []block {
	var blocks []block
	fresh := true // the next line begins a block
	for from := 0; from < len(message); {
		to := from + strings.IndexByte(message[from:], '\n') + 1
		if to == from {
			to = len(message)
		}
		line := message[from:to]
		prose, tells := isProse(line)
		switch {
		case strings.TrimSpace(line) == "":
			fresh = true
		case fresh || tells && prose != blocks[len(blocks)-1].prose:
			blocks = append(blocks, block{from, to, prose})
			fresh = false
		default:
			blocks[len(blocks)-1].to = to
		}
		from = to
	}
	return blocks
}

// minTelling is how many bytes a line has that is no prose and tells so, however
// few words it has.
const minTelling = 24

// proseShare is the share of a line's words that are words of letters, when a
// person wrote it for a person.
const proseShare = 0.7

// isProse reports whether a line reads like a sentence, and whether it is long
// enough to tell.
func isProse(line string) (prose, tells bool) {
	if strings.HasPrefix(line, "  ") || strings.IndexByte("\t{[<|$@+", line[0]) >= 0 {
		return false, true
	}
	first, rest, _ := strings.Cut(line, " ")
	if second, _, _ := strings.Cut(rest, " "); strings.HasSuffix(first, ":") && isReport(second) {
		return false, true // "make: error: …"
	}
	if isPlace(first) || isStamp(first) || isReport(first) {
		return false, true
	}
	words, plain, scripts := 0, 0, 0
	for word := range strings.FieldsSeq(line) {
		if !strings.ContainsFunc(word, unicode.IsLetter) {
			continue // numbers are in all texts
		}
		words++
		word = strings.Trim(word, ".,;:!?\"'()“”„«»‘’…")
		if word != "" && strings.IndexFunc(word, isNoLetter) < 0 {
			plain++
		}
		if strings.ContainsFunc(word, text.IsSpaceless) {
			scripts++
		}
	}
	if 2*scripts > words {
		return true, true
	}
	prose = words > 0 && float64(plain) >= proseShare*float64(words)
	return prose, words >= 3 || !prose && len(line) >= minTelling
}

// isPlace reports whether a word is a place in a file, as compilers write it:
// src/main.go:14:2.
func isPlace(word string) bool {
	colon := strings.IndexByte(word, ':')
	return colon > 0 && colon+1 < len(word) && '0' <= word[colon+1] && word[colon+1] <= '9' &&
		strings.ContainsAny(word[:colon], "./")
}

// isStamp reports whether a word is the date or the time that a line of a log
// begins with.
func isStamp(word string) bool {
	return len(word) >= len("12:00:00") && '0' <= word[0] && word[0] <= '9' && strings.ContainsAny(word, ":-/")
}

// isReport reports whether a word is what a program's complaint begins with, such
// as "TypeError:".
func isReport(word string) bool {
	word, colon := strings.CutSuffix(strings.TrimSpace(word), ":")
	word = strings.ToLower(word)
	return colon && (strings.HasSuffix(word, "error") || strings.HasSuffix(word, "exception") ||
		strings.HasSuffix(word, "warning") || word == "panic" || word == "fatal")
}

// isNoLetter reports whether a character stands in no word of a sentence.
func isNoLetter(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' && r != '’' && r != '-'
}

// opensMail reports whether a text begins as a mail does: with a header or a
// greeting.
func opensMail(s string) bool {
	opening, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	opening = strings.ToLower(opening)
	name, _, header := strings.Cut(strings.Replace(opening, "：", ":", 1), ":")
	switch name {
	case "from", "to", "sent", "date", "subject", "cc", "von", "an", "betreff", "datum", "gesendet",
		"de", "à", "objet", "asunto", "fecha", "assunto", "da", "oggetto", "от", "тема", "件名", "发件人", "主题", "제목":
		return header
	}
	greeting, _, _ := strings.Cut(opening, " ")
	switch strings.TrimRight(greeting, ",!") {
	case "hi", "hello", "hey", "dear", "hallo", "liebe", "lieber", "bonjour", "hola", "olá", "ciao", "buongiorno":
		return strings.HasSuffix(opening, ",") || strings.HasSuffix(opening, "!")
	}
	return false
}

// maxLabel is how many words stand before the colon of a line of a form.
const maxLabel = 3

// isAside reports whether a text looks like what was pasted and not like a
// request that follows it: a further item of a list, a line of a form such as
// "Environment: staging", or a quotation.
func isAside(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsRune("\"“„«-*•", []rune(s)[0]) {
		return true
	}
	if item := strings.TrimLeft(s, "0123456789"); item != s && strings.IndexAny(item, ".)") == 0 {
		return !strings.HasPrefix(s, "1.") && !strings.HasPrefix(s, "1)")
	}
	line, _, _ := strings.Cut(s, "\n")
	label, _, form := strings.Cut(line, ": ")
	return form && len(strings.Fields(label)) <= maxLabel && !strings.ContainsAny(label, ".,;!?")
}

// directs reports whether a text asks something, or speaks of who writes and who
// reads.
func directs(s string) bool {
	if strings.ContainsAny(s, "?？") {
		return true
	}
	var tokenizer text.Tokenizer
	found, place := false, 0
	tokenizer.Each(s, func(bytes []byte, form text.Form) {
		word := string(bytes)
		switch word {
		case "me", "you", "us", "please", "pls":
			found = true
		}
		found = found || place < 3 && form == text.Plain && verbFor(word, plainly) != 0 && !isBeing(word)
		place++
	})
	return found
}

// maxContextTerms is how many words of what was pasted count, the rarest.
const maxContextTerms = 16

// readContext adds words of what was pasted into the message: its products, files
// and errors say where the request belongs. They bring no candidates.
func (v *view) readContext(context string) {
	if context == "" || v.x.weights.Pasted == 0 {
		return
	}
	v.context = context
	own := len(v.terms)
	v.terms = v.query.readContext(context, v.x.index, v.x.weights.Pasted)
	v.words.addTerms(v.x.index, v.terms[own:])
	if v.wordScale == 0 { // the request shares no word with any tool
		v.wordScale = 1 / typicalWords
	}
}

// readContext adds the terms of a pasted text to those read before.
func (q *queryTerms) readContext(s string, x *index, weight float64) []queryTerm {
	own := len(q.terms)
	q.tokenizer.Each(s, func(word []byte, form text.Form) {
		if id, ok := x.lexicon.find(word); ok && id != noTerm && form != text.Whole {
			q.add(x, id, weight, impliedByPasted)
		}
	})
	pasted := q.terms[own:]
	slices.SortStableFunc(pasted, func(a, b queryTerm) int { return cmp.Compare(x.idf[b.term], x.idf[a.term]) })
	q.terms = q.terms[:own+min(len(pasted), maxContextTerms)]
	return q.terms
}
