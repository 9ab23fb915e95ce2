package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// AppendFold appends s to dst without differences that searchers do not mean: case,
// accents, compatibility forms (full width letters, ligatures), vowel points of Arabic
// and Hebrew, and Arabic letters that people interchange, including hamza forms, as in
// Lucene. Vowel signs of other scripts are letters and stay. Invalid UTF-8 becomes
// U+FFFD.
func AppendFold(dst []byte, s string) []byte {
	before := len(dst)
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return appendFoldUnicode(dst[:before], s)
		}
		dst = append(dst, lowerASCII(s[i]))
	}
	return dst
}

// Fold is [AppendFold] for strings.
func Fold(s string) string { return string(AppendFold(nil, s)) }

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// appendFoldUnicode decomposes, removes the marks and composes again, because decomposed
// Hangul and Indic letters would be split.
func appendFoldUnicode(dst []byte, s string) []byte {
	kept := make([]rune, 0, len(s))
	for _, r := range norm.NFKD.String(s) {
		if isAccent(r) {
			continue
		}
		switch r = unicode.ToLower(r); r {
		case 'ß':
			kept = append(kept, 's', 's')
		case 'ς': // the final form of σ
			kept = append(kept, 'σ')
		case 'ø':
			kept = append(kept, 'o')
		case 'ł':
			kept = append(kept, 'l')
		case 'ı': // Turkish dotless i, the lower case of I there
			kept = append(kept, 'i')
		case 'æ':
			kept = append(kept, 'a', 'e')
		case 'ٱ': // alef with the sign that it is not spoken
			kept = append(kept, 'ا')
		case 'ى', 'ی': // the final form of yeh that many write without points, and Persian's
			kept = append(kept, 'ي')
		case 'ة': // teh marbuta, which many write as heh
			kept = append(kept, 'ه')
		case 'ک': // Persian's kaf
			kept = append(kept, 'ك')
		default:
			kept = append(kept, r)
		}
	}
	return norm.NFC.Append(dst, []byte(string(kept))...)
}

// isAccent reports whether a decomposed mark may be dropped without changing
// the word: the combining diacritics of Latin, Greek and Cyrillic, and the
// optional vowel points of Hebrew and Arabic with the Arabic elongation.
func isAccent(r rune) bool {
	switch {
	case 0x0300 <= r && r <= 0x036F, 0x0591 <= r && r <= 0x05C7:
		return true
	case 0x064B <= r && r <= 0x065F, r == 0x0670, r == 0x0640:
		return true
	}
	return false
}
