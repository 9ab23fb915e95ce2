package ranker

import (
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/ranker/signals"
)

// Every weight does something: without it some answer changes. A weight that
// nothing depends on is dead.
func TestWeights_EachChangesSomeAnswer(t *testing.T) {
	t.Parallel()
	docs := append(office(t), tools(t, "copy.postMessage: Post a message to a Slack channel", "slack.list: List what is there",
		"cam.snap: Photo picture camera image")...)
	for i := range docs {
		docs[i].Title = "Tool " + docs[i].Name
		docs[i].Parameters = []Parameter{{Name: "file message price", Description: "the camera file message to take in the request"}}
		if docs[i].Name == "postMessage" { // which the bank knows
			docs[i] = with(docs[i], "channel")
		}
	}
	docs = append(docs, kitOf(t, "hub.list_spaces: Enumerate", "hub.open(spaceId): An umbrella")...)
	queries := []Query{
		{Text: "show the slack message or picture about rain. what is in the /tmp/a.png document, and is there an invoice for it?"},
		{Text: "send a slack message", Earlier: []string{"delete the file"}, Called: []int{4},
			Uses: func(doc int) float64 { return float64(doc) }, Families: []Family{{"slack", "x"}, {"files", "x"}, {"github", "x"}}, Memory: remember("send a slack message", "pdf.merge")},
		{Text: "what file is there", Vector: []float32{1, 0.5}},
		{Text: "purchase erase make picture"},
		{Text: "umbrella and file"},
		{Text: "what does this say about the umbrella?\n\n" + strings.Repeat("\tat file.pdf(message.go:12)\n", 20)},
		{Text: "zeige mir das Dokument und die Nachricht"},
		{Text: "drop everyone a line about the photo that the camera saw"},
	}
	phrasings := testBank(t)
	answers := func(w Weights) string {
		c := NewCorpus(docs, nil, WithEmbedder(testConcepts), WithBank(phrasings), WithWeights(w))
		c, err := c.WithVectors("m", planeVectors(len(docs)))
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, q := range queries {
			out += bytesOf(c.Ranker(Auto).Rank(q))
		}
		return out
	}
	standard := answers(DefaultWeights())
	for _, s := range signals.All {
		w := DefaultWeights()
		*w.Signals.Of(s.Name) = s.Weight*0.5 + 0.01
		if answers(w) == standard {
			t.Errorf("nothing depends on %s", s.Name)
		}
	}
	for i := 1; i < reflect.TypeFor[Weights]().NumField(); i++ {
		w := DefaultWeights()
		f := reflect.ValueOf(&w).Elem().Field(i)
		f.SetFloat(f.Float()*0.5 + 0.01)
		if answers(w) == standard {
			t.Errorf("nothing depends on %s", reflect.TypeFor[Weights]().Field(i).Name)
		}
	}
}

// planeVectors returns n vectors of two dimensions in different directions.
func planeVectors(n int) [][]float32 {
	vectors := make([][]float32, n)
	for i := range vectors {
		vectors[i] = []float32{1, float32(i) / float32(n)}
	}
	return vectors
}
