package static

// class is what an ASCII character does to the word being read.
type class uint8

const (
	control     class = iota // vanishes
	space                    // ends the word
	letter                   // extends it, as do digits
	capital                  // extends it, lowered
	punctuation              // ends it and is a word of its own
)

// classify tells the class of an ASCII character as BERT has it: what is
// printable and neither letter nor digit is punctuation, "$" and "+" included,
// and of the control characters only three separate words.
func classify(b byte) class {
	switch {
	case 'a' <= b && b <= 'z', '0' <= b && b <= '9':
		return letter
	case b == ' ', b == '\t', b == '\n', b == '\r':
		return space
	case 'A' <= b && b <= 'Z':
		return capital
	case b < ' ', b == 0x7f:
		return control
	default:
		return punctuation
	}
}

// isChinese reports whether r lies in one of the ideograph blocks that BERT
// sets apart as words of their own. Kana and Hangul are not among them.
func isChinese(r rune) bool {
	switch {
	case r < 0x3400:
		return false
	case r <= 0x4dbf, // extension A
		0x4e00 <= r && r <= 0x9fff,   // unified ideographs
		0xf900 <= r && r <= 0xfaff,   // compatibility ideographs
		0x20000 <= r && r <= 0x2a6df, // extension B
		0x2a700 <= r && r <= 0x2ceaf, // extensions C, D, E
		0x2f800 <= r && r <= 0x2fa1f: // compatibility supplement
		return true
	}
	return false
}
