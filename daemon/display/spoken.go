package display

// part is a part of a row's description: what the eye reads, and what a screen reader
// says of it, with the noun that the eye reads in the list's title.
type part struct{ seen, said string }

// description is what stands beside a row's name. Parts without a text do not count.
type description []part

// words is a part that is read as it is seen.
func words(text string) part { return part{text, text} }

// tokensPart is a number of tokens.
func tokensPart(n int) part { return part{Tokens(n), inTokens(n)} }

// String returns what the eye reads.
func (d description) String() string {
	texts := make([]string, len(d))
	for i, part := range d {
		texts[i] = part.seen
	}
	return joined(" · ", texts...)
}

// spoken is what a screen reader says of a row: the whole name, the words of its
// icon, the description in the order in which the eye reads it, and more. What an
// icon and the description both say is said once.
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
