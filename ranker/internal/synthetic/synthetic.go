// Package synthetic generates deterministic catalogues of any size for benchmarks and
// tests that need many documents but no relevance judgements. They are not for measuring
// quality.
package synthetic

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/winnow-mcp/winnow/ranker"
)

var (
	verbs = strings.Fields(`create list get update delete search send upload download move copy
		rename archive export import sync share invite assign close open merge deploy restart
		query validate convert translate summarise schedule cancel approve reject publish`)
	nouns = strings.Fields(`issue message file folder branch commit channel user team project task
		event calendar invoice payment order customer ticket page document table row column query
		image video playlist song route flight hotel review contact email label comment secret
		cluster pod container volume bucket function metric alert dashboard log trace deployment`)
	adjectives = strings.Fields(`current recent open closed archived public private shared pending
		failed scheduled remote local default custom large new old active hidden`)
	details = strings.Fields(`returns accepts requires supports optional maximum number of results
		the identifier in workspace given time range sorted by creation date with pagination cursor
		format markdown json plain text timezone owner name title body status priority filter`)
)

// Catalogue returns n documents on servers of about twenty tools each. Equal
// arguments give equal documents.
func Catalogue(n int, seed uint64) []ranker.Document {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	docs := make([]ranker.Document, n)
	for i := range docs {
		server := i / 20
		verb, noun, adjective := pick(rng, verbs), pick(rng, nouns), pick(rng, adjectives)
		name := fmt.Sprintf("%s_%s_%s", verb, adjective, noun)
		docs[i] = ranker.Document{
			ID:          fmt.Sprintf("server%d/%s/%d", server, name, i),
			Server:      fmt.Sprintf("%s-%s-%d", nouns[server%len(nouns)], verbs[server%len(verbs)], server),
			Name:        name,
			Description: fmt.Sprintf("%s the %s %s. %s.", verb, adjective, noun, sentence(rng, 12+rng.IntN(20))),
			Parameters: []ranker.Parameter{
				{Name: noun + "_id", Description: sentence(rng, 6)},
				{Name: pick(rng, details), Description: sentence(rng, 8)},
			},
		}
	}
	return docs
}

// Messages returns n user messages that mention tools of a [Catalogue].
func Messages(n int, seed uint64) []string {
	rng := rand.New(rand.NewPCG(seed, 0))
	messages := make([]string, n)
	for i := range messages {
		messages[i] = fmt.Sprintf("I want to %s the %s %s of our team, and then %s a %s with %s.",
			pick(rng, verbs), pick(rng, adjectives), pick(rng, nouns),
			pick(rng, verbs), pick(rng, nouns), sentence(rng, 3))
	}
	return messages
}

func pick(rng *rand.Rand, words []string) string { return words[rng.IntN(len(words))] }

// sentence mixes n words so that, as in real catalogues, a few words are in most
// documents and most words in a few.
func sentence(rng *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		switch rng.IntN(4) {
		case 0:
			words[i] = pick(rng, nouns)
		case 1:
			words[i] = fmt.Sprintf("%s%d", pick(rng, nouns), rng.IntN(60))
		default:
			words[i] = pick(rng, details)
		}
	}
	return strings.Join(words, " ")
}
