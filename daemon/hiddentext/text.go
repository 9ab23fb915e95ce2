package hiddentext

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// escape matches a terminal sequence (ECMA-48): CSI, OSC, the other strings, and the
// short ones. In an unterminated one, only the ESC is hidden. No match extends beyond the
// next control character, so that searching is linear.
var escape = regexp.MustCompile(`(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]` +
	`|(?:\x1b[\]PX^_]|[\x{9d}\x{90}\x{98}\x{9e}\x{9f}])[^\x00-\x1f\x7f-\x{9f}]*(?:\x07|\x1b\\|\x{9c})` +
	`|\x1b[ -/]*[0-Z\\^-~]`)

// Text returns s without hidden characters, except those that a script or an emoji needs,
// and what was removed. Invalid UTF-8 becomes U+FFFD; otherwise two parts of a character
// could be joined.
func Text(s string) (string, Found) {
	var found Found
	if plain(s) {
		return s, found
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.ContainsAny(s, "\x1b\u0090\u0098\u009b\u009d\u009e\u009f") {
		s = escape.ReplaceAllStringFunc(s, func(string) string {
			found[control]++
			return ""
		})
	}
	return rewrite(s, func(run run) string {
		if run.needed() {
			return run.text()
		}
		found.add(run.found())
		return ""
	}), found
}

// payload is how many consecutive invisible characters count as a message: no script and
// no emoji has as many.
const payload = 4

// Content returns s with a mark in place of what is always deceptive: tags outside of a
// flag, runs of invisible characters, and bidirectional controls. All else stays, such as
// a byte order mark or terminal colours.
func Content(s string) (string, Found) {
	var found Found
	if plain(s) {
		return s, found
	}
	return rewrite(strings.ToValidUTF8(s, "\uFFFD"), func(run run) string {
		if run.needed() || !run.deceives() {
			return run.text()
		}
		hidden := run.found()
		found.add(hidden)
		return "[hidden text removed: " + hidden.String() + "]"
	}), found
}

// plain reports whether a text contains nothing hidden, not even needed characters.
func plain(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || classify(r) != visible {
			return false
		}
	}
	return true
}

// run is a run of hidden characters between two visible ones; the ends of the text count
// as U+0000.
type run struct {
	hidden        []rune
	before, after rune
}

func (r run) text() string { return string(r.hidden) }

func (r run) found() Found {
	var f Found
	for _, c := range r.hidden {
		f[classify(c)]++
	}
	return f
}

// needed reports whether the whole run has a visible effect.
func (r run) needed() bool {
	switch len(r.hidden) {
	case 1:
		return needed(r.hidden[0], r.before, r.after)
	case 2:
		// An emoji with its style, joined to the next; a joiner beside a mark.
		if r.hidden[0] == emojiStyle && r.hidden[1] == joiner {
			return pictograph(r.before) && pictograph(r.after)
		}
	}
	return r.isFlag()
}

// isFlag reports whether the run makes a black flag a subdivision's flag. Only the three
// recommended for interchange count (UTS #51, ED-14a); otherwise tags could be hidden
// behind flags.
func (r run) isFlag() bool {
	const blackFlag = '\U0001F3F4'
	if r.before != blackFlag {
		return false
	}
	var letters strings.Builder
	for _, c := range r.hidden {
		if classify(c) != tag {
			return false
		}
		letters.WriteRune(c - firstTag)
	}
	switch letters.String() {
	case "gbeng\x7f", "gbsct\x7f", "gbwls\x7f":
		return true
	}
	return false
}

// deceives reports whether the run has no legitimate use in a document.
func (r run) deceives() bool {
	unseen := 0
	for _, c := range r.hidden {
		switch kind := classify(c); {
		case kind == tag, c >= '\u202A' && c <= '\u202E' && c != '\u202C':
			return true
		case kind == selector, kind == zeroWidth:
			unseen++
		}
	}
	return unseen >= payload
}

// rewrite replaces each run of hidden characters.
func rewrite(s string, replace func(run) string) string {
	var out strings.Builder
	var hidden []rune
	before := rune(0)
	flush := func(after rune) {
		if len(hidden) > 0 {
			out.WriteString(replace(run{hidden, before, after}))
			hidden = hidden[:0]
		}
	}
	for _, r := range s {
		if classify(r) != visible {
			hidden = append(hidden, r)
			continue
		}
		flush(r)
		out.WriteRune(r)
		before = r
	}
	flush(0)
	return out.String()
}
