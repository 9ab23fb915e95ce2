package ranker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/ranker/signals"
)

// tool makes a document out of "server.name: description".
func tool(t testing.TB, s string) Document {
	t.Helper()
	identity, description, ok := strings.Cut(s, ": ")
	server, name, dotted := strings.Cut(identity, ".")
	if !ok || !dotted {
		t.Fatalf("%q is not server.name: description", s)
	}
	return Document{ID: identity, Server: server, Name: name, Description: description}
}

func tools(t testing.TB, lines ...string) []Document {
	t.Helper()
	docs := make([]Document, len(lines))
	for i, line := range lines {
		docs[i] = tool(t, line)
	}
	return docs
}

// ids returns the IDs of matches, best first, separated by spaces.
func ids(c *Corpus, matches []Match) string {
	out := make([]string, len(matches))
	for i, m := range matches {
		out[i] = c.Document(m.Doc).ID
	}
	return strings.Join(out, " ")
}

// bytesOf writes matches out in full, for comparing answers byte by byte.
func bytesOf(matches []Match) string { return fmt.Sprintf("%+v", matches) }

// kinds are the rankers that every general property is tested on.
var kinds = []Kind{Auto, BM25, Keyword}

func office(t testing.TB) []Document {
	return tools(t,
		"postgres.query: Run a read-only SQL query",
		"slack.postMessage: Post a message to a Slack channel",
		"jira.createIssue: Create an issue and send it to the team",
		"files.read_file: Read the contents of a file",
		"files.delete_file: Delete a file for ever",
		"github.create_pull_request: Open a pull request (PR) in a repository",
		"pdf.merge: Join PDFs to one document",
		"天气.查询: 查询城市的天气预报",
	)
}

func TestRank_GoldenOrder(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	for _, test := range []struct{ query, want string }{
		{"send slack message", "slack.postMessage jira.createIssue"},
		{"sql", "postgres.query"},
		{"open a PR", "github.create_pull_request"},
		{"merge two pdf", "pdf.merge"},
		{"create_issue", "jira.createIssue github.create_pull_request"},
		{"createIssue", "jira.createIssue github.create_pull_request"},
		{"reading files", "files.read_file files.delete_file postgres.query"},
		{"明天天气怎么样", "天气.查询"},
		{"the of and", ""},
		{"zebra", ""},
		{"", ""},
	} {
		t.Run(test.query, func(t *testing.T) {
			t.Parallel()
			if got := ids(c, c.Ranker(BM25).Rank(Query{Text: test.query})); got != test.want {
				t.Errorf("order for %q:\n got %s\nwant %s", test.query, got, test.want)
			}
		})
	}
}

func TestRank_ParametersAreSearched(t *testing.T) {
	t.Parallel()
	docs := office(t)
	docs[0].Parameters = []Parameter{{Name: "maxRows", Description: "Upper bound on returned tuples"}}
	c := NewCorpus(docs, nil)
	for _, query := range []string{"rows", "tuple"} {
		if got := ids(c, c.Ranker(BM25).Rank(Query{Text: query})); got != "postgres.query" {
			t.Errorf("order for %q: %q, want postgres.query", query, got)
		}
	}
}

// BM25 over two documents of one word each, "alpha" and "alpha": both score
// idf·tf·(k1+1)/(tf+k1·1) = ln(1+0.5/2.5)·1·2.5/2.5 = 0.18232, and the tie
// breaks by ID.
func TestBM25_Arithmetic(t *testing.T) {
	t.Parallel()
	c := NewCorpus([]Document{{ID: "b", Name: "alpha"}, {ID: "a", Name: "alpha"}}, nil)
	got := c.Ranker(BM25).Rank(Query{Text: "alpha"})
	if ids(c, got) != "a b" || got[0].Score != signals.Round(0.1823215567939546) || got[1].Score != got[0].Score {
		t.Errorf("got %+v, want a and b at 0.18232", got)
	}
}

func TestRank_LimitKeepsTheBest(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	for _, kind := range kinds {
		all := c.Ranker(kind).Rank(Query{Text: "read or delete a file, create an issue"})
		for limit := 1; limit <= len(all); limit++ {
			got := c.Ranker(kind).Rank(Query{Text: "read or delete a file, create an issue", Limit: limit})
			if bytesOf(got) != bytesOf(all[:limit]) {
				t.Errorf("%s: limit %d gives %v, want %v", kind, limit, got, all[:limit])
			}
		}
	}
}

func TestRank_OnlyEligible(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	only := func(doc int) bool { return doc == 4 }
	for _, kind := range kinds {
		got := c.Ranker(kind).Rank(Query{Text: "read or delete a file", Eligible: only})
		if ids(c, got) != "files.delete_file" {
			t.Errorf("%s: got %s, want files.delete_file alone", kind, ids(c, got))
		}
	}
}

func TestRank_RecentUseAddsHalfAPoint(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil)
	uses := func(doc int) float64 { return map[int]float64{4: 3}[doc] }
	plain := c.Ranker(BM25).Rank(Query{Text: "delete file"})
	used := c.Ranker(BM25).Rank(Query{Text: "delete file", Uses: uses, Explain: true})
	if got := used[0].Score - plain[0].Score; got != 1.5 {
		t.Errorf("three uses added %v, want 1.5", got)
	}
	last := used[0].Parts[len(used[0].Parts)-1]
	if last.Name != "recent use" || last.Value != 1.5 {
		t.Errorf("last part is %+v, want recent use 1.5", last)
	}
}

func TestRank_PartsAddUpAndExplainChangesNothing(t *testing.T) {
	t.Parallel()
	docs := office(t)
	docs[0].Parameters = []Parameter{{Name: "file", Description: "file to read the query from"}}
	c := NewCorpus(docs, nil)
	query := Query{
		Text:   "read a file, query it, then create an issue and send a message",
		Uses:   func(doc int) float64 { return float64(doc) / 7 },
		Pinned: func(doc int) bool { return doc == 6 },
	}
	for _, kind := range kinds {
		plain := c.Ranker(kind).Rank(query)
		explained := query
		explained.Explain = true
		for i, m := range c.Ranker(kind).Rank(explained) {
			if m.Doc != plain[i].Doc || m.Score != plain[i].Score {
				t.Errorf("%s: place %d is %v explained and %v plain", kind, i, m, plain[i])
			}
			if got := sumOfParts(m.Parts); got != m.Score || len(m.Parts) == 0 {
				t.Errorf("%s: parts of document %d add up to %v, score is %v: %+v", kind, m.Doc, got, m.Score, m.Parts)
			}
		}
	}
}

func TestRank_SameAnswerEveryTime(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		query := Query{Text: "read a file, query it, create an issue, send a message", Explain: true}
		want := bytesOf(NewCorpus(office(t), nil).Ranker(kind).Rank(query))
		for range 20 {
			if got := bytesOf(NewCorpus(office(t), nil).Ranker(kind).Rank(query)); got != want {
				t.Fatalf("%s: answers differ:\n%s\n%s", kind, got, want)
			}
		}
	}
}

func TestRank_EmptyCorpusAndOneDocument(t *testing.T) {
	t.Parallel()
	none := NewCorpus(nil, nil)
	one := NewCorpus(office(t)[:1], nil)
	for _, kind := range kinds {
		if got := none.Ranker(kind).Rank(Query{Text: "query"}); len(got) != 0 {
			t.Errorf("%s: %v out of an empty corpus", kind, got)
		}
		if got := one.Ranker(kind).Rank(Query{Text: "run a query"}); len(got) != 1 {
			t.Errorf("%s: %v out of a corpus of one, want one match", kind, got)
		}
	}
}
