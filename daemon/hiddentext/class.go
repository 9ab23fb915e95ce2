package hiddentext

import (
	"fmt"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/rangetable"
)

// class is a kind of hidden character.
type class int

const (
	visible class = iota
	tag
	selector
	direction
	zeroWidth
	control
	classes
)

// Found counts what was found, by class. The zero value has nothing.
type Found [classes]int

// Any reports whether something was found.
func (f Found) Any() bool { return f != Found{} }

// Total counts all that was found.
func (f Found) Total() int {
	total := 0
	for _, n := range f {
		total += n
	}
	return total
}

func (f *Found) add(other Found) {
	for i, n := range other {
		f[i] += n
	}
}

// String lists what was found, such as "12 Unicode tag characters, 1 control
// character".
func (f Found) String() string {
	var parts []string
	for c := tag; c < classes; c++ {
		switch n := f[c]; {
		case n == 1:
			parts = append(parts, "1 "+c.name())
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", n, c.name()))
		}
	}
	return strings.Join(parts, ", ")
}

func (c class) name() string {
	return [classes]string{
		tag: "Unicode tag character", selector: "variation selector", direction: "bidirectional control",
		zeroWidth: "zero-width character", control: "control character",
	}[c]
}

const (
	firstTag, lastTag = '\U000E0000', '\U000E007F' // the block Tags
	joiner            = '\u200D'
	nonJoiner         = '\u200C'
	zeroWidthSpace    = '\u200B'
	graphemeJoiner    = '\u034F'
	textStyle         = '\uFE0E' // VS15
	emojiStyle        = '\uFE0F' // VS16
	informationSource = '\u2139' // an emoji that is a letter
	viramaClass       = 9        // Canonical_Combining_Class of viramas
)

// suspects holds every character that may be hidden, in one table, so that one look-up
// excludes most text.
var suspects = sync.OnceValue(func() *unicode.RangeTable {
	return rangetable.Merge(unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
})

// classify returns the class of a single character. Hidden are the characters of
// Default_Ignorable_Code_Point (derived in UAX #44 from the properties used here), the
// interlinear annotation characters, which UAX #44 excludes for rendering reasons only,
// and the control characters except tab and line ends.
func classify(r rune) class {
	switch {
	case r < ' ' && r != '\t' && r != '\n' && r != '\r', r >= '\x7f' && r < '\u00a0':
		return control
	case r < '\u00ad' || !unicode.Is(suspects(), r):
		return visible
	case r >= firstTag && r <= lastTag:
		return tag
	case unicode.Is(unicode.Variation_Selector, r):
		return selector
	case unicode.Is(unicode.Bidi_Control, r):
		return direction
	case unicode.In(r, unicode.Egyptian_Hieroglyphs, unicode.Prepended_Concatenation_Mark):
		return visible // of Cf, but drawn, or the layout of drawn text
	}
	return zeroWidth
}

// needed reports whether a single hidden character between two others has a visible
// effect: joiners and marks of scripts, and the parts of emoji. The text's ends count as
// U+0000.
func needed(r, before, after rune) bool {
	switch {
	case r == textStyle || r == emojiStyle:
		return symbol(before) || before >= '0' && before <= '9' || before == informationSource
	case unicode.Is(unicode.Mongolian, before) && (unicode.Is(unicode.Mongolian, r) || unicode.Is(unicode.Variation_Selector, r)):
		return r < '\uFE00'
	case r >= '\uFE00' && r < textStyle: // standardised variants: mathematics, ʼPhags-pa, Myanmar, compatibility ideographs
		return unicode.In(before, unicode.Sm, unicode.Phags_Pa, unicode.Myanmar, unicode.Han)
	case r == joiner && pictograph(before):
		return pictograph(after)
	case r == joiner || r == nonJoiner: // the contexts of RFC 5892, appendix A, and those of the Unicode Standard, 12.1
		return rightToLeft(before) || rightToLeft(after) || virama(before) || virama(after) && unicode.IsLetter(before)
	case r == zeroWidthSpace: // a line may break here, in scripts without spaces (UAX #14, class SA)
		return complexContext(before) && complexContext(after)
	case r == graphemeJoiner:
		return unicode.IsMark(after)
	case unicode.Is(unicode.Hangul, r): // fillers of an incomplete syllable
		return before != r && unicode.Is(unicode.Hangul, before) || after != r && unicode.Is(unicode.Hangul, after)
	case r == '\u200E' || r == '\u200F' || r == '\u061C': // the marks of a direction, which embed nothing
		return rightToLeft(before) || rightToLeft(after)
	}
	return false
}

// symbol reports whether a character may be drawn as an emoji or as text. The standard
// library has no property Emoji; symbols and punctuation include all emoji except the
// digits.
func symbol(r rune) bool { return unicode.IsSymbol(r) || unicode.IsPunct(r) }

// pictograph reports whether a character may be joined to another by U+200D.
func pictograph(r rune) bool { return r > unicode.MaxLatin1 && unicode.IsSymbol(r) }

func rightToLeft(r rune) bool {
	if r < '\u0590' {
		return false
	}
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R && unicode.IsLetter(r) || p.Class() == bidi.AL || unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac)
}

func virama(r rune) bool {
	return r > unicode.MaxLatin1 && norm.NFC.PropertiesString(string(r)).CCC() == viramaClass
}

func complexContext(r rune) bool {
	return unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet)
}
