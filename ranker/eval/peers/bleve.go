package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"

	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/ranker/eval/evaluate"
)

// prepareBleve indexes a catalogue in memory with Bleve's English analyser. It panics on
// an error of the engine, because there is nothing to measure then.
func prepareBleve(docs []ranker.Document) func(string) []int {
	mapping := bleve.NewIndexMapping()
	mapping.DefaultAnalyzer = en.AnalyzerName
	index, err := bleve.NewMemOnly(mapping)
	if err != nil {
		panic(fmt.Errorf("open a Bleve index: %w", err))
	}
	batch := index.NewBatch()
	for i := range docs {
		if err := batch.Index(strconv.Itoa(i), fields(&docs[i])); err != nil {
			panic(fmt.Errorf("index %s with Bleve: %w", docs[i].ID, err))
		}
	}
	if err := index.Batch(batch); err != nil {
		panic(fmt.Errorf("index with Bleve: %w", err))
	}
	return func(message string) []int {
		request := bleve.NewSearchRequestOptions(bleve.NewMatchQuery(message), evaluate.Depth, 0, false)
		found, err := index.Search(request)
		if err != nil {
			panic(fmt.Errorf("search with Bleve: %w", err))
		}
		answer := make([]int, len(found.Hits))
		for i, hit := range found.Hits {
			answer[i], _ = strconv.Atoi(hit.ID) // the IDs are the ordinals from above
		}
		return answer
	}
}

// fields returns the texts of a document, with identifiers also as words, because neither
// engine splits them.
func fields(d *ranker.Document) map[string]string {
	var names, texts []string
	for _, p := range d.Parameters {
		names, texts = append(names, p.Name, words(p.Name)), append(texts, p.Description)
	}
	return map[string]string{
		"server": d.Server + " " + words(d.Server), "name": d.Name + " " + words(d.Name),
		"description": d.Description,
		"parameters":  strings.Join(names, " ") + " " + strings.Join(texts, " "),
	}
}

// words returns an identifier as words.
func words(identifier string) string {
	var b strings.Builder
	previous := ' '
	for _, r := range identifier {
		switch {
		case strings.ContainsRune("_-./:{}", r):
			r = ' '
		case 'A' <= r && r <= 'Z' && 'a' <= previous && previous <= 'z':
			b.WriteRune(' ')
		}
		b.WriteRune(r)
		previous = r
	}
	return b.String()
}
