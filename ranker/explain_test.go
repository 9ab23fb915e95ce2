package ranker

import (
	"strings"
	"testing"
)

// An explanation shows words as somebody wrote them, never stems: the
// message's own as the message has them, implied ones as the tool does.
func TestExplain_ShowsWordsAsWritten(t *testing.T) {
	t.Parallel()
	docs := tools(t, "kb.searchKnowledge: Searches the knowledge base for stored summaries", "files.delete_file: Deletes a file")
	for _, test := range []struct {
		kind          Kind
		message, want string
	}{
		{Auto, "find Knowledge about summarising", "knowledge"},
		{Auto, "Summaries of everything", "summaries"},
		{Auto, "remove the files", "delete (synonym)"},
		{BM25, "KNOWLEDGE stored", "stored&knowledge"},
	} {
		c := NewCorpus(docs, nil)
		shown := ""
		for _, m := range c.Ranker(test.kind).Rank(Query{Text: test.message, Explain: true}) {
			for _, p := range m.Parts {
				shown += p.Detail + "|"
			}
		}
		for _, word := range strings.Split(test.want, "&") {
			if !strings.Contains(shown, word) {
				t.Errorf("%s of %q shows %q, want %q", test.kind, test.message, shown, word)
			}
		}
		for _, stem := range []string{"knowledg ", "knowledg|", "summari ", "summari|", "delet ", "delet|"} {
			if strings.Contains(shown, stem) {
				t.Errorf("%s of %q shows the stem %q: %q", test.kind, test.message, stem, shown)
			}
		}
	}
}
