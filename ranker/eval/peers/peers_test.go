package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/ranker/internal/synthetic"
	"github.com/winnow-mcp/winnow/ranker/static"
)

func TestPeers_FindTheObvious(t *testing.T) {
	docs := []ranker.Document{
		{ID: "a", Server: "slack", Name: "postMessage", Description: "Post a message to a channel"},
		{ID: "b", Server: "files", Name: "delete_file", Description: "Delete a file"},
	}
	for _, p := range peers() {
		rank := p.Prepare(docs)
		if got := rank("please delete the files"); len(got) == 0 || got[0] != 1 {
			t.Errorf("%s: %v, want 1 first", p.Name, got)
		}
		if got := rank("zebra"); len(got) != 0 {
			t.Errorf("%s: %v for a word no tool has", p.Name, got)
		}
		if got := rank(""); len(got) != 0 {
			t.Errorf("%s: %v for nothing", p.Name, got)
		}
	}
}

func TestWords(t *testing.T) {
	for in, want := range map[string]string{"create_issue": "create issue", "postMessage": "post Message", "a-b": "a b", "": ""} {
		if got := words(in); got != want {
			t.Errorf("words(%q) = %q, want %q", in, got, want)
		}
	}
}

func BenchmarkRank(b *testing.B) {
	model, err := static.Load()
	if err != nil {
		b.Fatal(err)
	}
	messages := synthetic.Messages(64, 1)
	list := append(peers(), winnow(model))
	for _, n := range []int{1_000, 5_000, 50_000} {
		docs := synthetic.Catalogue(n, 1)
		for _, p := range list {
			b.Run(fmt.Sprintf("%s/%d", p.Name, n), func(b *testing.B) {
				rank := p.Prepare(docs)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					rank(messages[i%len(messages)])
				}
			})
		}
	}
}

func TestWinnow_RanksTheSameDocuments(t *testing.T) {
	model, err := static.Load()
	if err != nil {
		t.Fatal(err)
	}
	docs := synthetic.Catalogue(50, 1)
	got := winnow(model).Prepare(docs)(docs[3].Description)
	if !slices.Contains(got[:min(3, len(got))], 3) {
		t.Errorf("%v, want 3 among the first three", got)
	}
}
