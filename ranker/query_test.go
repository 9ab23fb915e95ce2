package ranker

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// readTerms returns the terms of a message as the fusion reads them, those it
// only implies in brackets.
func readTerms(t *testing.T, docs []Document, message string) string {
	t.Helper()
	x := NewCorpus(docs, nil).fusion()
	q := queryTerms{seen: newMarks(len(x.lexicon.texts))}
	q.read(message, x.index, true)
	var out []string
	for _, term := range q.imply(message, x.index, x.synonyms, &x.weights) {
		word := x.lexicon.texts[term.term]
		if term.implied != "" {
			word = "(" + word + ")"
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

func TestQueryTerms(t *testing.T) {
	t.Parallel()
	docs := tools(t, "files.remove_file: Remove a document at a path", "img.make: Make an image or a picture")
	for _, test := range []struct{ name, in, want string }{
		{"order of first occurrence, once", "file document file", "file document"},
		{"inflection", "files removing", "file remov"},
		{"filler and stop words say nothing", "could you please make the file", "file"},
		{"unknown words are dropped", "zebra file", "file"},
		{"synonym of a known word", "picture", "pictur (imag) (img)"},
		{"synonym of an unknown word", "erase it", "(remov)"},
		{"signal", "what is in /tmp/a.png", "(file) (path) (imag)"},
		{"a word of its own is not implied again", "file /tmp/x/y", "file (path)"},
		{"identifier", "remove_file", "remov file removefil"},
	} {
		if got := readTerms(t, docs, test.in); got != test.want {
			t.Errorf("%s: terms of %q are %q, want %q", test.name, test.in, got, test.want)
		}
	}
}

func TestQueryTerms_KeepsTheRarest(t *testing.T) {
	t.Parallel()
	var docs []Document
	var words []string
	for i := range 250 { // word i is in 251-i documents
		words = append(words, fmt.Sprintf("word%c%c", 'a'+i/20, 'a'+i%20))
	}
	for i := range words {
		docs = append(docs, Document{ID: fmt.Sprint(i), Description: strings.Join(words[:len(words)-i], " ")})
	}
	got := strings.Fields(readTerms(t, docs, strings.Join(words, " ")))
	if len(got) != maxQueryTerms || got[len(got)-1] != "wordmj" || got[0] == "wordaa" {
		t.Errorf("%d terms from %s to %s, want the %d rarest in their order", len(got), got[0], got[len(got)-1], maxQueryTerms)
	}
}

func TestClipQuery(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", maxQueryText)
	for _, s := range []string{"", "short", strings.Repeat("a", maxQueryText), long, "a" + long, strings.Repeat("\xff", 3*maxQueryText)} {
		head, tail := clipQuery(s)
		if !strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail) || len(head)+len(tail) > maxQueryText {
			t.Errorf("%d bytes are clipped to %d and %d", len(s), len(head), len(tail))
		}
		if utf8.ValidString(s) && !(utf8.ValidString(head) && utf8.ValidString(tail)) {
			t.Errorf("%d bytes are cut within a character", len(s))
		}
		if len(s) <= maxQueryText && head != s {
			t.Errorf("%d bytes are cut", len(s))
		}
	}
}
