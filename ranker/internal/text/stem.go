package text

import (
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	porter "github.com/blevesearch/snowballstem/english"
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

// singular removes the plural s of an abbreviation ("pdfs", "csvs"), which the stemmer
// keeps if no vowel precedes it.
func singular(stem string) string {
	short, plural := strings.CutSuffix(stem, "s")
	if !plural || len(short) < 3 || strings.HasSuffix(short, "s") || strings.ContainsAny(short, "aeiouy") {
		return stem
	}
	return short
}

// stopWords is the Snowball project's list for English.
var stopWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`
a about above after again against all am an and any are as at be because been before being below
between both but by can did do does doing don down during each few for from further had has have
having he her here hers herself him himself his how i if in into is it its itself just me more most
my myself no nor not now of off on once only or other our ours ourselves out over own s same she
should so some such t than that the their theirs them themselves then there these they this those
through to too under until up very was we were what when where which while who whom why will with
you your yours yourself yourselves
`) {
		words[word] = true
	}
	return words
})

// IsStop reports whether a folded word has no meaning of its own in an English sentence.
// Technical terms, short ones too (git, sql, pr), are not on the list.
func IsStop(word string) bool { return stopWords()[word] }
