package tokens

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// TestCounter_Count compares with what js-tiktoken 1.0.21 and gpt-tokenizer
// 4.0.0 count, which agree on each. The first ones are also in OpenAI's
// cookbook, "How to count tokens with tiktoken".
func TestCounter_Count(t *testing.T) {
	t.Parallel()
	c := New()
	for text, want := range map[string]int{
		"antidisestablishmentarianism": 6,
		"2 + 2 = 4":                    7,
		"お誕生日おめでとう":                    8,
		"":                             0,
		"hello world":                  2,
		"tiktoken is great!":           6,
		"  leading  and   inner spaces\n\n\n\ttab": 9,
		"emoji 👩‍👩‍👧 💥":                            11,
		strings.Repeat("x", 1000):                  125,
		strings.Repeat("1234567890", 10):           34,
		"I'll we've DON'T they're":                 4,
		"Ünïcödé ÅÄÖ ﬁ":                            9,
		"\x00\x01\uFFFD":                           3,
		`{"name":"create_issue","description":"Create an issue in a repository.","inputSchema":{"type":"object",` +
			`"properties":{"title":{"type":"string"},"labels":{"type":"array","items":{"type":"string"}}},` +
			`"required":["title"]}}`: 49,
	} {
		if got := c.Count(text); got != want {
			t.Errorf("%.40q takes %d tokens, want %d", text, got, want)
		}
	}
}

// TestCounter_SpecialTokens: in a tool's description they are plain text, and
// are counted as that.
func TestCounter_SpecialTokens(t *testing.T) {
	t.Parallel()
	c := New()
	for text, want := range map[string]int{
		"<|endoftext|>": 7, "a<|endofprompt|>b <|im_start|>system": 16,
	} {
		if got := c.Count(text); got != want {
			t.Errorf("%q takes %d tokens, want %d", text, got, want)
		}
	}
}

// TestCounter_InvalidText is counted, not refused.
func TestCounter_InvalidText(t *testing.T) {
	t.Parallel()
	if got := New().Count("a\xff\xfeb"); got < 2 || got > 8 {
		t.Errorf("%d tokens", got)
	}
}

// TestCounter_LongText: a long text is counted in parts, and comes to the same
// as in one.
func TestCounter_LongText(t *testing.T) {
	t.Parallel()
	c := New()
	rng := rand.New(rand.NewPCG(1, 1))
	pieces := []string{" the", " repository", "  ", "\n", "\n\n", " 日本語", "é", " ", ". ", `"},"description":"`, " 12345", " don't", "\t x", "_id", " 💥"}
	for shift := range 5 {
		text := strings.Repeat("x", shift) + strings.Repeat("ab cd  \n", maxPart/3)
		whole, err := c.codec.Count(text)
		if got := c.Count(text); err != nil || got != whole {
			t.Errorf("%d tokens in parts, %d in one", got, whole)
		}
		var b strings.Builder
		for b.Len() < 3*maxPart {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		whole, err = c.codec.Count(b.String())
		if got := c.Count(b.String()); err != nil || got != whole {
			t.Errorf("%d tokens in parts, %d in one", got, whole)
		}
	}
}

// FuzzCounter_Count: counted word by word, a text comes to the same as in one.
func FuzzCounter_Count(f *testing.F) {
	for _, text := range []string{
		"don't DON'T they'll 'tis x'sy we're' users' a'7 7's", "a   7  b 12345\n\n  c\t\r\n d  ", "HTTPServer getURL_v2.3.4-beta/x//\n y",
		"caf\u00e9 9\u0301 \u0661\u0662 \u65e5\u672c'\u8a9e a\u0308b \u00ab x \u00bb \u00bd3", `{"type":"object","properties":{"a b":{"enum":["1","-2.5e10"]}}}`,
		"x\x00y\x7fz\x01 \v\f9", "a\xff7\xfeb 's '", "A\u01c5b \u02b0c '\u017f s'\u017f",
	} {
		f.Add(text)
	}
	c := New()
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxPart {
			return
		}
		whole, err := c.codec.Count(text)
		for range 2 { // the second time by what is kept
			if got := c.Count(text); err == nil && got != whole {
				t.Errorf("%q: %d tokens word by word, %d in one", text, got, whole)
			}
		}
	})
}

// TestCounter_Wall: a text without a space, of which a megabyte would take half
// a minute at once, is counted in parts, and cut within no character.
func TestCounter_Wall(t *testing.T) {
	t.Parallel()
	c := New()
	if got := c.Count(strings.Repeat("x", 1<<18)); got != 1<<18/8 {
		t.Errorf("%d tokens", got)
	}
	for _, text := range []string{strings.Repeat("日", 5000), "a" + strings.Repeat("日", 5000), "ab" + strings.Repeat("💥", 5000), strings.Repeat("\xff", 100)} {
		if end := seam(text); end < len(text)-3 || end <= 0 || utf8.ValidString(text) && !utf8.ValidString(text[:end]) {
			t.Errorf("cut at %d of %d", end, len(text))
		}
		if cut := text[:len(text)-1]; utf8.ValidString(text) {
			if end := seam(cut); !utf8.ValidString(cut[:end]) {
				t.Errorf("%.10q is cut within a character", text)
			}
		}
	}
}

// TestCounter_Concurrent: one counter serves all.
func TestCounter_Concurrent(t *testing.T) {
	t.Parallel()
	c := New()
	var wg sync.WaitGroup
	got := make([]int, 8)
	for i := range got {
		wg.Go(func() { got[i] = c.Count(strings.Repeat("create an issue ", 200)) })
	}
	wg.Wait()
	for _, n := range got {
		if n != got[0] || n == 0 {
			t.Errorf("counts %v", got)
		}
	}
}

func BenchmarkCounter_Count(b *testing.B) {
	c := New()
	for name, text := range map[string]string{
		"tool": strings.Repeat(`{"type":"string","description":"The branch to compare with."},`, 16),
		"wall": strings.Repeat("x", 1<<20),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				c.Count(text)
			}
		})
	}
}
