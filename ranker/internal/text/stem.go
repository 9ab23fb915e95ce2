package text

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	porter "github.com/blevesearch/snowballstem/english"
	"github.com/kljensen/snowball/english"
)

// Stem returns a folded word without its English inflection ("messages" and
// "messaging" give "messag"), by the Snowball English stemmer, and without the
// plural s of an abbreviation. Words with a digit or a letter beyond ASCII are
// returned as they are: the stemmer only knows English.
func Stem(word string) string {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	if len(word) <= 2 {
		return word
	}
	env := snowballstem.NewEnv(word)
	porter.Stem(env)
	return singular(env.Current())
}

// singular takes the plural s off an abbreviation ("pdfs", "csvs"). The stemmer
// wants a vowel before it takes one off.
func singular(stem string) string {
	short, plural := strings.CutSuffix(stem, "s")
	if !plural || len(short) < 3 || strings.HasSuffix(short, "s") || strings.ContainsAny(short, "aeiouy") {
		return stem
	}
	return short
}

// IsStop reports whether a folded word carries no meaning of its own in an
// English sentence, by the list of the Snowball project. Names of techniques, short ones
// too (git, sql, pr), are not on it.
func IsStop(word string) bool { return english.IsStopWord(word) }
