package ranker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/ranker/internal/synthetic"
	"github.com/winnow-mcp/winnow/ranker/static"
)

// builtin returns the options that the product ranks with.
func builtin(b *testing.B) []ranker.Option {
	b.Helper()
	model, err := static.Load()
	if err != nil {
		b.Fatal(err)
	}
	phrasings, err := bank.Load()
	if err != nil {
		b.Fatal(err)
	}
	return []ranker.Option{ranker.WithEmbedder(model), ranker.WithBank(phrasings)}
}

func BenchmarkRank(b *testing.B) {
	messages := synthetic.Messages(64, 1)
	for _, n := range []int{100, 1_000, 5_000, 10_000, 50_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := ranker.NewCorpus(synthetic.Catalogue(n, 1), nil, builtin(b)...).Ranker(ranker.Auto)
			r.Rank(ranker.Query{Text: messages[0]})
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r.Rank(ranker.Query{Text: messages[i%len(messages)], Limit: 30})
			}
		})
	}
}

// BenchmarkRank_Long measures messages of 3,000 characters over 1,000 tools: one
// with a log in it, and one that is prose from end to end.
func BenchmarkRank_Long(b *testing.B) {
	messages := synthetic.Messages(64, 1)
	log := strings.Repeat("2026-11-21T04:00:00Z ERROR worker[12] could not read /var/log/x.log: EOF\n", 40)
	r := ranker.NewCorpus(synthetic.Catalogue(1_000, 1), nil, builtin(b)...).Ranker(ranker.Auto)
	for name, text := range map[string]string{
		"log":   messages[0] + "\n\n" + log[:2_900],
		"prose": strings.Join(messages, ", ")[:3_000],
	} {
		b.Run(name, func(b *testing.B) {
			r.Rank(ranker.Query{Text: text, Limit: 30})
			b.ReportAllocs()
			for b.Loop() {
				r.Rank(ranker.Query{Text: text, Limit: 30})
			}
		})
	}
}

// BenchmarkCorpusBuild measures a new catalogue and one of which a server of
// 50 tools changed or made way for another, up to the first answer.
func BenchmarkCorpusBuild(b *testing.B) {
	query := ranker.Query{Text: "create an issue", Limit: 1}
	options := builtin(b)
	docs := synthetic.Catalogue(2_000, 1)
	b.Run("2000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ranker.NewCorpus(docs, nil, options...).Ranker(ranker.Auto).Rank(query)
		}
	})
	b.Run("50of2000changed", func(b *testing.B) {
		prev := ranker.NewCorpus(docs, nil, options...)
		prev.Ranker(ranker.Auto).Rank(query)
		changed := append([]ranker.Document(nil), docs...)
		for i := range 50 {
			changed[i].Description += " changed"
		}
		b.ReportAllocs()
		for b.Loop() {
			ranker.NewCorpus(changed, prev, options...).Ranker(ranker.Auto).Rank(query)
		}
	})
	// Another server in the place of one changes how common words are, and with
	// that other tools' vectors.
	b.Run("50of2000replaced", func(b *testing.B) {
		prev := ranker.NewCorpus(docs, nil, options...)
		prev.Ranker(ranker.Auto).Rank(query)
		replaced := append([]ranker.Document(nil), docs...)
		copy(replaced, synthetic.Catalogue(50, 2))
		b.ReportAllocs()
		for b.Loop() {
			ranker.NewCorpus(replaced, prev, options...).Ranker(ranker.Auto).Rank(query)
		}
	})
}
