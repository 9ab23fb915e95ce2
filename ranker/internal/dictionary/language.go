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
	// script holds the letters that only this language of the list is written
	// in; nil for those that share English's.
	script []*unicode.RangeTable
	// spaceless says that no spaces, or not only spaces, part its words.
	spaceless bool
	// stem removes inflection; nil where the list has the stems themselves.
	stem func(*snowballstem.Env) bool
	// compounds says that nouns are written together, and that a verb may leave
	// its particle at the end of the clause ("leg ein Ticket an").
	compounds bool
	// capitals says that other words than names begin with a capital letter.
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
	// english stands for what has no list, and none for what is no language's.
	english = languages
	none    = languages + 1
	// japanese and chinese share Han characters.
	japanese, chinese = 6, 7
)

// ofScript returns the language that a letter tells; none for a letter of
// English's script and of those that no list is written in.
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

// Key returns what a word or phrase is found by: its words, folded, with a space
// between them.
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

// StemKey returns what the inflected forms of a word share, marked so that it is
// no word; empty for a phrase, and where there is no stemmer.
func (l *Language) StemKey(word string) string {
	if l.stem == nil || strings.ContainsAny(word, " -'’") {
		return ""
	}
	env := snowballstem.NewEnv(strings.ToLower(norm.NFC.String(word)))
	l.stem(env)
	return text.Fold(env.Current()) + "*"
}
