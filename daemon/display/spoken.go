package display

// part is a part of a row's description: the visible text, and the screen reader's text
// with the noun that is visible in the list's title.
type part struct{ seen, said string }

// description is the text beside a row's name. Empty parts are skipped.
type description []part

// words returns a part that is read as it is seen.
func words(text string) part { return part{text, text} }

// tokensPart returns a part with a number of tokens.
func tokensPart(n int) part { return part{Tokens(n), inTokens(n)} }

// String returns the visible text.
func (d description) String() string {
	texts := make([]string, len(d))
	for i, part := range d {
		texts[i] = part.seen
	}
	return joined(" · ", texts...)
}

// spoken returns the screen reader's text of a row: the whole name, the words of its
// icon, the description in visible order, and more. Duplicates of icon and description
// are omitted.
func spoken(name, icon string, d description, more ...string) string {
	texts := make([]string, len(d))
	for i, part := range d {
		texts[i] = part.said
		if part.said == icon {
			icon = ""
		}
	}
	return joined(", ", name, icon, joined(", ", texts...), joined(", ", more...))
}
