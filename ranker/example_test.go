package ranker_test

import (
	"fmt"

	"github.com/winnow-mcp/winnow/ranker"
)

// Three tools ranked by a message. Each score is the sum of named parts.
func Example() {
	docs := []ranker.Document{
		{ID: "mail/send", Server: "mail", Name: "send_mail", Description: "Send an e-mail to somebody."},
		{ID: "mail/search", Server: "mail", Name: "search_mail", Description: "Search the mailbox for messages."},
		{ID: "calendar/add", Server: "calendar", Name: "add_event", Description: "Put an appointment into the calendar."},
	}
	corpus := ranker.NewCorpus(docs, nil)
	for _, match := range corpus.Ranker(ranker.BM25).Rank(ranker.Query{Text: "send an e-mail to Ada", Limit: 2, Explain: true}) {
		sum := 0.0
		for _, part := range match.Parts {
			sum += part.Value
		}
		fmt.Println(docs[match.Doc].ID, sum == match.Score)
	}
	// Output:
	// mail/send true
	// mail/search true
}
