package embed

import (
	"fmt"
	"log/slog"
	"testing"
)

// BenchmarkCache loads and saves 2,000 vectors of dimension 1,536, as a daemon
// with a large catalogue does when it starts and when a server is added.
func BenchmarkCache(b *testing.B) {
	space := Space{Provider: "openai", Model: "m"}
	all := records{}
	for i := range 2000 {
		text := fmt.Sprint("tool ", i)
		all[keyOf(space, text)] = record{vector: vectorOf(text, 1536)}
	}
	c := &cache{dir: b.TempDir(), most: 256 << 20, log: slog.New(slog.DiscardHandler)}
	if err := c.save(space, 1536, all); err != nil {
		b.Fatal(err)
	}
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			if _, got := c.load(space); len(got) != len(all) {
				b.Fatal(len(got))
			}
		}
	})
	b.Run("save", func(b *testing.B) {
		for b.Loop() {
			if err := c.save(space, 1536, all); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkQuery measures what the store adds to a provider's answer, and a
// repeated query.
func BenchmarkQuery(b *testing.B) {
	provider := newFake("m")
	heard := newListener()
	store := Open(Options{Dir: b.TempDir(), Published: heard.published})
	defer store.Close()
	store.SetProvider(provider)
	store.SetTexts(1, texts10())
	v := <-heard.vectors
	b.Run("repeated", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, reason := store.Query(b.Context(), v, "read the notes folder"); reason != ReasonNone {
				b.Fatal(reason)
			}
		}
	})
}
