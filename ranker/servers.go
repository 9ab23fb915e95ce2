package ranker

import (
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// serverIndex knows the servers of a version: who belongs to which, and what
// each is called.
type serverIndex struct {
	// of holds each document's server by number.
	of []int32
	// names holds the terms of each server's name, without the words that
	// only say that it is a server, and words the same as they are written:
	// who writes "tell the team" does not name the server teams.
	names [][]termID
	words [][]string
	// telling finds the servers that a term tells: it is part of the name,
	// and at least half of the documents that have it are the server's. A
	// server called "search" is not named by every message that searches.
	telling map[termID][]int32
	count   int
	// members holds the documents of each server.
	members [][]int32
}

// isGenericServerWord reports whether a word in a server's name says what it
// is, not which one.
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
			terms, words := nameTerms(server, x.lexicon, &tokenizer)
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

// shorten drops the words of servers' names that say whose package it is, or
// which of several: whoever means "gitlab-zereight" says gitlab. What such a
// server is called the bank knows. Servers of which the same words are left keep
// all of theirs.
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

// nameTerms returns the terms of a server's name and their words.
func nameTerms(name string, l *lexicon, tokenizer *text.Tokenizer) (terms []termID, words []string) {
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

// findTelling fills telling. A term in the names of more than two servers
// tells none, since no more than two can have half of its documents.
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

// serverScores is what a message says of the servers.
type serverScores struct {
	// first and second are the two best scores among each server's tools, and
	// leader which tool has the first.
	first, second []float64
	leader        []int32
	// isNamed and isCalled say that the message names the server, and that
	// the task called one of its tools.
	isNamed, isCalled []bool
	seen              marks
	// evidence says, by server, what beside the message speaks for its family.
	evidence map[int32]string
}

// reset makes room for n servers and forgets what was known of them.
func (s *serverScores) reset(n int) {
	if len(s.first) != n {
		*s = serverScores{
			first: make([]float64, n), second: make([]float64, n), leader: make([]int32, n),
			isNamed: make([]bool, n), isCalled: make([]bool, n), seen: newMarks(n), evidence: map[int32]string{},
		}
	}
	s.seen.reset()
}

// open returns a server's slot, emptied when it is the first use.
func (s *serverScores) open(server int32) int32 {
	if s.seen.mark(server) {
		s.first[server], s.second[server], s.leader[server] = 0, 0, -1
		s.isNamed[server], s.isCalled[server] = false, false
	}
	return server
}

// flag is 1 when flags has a document's server, else 0.
func (s *serverScores) flag(x *fusionIndex, doc int32, flags []bool) float64 {
	server := x.servers.of[doc]
	if s.seen.has(server) && flags[server] {
		return 1
	}
	return 0
}

// serverDetail names a document's server.
func serverDetail(w *work, doc int32, p *Part) { p.Detail = w.x.analysed.docs[doc].Server }
