package chats

import (
	"fmt"
	"unicode/utf8"
)

const (
	// minRepeat is the fewest bytes of a result that is replaced by a reference, which
	// takes about 250 bytes.
	minRepeat = 600
	// maxBeginning is the most characters by which an earlier result is identified.
	maxBeginning = 100
)

// Repeats finds results that a request already contains, so that they need not be sent
// again. The zero value is ready to use. It considers one request only: what its client
// has removed is sent again.
type Repeats struct {
	seen map[string]bool
	// named counts the different results with the same identification.
	named map[string]int
}

// Note returns the text that replaces a result that repeats an earlier one. It returns ""
// for a result that has to be sent, which it then counts as sent. Call it for a request's
// results in their order.
func (r *Repeats) Note(text string) string {
	if len(text) < minRepeat {
		return ""
	}
	if r.seen == nil {
		r.seen, r.named = map[string]bool{}, map[string]int{}
	}
	beginning, n := text, 0
	for at := range text {
		if n++; n > maxBeginning {
			beginning = text[:at]
			break
		}
	}
	name := fmt.Sprintf("has %d characters and begins %q", utf8.RuneCountInString(text), beginning)
	if !r.seen[text] {
		r.seen[text] = true
		r.named[name]++
		return ""
	}
	if r.named[name] > 1 {
		return "" // the reference would be ambiguous
	}
	return "[Winnow: this is the same result, to the byte, as the one above that " + name + ". Read it there.]"
}
