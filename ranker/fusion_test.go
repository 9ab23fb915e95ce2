package ranker

import (
	"fmt"
	"strings"
	"testing"
)

// names returns the names of a corpus's rankers for the kinds asked for.
func TestFusion_NameSaysWhatRanks(t *testing.T) {
	t.Parallel()
	words := NewCorpus(office(t), nil)
	both := NewCorpus(office(t), nil, WithEmbedder(testConcepts))
	for _, test := range []struct {
		corpus *Corpus
		kind   Kind
		want   string
	}{
		{words, Auto, "bm25f"}, {words, Hybrid, "bm25f"}, {words, Embeddings, "bm25f"},
		{both, Auto, "hybrid"}, {both, Hybrid, "hybrid"}, {both, Embeddings, "embeddings"},
		{both, BM25, "bm25"}, {both, Keyword, "keyword"}, {both, "unheard of", "hybrid"},
	} {
		if got := test.corpus.Ranker(test.kind).Name(); got != test.want {
			t.Errorf("ranker %q is named %q, want %q", test.kind, got, test.want)
		}
	}
}

func TestFusion_FindsByMeaningWhatSharesNoWord(t *testing.T) {
	t.Parallel()
	docs := append(office(t), tool(t, "sky.forecast: Outlook for a city"))
	c := NewCorpus(docs, nil, WithEmbedder(testConcepts))
	const query = "will I require an umbrella"
	if got := ids(c, c.Ranker(Auto).Rank(Query{Text: query})); got != "sky.forecast" {
		t.Errorf("hybrid found %q, want sky.forecast", got)
	}
	if got := ids(c, c.Ranker(BM25).Rank(Query{Text: query})); got != "" {
		t.Errorf("bm25 found %q without a shared word", got)
	}
}

func TestFusion_GoldenOrder(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil, WithEmbedder(testConcepts))
	for _, test := range []struct{ query, first string }{
		{"send slack message", "slack.postMessage"},
		{"SELECT name FROM customers", "postgres.query"},
		{"erase that document", "files.delete_file"},
		{"open a PR, please", "github.create_pull_request"},
		{"combine a.pdf with b.pdf", "pdf.merge"},
		{"明天天气怎么样", "天气.查询"},
	} {
		got := c.Ranker(Auto).Rank(Query{Text: test.query, Limit: 1})
		if ids(c, got) != test.first {
			t.Errorf("%q finds %q first, want %s", test.query, ids(c, got), test.first)
		}
	}
}

func TestFusion_AsksForNothing(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil, WithEmbedder(testConcepts))
	for _, query := range []string{"", "   ", "could you please help me", "?!", "🚀"} {
		if got := c.Ranker(Auto).Rank(Query{Text: query}); len(got) != 0 {
			t.Errorf("%q found %s", query, ids(c, got))
		}
	}
}

// Every step of the message gets its best tool before any gets its tenth.
func TestFusion_EveryStepGetsItsTools(t *testing.T) {
	t.Parallel()
	docs := tools(t, "bank.pay_invoice: Pay an invoice", "sky.forecast: Weather forecast")
	for _, verb := range strings.Fields("resize crop rotate sharpen blur flip mirror tint scale trim frame stamp") {
		docs = append(docs, tool(t, "img."+verb+"_photo: "+verb+" a photo or picture from the camera"))
	}
	// Among these, a photo is nothing common.
	for i := range 400 {
		docs = append(docs, tool(t, fmt.Sprintf("disk.t%d: Folder", i)))
	}
	rank := func(weights Weights) string {
		c := NewCorpus(docs, nil, WithEmbedder(testConcepts), WithWeights(weights))
		return ids(c, c.Ranker(Auto).Rank(Query{Limit: 9, Text: "Take the large photo from my new camera and resize" +
			" the photo to a small picture. Pay the open invoice. Get the weather forecast for tomorrow."}))
	}
	got := rank(DefaultWeights())
	for _, want := range []string{"img.resize_photo", "bank.pay_invoice", "sky.forecast"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not among the first nine: %s", want, got)
		}
	}
	without := DefaultWeights()
	*without.Signals.Of("step") = 0
	if got := rank(without); strings.Contains(got, "bank") && strings.Contains(got, "sky") {
		t.Errorf("without steps the first nine are %s: the test shows nothing", got)
	}
}

// A short answer is the beginning of the long one: looking at a pool of
// documents only changes nothing that shows.
func TestFusion_ShortAnswerIsTheBeginningOfTheLong(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil, WithEmbedder(testConcepts))
	query := Query{Text: "read a file and tell the team in slack"}
	all := c.Ranker(Auto).Rank(query)
	for limit := 1; limit <= len(all); limit++ {
		query.Limit = limit
		if got := c.Ranker(Auto).Rank(query); bytesOf(got) != bytesOf(all[:limit]) {
			t.Errorf("limit %d gives %v, want %v", limit, got, all[:limit])
		}
	}
}

func TestFusion_EveryPartHasANameAndADetail(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil, WithEmbedder(testConcepts))
	found := c.Ranker(Auto).Rank(Query{
		Text: "Show the slack folder and its file. Is there a document about weather prices?", Explain: true,
		Earlier: []string{"delete the file"}, Called: []int{4},
		Uses:   func(int) float64 { return 2 },
		Memory: remember("show the slack file", "slack.postMessage"),
	})
	seen := map[string]bool{}
	for _, m := range found {
		for _, p := range m.Parts {
			seen[p.Name] = true
			if p.Name == "" || p.Value == 0 || p.Detail == "" && p.Name != "recent use" {
				t.Errorf("part %+v of %s says nothing", p, c.Document(m.Doc).ID)
			}
		}
	}
	for _, want := range []string{"name", "description", "meaning", "step", "server's other tools",
		"server named", "earlier messages", "server in use", "recent use", "remembered", "only asks to see"} {
		if !seen[want] {
			t.Errorf("no part is named %q; there are %v", want, seen)
		}
	}
}
