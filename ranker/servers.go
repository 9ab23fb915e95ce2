package ranker

import (
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/ranker/internal/text"
	"github.com/winnow-mcp/winnow/ranker/signals"
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

// maxFamilies is how many families of servers count, those indicated by the message
// before those of the folder.
const maxFamilies = 3

// Family is a family of servers that the context supports.
type Family struct {
	// Name is its servers' name, such as "kubernetes", or one server's name.
	Name string
	// Evidence describes the reason, such as "this folder has a Chart.yaml".
	Evidence string
}

// serverScores holds the scores of the servers for a message.
type serverScores struct {
	seen   marks
	scores []serverScore
}

// serverScore is the data of one server.
type serverScore struct {
	// first and second are the two best scores among its tools, and leader is the tool
	// with the first.
	first, second float64
	leader        int32
	// isNamed reports that the message names the server, and isCalled that the task
	// called one of its tools.
	isNamed, isCalled bool
	// evidence is the evidence for its family.
	evidence string
}

// reset makes room for n servers and clears their data.
func (s *serverScores) reset(n int) {
	if len(s.scores) != n {
		*s = serverScores{scores: make([]serverScore, n), seen: newMarks(n)}
	}
	s.seen.reset()
}

// open returns a server's data, cleared on first use.
func (s *serverScores) open(server int32) *serverScore {
	if s.seen.mark(server) {
		s.scores[server] = serverScore{leader: -1}
	}
	return &s.scores[server]
}

// of returns the slot of a document's server.
func (s *serverScores) of(x *fusionIndex, doc int32) *serverScore { return s.open(x.servers.of[doc]) }

// read collects the evidence of the message, the task and the folder for each server, and
// its best candidates. With one server it does nothing.
func (s *serverScores) read(w *work, q *Query) {
	if w.x.servers.count < 2 {
		return
	}
	s.readNames(w)
	for _, doc := range q.Called {
		if doc >= 0 && doc < len(w.x.servers.of) {
			s.of(w.x, int32(doc)).isCalled = true
		}
	}
	var families []Family
	for _, spoken := range bank.SpeakFor(bank.MessageClues(w.whole.text)) {
		families = append(families, Family{spoken.Family, spoken.Evidence})
	}
	s.readFamilies(w, append(families, q.Families...))
	for _, c := range w.candidates {
		server := s.of(w.x, c.doc)
		switch score := signals.Round(c.words) + signals.Round(c.meaning); {
		case score > server.first:
			server.first, server.second, server.leader = score, server.first, c.doc
		case score > server.second:
			server.second = score
		}
	}
}

// readNames finds the servers whose names are entirely in the message, with at least one
// identifying word.
func (s *serverScores) readNames(w *work) {
	for _, t := range w.whole.terms {
		if !t.written() {
			continue
		}
		for _, number := range w.x.servers.telling[t.term] {
			server := s.open(number)
			if !server.isNamed && w.whole.hasAll(w.x.servers.names[number]) {
				server.isNamed = w.whole.mentions(w.x.servers.words[number], &w.tokenizer)
			}
		}
	}
}

// readFamilies records the evidence for each server of the first families: one with that
// name, or whose name has every word of it. The first family of a server counts.
func (s *serverScores) readFamilies(w *work, families []Family) {
	for _, f := range families[:min(len(families), maxFamilies)] {
		words := serverWords(f.Name, &w.tokenizer)
		for number, name := range w.x.servers.words {
			is := f.Name == w.x.analysed.docs[w.x.servers.members[number][0]].Server
			missing := slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(name, word) })
			if server := s.open(int32(number)); (is || !missing && len(words) > 0) && server.evidence == "" {
				server.evidence = f.Evidence
			}
		}
	}
}

// sibling returns the best score among the other tools of a document's server.
func (s *serverScore) sibling(doc int32) float64 {
	if s.leader == doc {
		return s.second
	}
	return s.first
}
