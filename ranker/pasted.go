package ranker

import (
	"slices"
	"strings"
	"unicode"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

const (
	// minPasted is the fewest bytes of a message with a part that counts as pasted, and
	// minContext those of that part.
	minPasted  = 400
	minContext = 200
	// maxOpening and maxClosing are the most bytes of a request at the beginning and at
	// the end.
	maxOpening, maxClosing = 700, 500
	// maxContext is how many bytes of a pasted text are read, half of them from each end.
	maxContext = 4 << 10
)

// splitPasted separates the request of a message from text pasted into it: a log, a stack
// trace, code, a table, a mail, notes. The request stands before or after it. Any other
// message is all request.
//
// Of a message that is read in part (see clipQuery), the parts are split; of a long paste
// the beginning and the end are returned. Blocks end at empty lines and where prose and
// machine text meet. The first block is a request if it is prose and does not begin a
// mail, the last if it is prose that asks or orders. After machine text, or without such
// a first block, any prose is.
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

// isProseOnly reports whether a message is entirely prose, without a mail. Any of its
// paragraphs may be a request.
func isProseOnly(message string, blocks []block) bool {
	return !slices.ContainsFunc(blocks, func(b block) bool { return !b.prose || opensMail(b.in(message)) })
}

// goesOn reports whether a message of several paragraphs continues the request: a
// paragraph resumes it, or one between the first and the last asks.
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

// points reports whether a request asks a question or refers to accompanying text.
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

// block is message[from:to], all prose or all machine text.
type block struct {
	from, to int
	prose    bool
}

func (b block) size() int          { return b.to - b.from }
func (b block) in(s string) string { return s[b.from:b.to] }

// splitBlocks splits a message at empty lines and where prose and other text meet. A line
// that is too short to classify belongs to the block before it.
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

// minTelling is the fewest bytes at which a line that is not prose can be classified,
// however few words it has.
const minTelling = 24

// proseShare is the least share of words of letters in a line of prose.
const proseShare = 0.7

// isProse reports whether a line reads like a sentence, and whether it is long enough to
// classify.
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

// isPlace reports whether a word is a position in a file, in compilers' notation:
// src/main.go:14:2.
func isPlace(word string) bool {
	colon := strings.IndexByte(word, ':')
	return colon > 0 && colon+1 < len(word) && '0' <= word[colon+1] && word[colon+1] <= '9' &&
		strings.ContainsAny(word[:colon], "./")
}

// isStamp reports whether a word is the date or time at the beginning of a log line.
func isStamp(word string) bool {
	return len(word) >= len("12:00:00") && '0' <= word[0] && word[0] <= '9' && strings.ContainsAny(word, ":-/")
}

// isReport reports whether a word starts an error message, such as "TypeError:".
func isReport(word string) bool {
	word, colon := strings.CutSuffix(strings.TrimSpace(word), ":")
	word = strings.ToLower(word)
	return colon && (strings.HasSuffix(word, "error") || strings.HasSuffix(word, "exception") ||
		strings.HasSuffix(word, "warning") || word == "panic" || word == "fatal")
}

// isNoLetter reports whether a character does not occur in words of a sentence.
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

// maxLabel is the most words before the colon of a form's line.
const maxLabel = 3

// isAside reports whether a text looks pasted rather than like a following request:
// another item of a list, a form's line such as "Environment: staging", or a quotation.
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

// directs reports whether a text asks something, or mentions its writer or reader.
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
