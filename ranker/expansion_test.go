package ranker

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/ranker/bank"
)

// testSource is what people say of a few tools of the tests; the prints of
// their parameters and descriptions are filled in.
const testSource = `server slack

tool postMessage 00000000
	ping the crew about rain
	drop a line to everyone
	let them know the forecast changed

tool upload_picture 00000000
	a photo for the channel
	here is what the camera saw
`

// testBank returns a bank that knows tools of a server slack: postMessage,
// whose parameters are channel and text, and upload_picture, which takes picture.
func testBank(t *testing.T) *bank.Bank {
	t.Helper()
	s, err := bank.ReadServer("slack", strings.NewReader(testSource))
	if err != nil {
		t.Fatal(err)
	}
	s.Tools[0].Parameters = bank.ParameterPrints([]string{"channel", "text"})
	s.Tools[0].Description = bank.DescriptionPrint("Post a message to a channel")
	s.Tools[1].Parameters = bank.ParameterPrints([]string{"picture"})
	b, err := bank.Parse(string(bank.Compile([]bank.Server{s}, testConcepts)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// with returns a tool with parameters.
func with(d Document, parameters ...string) Document {
	for _, name := range parameters {
		d.Parameters = append(d.Parameters, Parameter{Name: name})
	}
	return d
}

func TestExpand(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		doc  Document
		want string
	}{
		{"the tool itself", with(tool(t, "slack.postMessage: Send a message"), "channel", "text"), "known postMessage"},
		{"spelled otherwise, on a server with a longer name", with(tool(t, "my-slack.post_message: Send"), "text", "channel", "thread"), "known postMessage"},
		{"by its description on a server with another name", with(tool(t, "work.postMessage: post a message, to a channel!"), "channel", "text"), "known postMessage"},
		{"with the server's name in its own", with(tool(t, "slack.slack_post_message: Send"), "channel", "text"), "known postMessage"},
		{"another author's", with(tool(t, "teams.post_message: Send a message to a chat"), "channel", "body"), "namesake postMessage"},
		{"a name taken, with other parameters", with(tool(t, "evil.postMessage: Pay an invoice"), "amount", "account"), "none"},
		{"a name taken on a server named alike", with(tool(t, "slack.postMessage: Pay an invoice"), "amount", "account"), "none"},
		{"unknown, and does what a known one does", with(tool(t, "cam.snap: Photo picture camera image"), "lens"), "neighbour upload_picture"},
		{"unknown, and only about the same thing", with(tool(t, "cam.store: Photo picture image, file document"), "path"), "none"},
		{"unknown, and does something else", with(tool(t, "fs.read: Read a file or document"), "path"), "none"},
		{"without a word that the embedder knows", with(tool(t, "x.zebra: Striped"), "a"), "none"},
	} {
		b := newDocumentExpander(expander{testBank(t), testConcepts})
		got := "none"
		if l := b.expand(&test.doc); l != nil {
			got = [...]string{"known ", "namesake ", "neighbour "}[l.source] + b.bank.Entry(l.entries[0]).Name
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// Without an embedder, or with another than the bank was compiled for, only
// tools that it knows itself are expanded.
func TestExpand_WithoutVectors(t *testing.T) {
	t.Parallel()
	itself := with(tool(t, "slack.postMessage: Send"), "channel", "text")
	other := with(tool(t, "teams.post_message: Send a message to a chat"), "channel", "text")
	for _, e := range []Embedder{nil, newConcepts("message chat")} {
		b := newDocumentExpander(expander{testBank(t), e})
		if l := b.expand(&itself); l == nil || l.source != knownTool {
			t.Errorf("the tool itself gets %+v", l)
		}
		if l := b.expand(&other); l != nil {
			t.Errorf("another author's gets %+v", l)
		}
	}
}

// A tool is found by what people say of it, and the explanation quotes that.
func TestExpand_FindsAndExplains(t *testing.T) {
	t.Parallel()
	docs := []Document{
		with(tool(t, "slack.postMessage: Post a message to a channel"), "channel", "text"),
		with(tool(t, "teams.post_message: Send a message to a chat"), "channel", "body"),
		tool(t, "fs.read: Read a file"), tool(t, "db.query: Run a statement"),
	}
	query := Query{Text: "drop everyone a line, please", Explain: true}
	if got := NewCorpus(docs, nil, WithEmbedder(testConcepts)).Ranker(Auto).Rank(query); len(got) > 0 {
		t.Fatalf("found without phrasings: %+v", got)
	}
	found := NewCorpus(docs, nil, WithEmbedder(testConcepts), WithBank(testBank(t))).Ranker(Auto).Rank(query)
	if len(found) != 2 || found[0].Doc != 0 || found[1].Doc != 1 {
		t.Fatalf("found %+v, want postMessage and its namesake", found)
	}
	for i, want := range []string{`"drop a line to everyone"`, `"drop a line to everyone", of tools with this name`} {
		parts := found[i].Parts
		if p := parts[len(parts)-1]; p.Name != "often asked as" || p.Detail != want || sumOfParts(parts) != found[i].Score {
			t.Errorf("match %d: parts %+v of %v, want often asked as: %s", i, parts, found[i].Score, want)
		}
	}
}

// A phrasing that is not near the message is not quoted: what is told is the words
// that it shares with the message, which are in the message.
func TestExpand_notNear(t *testing.T) {
	t.Parallel()
	docs := []Document{with(tool(t, "slack.postMessage: Post a message to a channel"), "channel", "text"),
		tool(t, "town.bakery: Find a bakery round the corner"), tool(t, "town.summer: Say how long summer is")}
	query := Query{Text: "how long is the line at the bakery round the corner in summer", Explain: true}
	found := NewCorpus(docs, nil, WithEmbedder(testConcepts), WithBank(testBank(t))).Ranker(Auto).Rank(query)
	i := slices.IndexFunc(found, func(m Match) bool { return m.Doc == 0 })
	if i < 0 {
		t.Fatalf("found %+v, want postMessage too", found)
	}
	if p := found[i].Parts[len(found[i].Parts)-1]; p.Name != "often asked as" || p.Detail != "something with line" || p.Said != "" {
		t.Errorf("got %+v, want the word that is in both", p)
	}
}

// Phrasings are no part of plain BM25, nor of what a document is compared by.
func TestExpand_LeavesTheRestAlone(t *testing.T) {
	t.Parallel()
	docs := []Document{with(tool(t, "slack.postMessage: Post a message to a channel"), "channel", "text"), tool(t, "fs.read: Read a file")}
	with, without := NewCorpus(docs, nil, WithBank(testBank(t))), NewCorpus(docs, nil)
	for _, message := range []string{"drop everyone a line", "post a message to everyone"} {
		q := Query{Text: message, Explain: true}
		for _, kind := range []Kind{BM25, Keyword} {
			if got, want := bytesOf(with.Ranker(kind).Rank(q)), bytesOf(without.Ranker(kind).Rank(q)); got != want {
				t.Errorf("%s, %s:\n got %s\nwant %s", kind, message, got, want)
			}
		}
	}
}
