package ranker

import (
	"slices"

	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/ranker/internal/text"
	"github.com/winnow-mcp/winnow/ranker/signals"
)

// maxFamilies is how many families of servers count, those indicated by the message
// before those of the folder.
const maxFamilies = 3

// serverScores holds the scores of the servers for a message.
type serverScores struct {
	servers *serverIndex
	seen    marks
	scores  []serverScore
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

// reset clears the data of the servers, and makes room for all.
func (s *serverScores) reset(servers *serverIndex) {
	if n := servers.count; len(s.scores) != n {
		*s = serverScores{scores: make([]serverScore, n), seen: newMarks(n)}
	}
	s.servers = servers
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
func (s *serverScores) of(doc int32) *serverScore { return s.open(s.servers.of[doc]) }

// read collects the evidence of the message, the task and the folder for each server, and
// its best candidates. With one server it does nothing.
func (s *serverScores) read(message *view, candidates []candidate, q *Query) {
	if s.servers.count < 2 {
		return
	}
	s.readNames(message)
	for _, doc := range q.Called {
		if doc >= 0 && doc < len(s.servers.of) {
			s.of(int32(doc)).isCalled = true
		}
	}
	var families []Family
	for _, spoken := range bank.SpeakFor(bank.MessageClues(message.text)) {
		families = append(families, Family{spoken.Family, spoken.Evidence})
	}
	s.readFamilies(message.x.analysed.docs, append(families, q.Families...))
	for _, c := range candidates {
		server := s.of(c.doc)
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
func (s *serverScores) readNames(message *view) {
	var tokenizer text.Tokenizer
	for _, t := range message.terms {
		if !t.written() {
			continue
		}
		for _, number := range s.servers.telling[t.term] {
			server := s.open(number)
			if !server.isNamed && message.hasAll(s.servers.names[number]) {
				server.isNamed = message.mentions(s.servers.words[number], &tokenizer)
			}
		}
	}
}

// readFamilies records the evidence for each server of the first families: one with that
// name, or whose name has every word of it. The first family of a server counts.
func (s *serverScores) readFamilies(docs []Document, families []Family) {
	var tokenizer text.Tokenizer
	for _, f := range families[:min(len(families), maxFamilies)] {
		words := serverWords(f.Name, &tokenizer)
		for number, name := range s.servers.words {
			is := f.Name == docs[s.servers.members[number][0]].Server
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
