package ranker

import (
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// serverIndex holds the servers of a version: their documents and their names.
type serverIndex struct {
	// of holds each document's server by number.
	of []int32
	// names holds the terms of each server's name, without words that only say that it is
	// a server. words holds the same as written: "tell the team" does not name the server
	// teams.
	names [][]termID
	words [][]string
	// telling maps a term to the servers that it identifies: it is part of the name, and
	// at least half of the documents with it are the server's. A server called "search"
	// is not named by every message that searches.
	telling map[termID][]int32
	count   int
	// members holds the documents of each server.
	members [][]int32
}

// isGenericServerWord reports whether a word in a server's name says what it is rather
// than which one.
func isGenericServerWord(word string) bool {
	switch word {
	case "mcp", "server", "servers", "api", "apis", "tool", "tools", "service", "services",
		"official", "client", "the", "io", "ai", "app", "plugin", "rest", "v":
		return true
	}
	return false
}

func newServerIndex(x *index) *serverIndex {
	s := &serverIndex{of: make([]int32, len(x.analysed.docs)), telling: map[termID][]int32{}}
	numbers := map[string]int32{}
	var tokenizer text.Tokenizer
	for i := range x.analysed.docs {
		server := x.analysed.docs[i].Server
		if i > 0 && server == x.analysed.docs[i-1].Server { // as nearly always
			s.of[i] = s.of[i-1]
			s.members[s.of[i]] = append(s.members[s.of[i]], int32(i))
			continue
		}
		number, ok := numbers[server]
		if !ok {
			number = int32(s.count)
			s.count++
			numbers[server] = number
			terms, words := serverTerms(server, x.lexicon, &tokenizer)
			s.names, s.words = append(s.names, terms), append(s.words, words)
			s.members = append(s.members, nil)
		}
		s.of[i] = number
		s.members[number] = append(s.members[number], int32(i))
	}
	s.shorten(x.expander.bank)
	s.findTelling(x)
	return s
}

// shorten removes the words of servers' names that only identify the package or the
// instance: people call "gitlab-zereight" gitlab. The bank knows such a server's name.
// Servers that would have the same name keep all their words.
func (s *serverIndex) shorten(b *bank.Bank) {
	if b == nil {
		return
	}
	families, like := make([][]string, s.count), map[string]int{}
	for number, words := range s.words {
		families[number] = b.Family(words)
		like[strings.Join(families[number], " ")]++
	}
	for number, family := range families {
		if len(family) == 0 || like[strings.Join(family, " ")] > 1 {
			continue
		}
		var terms []termID
		for k, word := range s.words[number] {
			if slices.Contains(family, word) {
				terms = append(terms, s.names[number][k])
			}
		}
		s.names[number], s.words[number] = terms, family
	}
}

// serverTerms returns the terms of a server's name and their words.
func serverTerms(name string, l *lexicon, tokenizer *text.Tokenizer) (terms []termID, words []string) {
	tokenizer.Each(name, func(word []byte, form text.Form) {
		if form == text.Whole || len(word) == 1 || isGenericServerWord(string(word)) {
			return
		}
		if id, ok := l.find(word); ok && id != noTerm && !slices.Contains(terms, id) {
			terms, words = append(terms, id), append(words, string(word))
		}
	})
	return terms, words
}

// findTelling sets telling. A term in the names of more than two servers identifies none,
// since at most two can have half of its documents.
func (s *serverIndex) findTelling(x *index) {
	servers := map[termID][]int32{}
	for number, terms := range s.names {
		for _, id := range terms {
			servers[id] = append(servers[id], int32(number))
		}
	}
	for id, numbers := range servers {
		if len(numbers) > 2 {
			continue
		}
		docs, _ := x.postings(id)
		for _, number := range numbers {
			own := 0
			for _, doc := range docs {
				if s.of[doc] == number { // and so has the term in its own text
					own++
				}
			}
			if 2*own >= int(x.ownFrequencies[id]) {
				s.telling[id] = append(s.telling[id], number)
			}
		}
	}
}

// serverWords returns the words by which people call a server: google and maps for
// "google-maps-mcp".
func serverWords(name string, tokenizer *text.Tokenizer) []string {
	words := wordsOf(name, tokenizer)
	if telling := slices.DeleteFunc(slices.Clone(words), isGenericServerWord); len(telling) > 0 {
		return telling
	}
	return words
}

// wordsOf returns the words of a text, those of identifiers one by one.
func wordsOf(s string, tokenizer *text.Tokenizer) []string {
	var words []string
	tokenizer.Each(s, func(word []byte, form text.Form) {
		if form != text.Whole {
			words = append(words, string(word))
		}
	})
	return words
}
