package chats

import (
	"fmt"
	"unicode/utf8"
)

const (
	// minRepeat is the fewest bytes of a result that is named in place of being sent
	// again; what names it has some 250.
	minRepeat = 600
	// maxBeginning is the most characters by which an earlier result is named.
	maxBeginning = 100
)

// Repeats finds results that a request has already, so that they need not be sent
// again. The zero value works. It looks at one request alone: what its client has
// cut away is not above, and is sent.
type Repeats struct {
	seen map[string]bool
	// named counts the different results that one name would fit.
	named map[string]int
}

// Note returns what stands for a result that is the same as an earlier one; empty
// for one that has to be sent, which counts as sent from now on. The results of a
// request are given in their order.
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
		return "" // it would not be clear which one is meant
	}
	return "[Winnow: this is the same result, to the byte, as the one above that " + name + ". Read it there.]"
}
