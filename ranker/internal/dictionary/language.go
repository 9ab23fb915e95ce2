package dictionary

import (
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"golang.org/x/text/unicode/norm"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// Language is a language that has a word list.
type Language struct {
	// Code is the language's ISO 639-1 code, which names its list.
	Code string
	// script holds the letters that only this language uses among those listed; nil for
	// Latin letters.
	script []*unicode.RangeTable
	// spaceless reports that its words are not always separated by spaces.
	spaceless bool
	// stem removes inflection; nil if the list contains stems.
	stem func(*snowballstem.Env) bool
	// compounds reports that nouns are compounded, and that a verb's particle may end the
	// clause ("leg ein Ticket an").
	compounds bool
	// capitals reports that words other than names may be capitalized.
	capitals bool
}

// Languages are the languages that have a word list, in the table's order.
var Languages = [...]Language{
	{Code: "de", stem: german.Stem, compounds: true, capitals: true},
	{Code: "fr", stem: french.Stem},
	{Code: "es", stem: spanish.Stem},
	{Code: "pt", stem: portuguese.Stem},
	{Code: "it", stem: italian.Stem},
	{Code: "ru", stem: russian.Stem, script: []*unicode.RangeTable{unicode.Cyrillic}},
	{Code: "ja", spaceless: true, script: []*unicode.RangeTable{unicode.Hiragana, unicode.Katakana}},
	{Code: "zh", spaceless: true, script: []*unicode.RangeTable{unicode.Han}},
	{Code: "ko", spaceless: true, script: []*unicode.RangeTable{unicode.Hangul}},
}

const (
	languages = len(Languages)
	// english stands for languages without a list, none for no language.
	english = languages
	none    = languages + 1
	// japanese and chinese share Han characters.
	japanese, chinese = 6, 7
)

// ofScript returns the language that a letter indicates, or none for a Latin letter or a
// script without a list.
func ofScript(r rune) int {
	if r < 0x0400 { // Latin and Greek
		return none
	}
	for l := range Languages {
		if unicode.In(r, Languages[l].script...) {
			return l
		}
	}
	if r == 'ー' {
		return japanese
	}
	return none
}

// Key returns the lookup key of a word or phrase: its folded words, joined by spaces.
func Key(phrase string) string {
	var b strings.Builder
	for i := 0; i < len(phrase); {
		from, to := nextWord(phrase, i)
		if from < to {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(text.Fold(phrase[from:to]))
		}
		i = to
	}
	return b.String()
}

// StemKey returns the common key of a word's inflected forms, marked as not a word. It is
// empty for a phrase and without a stemmer.
func (l *Language) StemKey(word string) string {
	if l.stem == nil || strings.ContainsAny(word, " -'’") {
		return ""
	}
	env := snowballstem.NewEnv(strings.ToLower(norm.NFC.String(word)))
	l.stem(env)
	return text.Fold(env.Current()) + "*"
}
