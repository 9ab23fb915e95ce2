package static

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
)

// ones is what weighs every token alike.
var ones = slices.Repeat([]float32{1}, maxTokens)

// embedText embeds a text whose tokens all count the same.
func (m *Model) embedText(dst []float32, text string) bool {
	var buffer [maxTokens]int32
	tokens := m.Tokens(buffer[:0], text)
	return m.Embed(dst, tokens, ones[:len(tokens)])
}

func embed(t testing.TB, m *Model, text string) []float32 {
	t.Helper()
	v := make([]float32, m.Dim())
	if !m.embedText(v, text) {
		t.Fatalf("%q: found no known token", text)
	}
	return v
}

func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// checkVector embeds text and checks what Embed promises of any text.
func checkVector(t *testing.T, m *Model, text string) {
	t.Helper()
	v := slices.Repeat([]float32{7}, m.Dim())
	if !m.embedText(v, text) {
		if slices.ContainsFunc(v, func(f float32) bool { return f != 0 }) {
			t.Errorf("embedText(%q) = false and did not zero the vector", text)
		}
		return
	}
	if norm := dot(v, v); math.Abs(norm-1) > 1e-5 {
		t.Errorf("embedText(%q): squared length %v", text, norm)
	}
	again := make([]float32, m.Dim())
	if m.embedText(again, text); !slices.Equal(v, again) {
		t.Errorf("embedText(%q) differs the second time", text)
	}
}

// TestEmbed_Arithmetic pools by hand:
//
//	[UNK] scale .5 (9, 9): never counted
//	a     scale .5 (4, 0) = (2, 0)
//	##b   scale 2  (0, 1) = (0, 2)
//	c     scale 1  (-4, -2)
//	d     scale 0  (5, 5) = (0, 0)
func TestEmbed_Arithmetic(t *testing.T) {
	t.Parallel()
	m, err := Parse("test", file(
		[]string{"[UNK]", "a", "##b", "c", "d"}, 0,
		[]float32{.5, .5, 2, 1, 0}, []int8{9, 9, 4, 0, 0, 1, -4, -2, 5, 5}))
	if err != nil {
		t.Fatal(err)
	}
	half := float32(math.Sqrt(.5))
	tests := []struct {
		text string
		want []float32 // nil: no vector
	}{
		{"a", []float32{1, 0}},
		{"a a A", []float32{1, 0}},
		{"ab", []float32{half, half}}, // (2, 2)
		{"ab zz é", []float32{half, half}},
		{"abb a c", []float32{0, 1}}, // (4-4, 4-2)
		{"ab c", []float32{-1, 0}},   // (2-4, 2-2)
		{"ab ab c", []float32{0, 1}}, // (4-4, 4-2)
		{"d", nil},                   // a row of zeros has no direction
		{"a d", []float32{1, 0}},
		{"[UNK]", nil},
		{"b", nil}, // continues a word, starts none
		{"", nil},
	}
	for _, test := range tests {
		v := []float32{7, 7}
		ok := m.embedText(v, test.text)
		want := test.want
		if want == nil {
			want = []float32{0, 0}
		}
		if ok != (test.want != nil) || !slices.Equal(v, want) {
			t.Errorf("embedText(%q) = %v, %v; want %v", test.text, v, ok, test.want)
		}
	}
}

// A token of weight 1/4 counts a quarter: a is (2, 0), ##b (0, 2), so that "ab"
// is (2, 2), and (0.5, 2) with the first at a quarter.
func TestEmbed_WeighsTokens(t *testing.T) {
	t.Parallel()
	m, err := Parse("test", file([]string{"[UNK]", "a", "##b"}, 0, []float32{.5, .5, 2}, []int8{9, 9, 4, 0, 0, 1}))
	if err != nil {
		t.Fatal(err)
	}
	tokens := m.Tokens([]int32{7}, "zz ab zz")
	if want := []int32{7, 1, 2}; !slices.Equal(tokens, want) {
		t.Fatalf("tokens %v, want %v", tokens, want)
	}
	v := make([]float32, 2)
	if !m.Embed(v, tokens[1:], []float32{.25, 1}) || v[1] != 4*v[0] {
		t.Errorf("Embed = %v, want the second four times the first", v)
	}
	if m.Embed(v, tokens[1:], []float32{0, 0}) || v[0] != 0 || v[1] != 0 {
		t.Errorf("Embed of nothing = %v", v)
	}
}

// TestEmbed_MatchesFloats compares the fixed-point sums with plain float64
// arithmetic over the file.
func TestEmbed_MatchesFloats(t *testing.T) {
	t.Parallel()
	m := loadModel(t)
	for _, g := range readGoldens(t, "testdata/tokens.jsonl") {
		want := make([]float64, m.dim)
		for _, id := range m.tokenize(g.Text) {
			if id == m.vocabulary.unknown {
				continue
			}
			scale := float64(m.scales[id]) / (1 << scaleBits)
			for i := range want {
				want[i] += scale * float64(int8(m.rows[int(id)*m.dim+i]))
			}
		}
		var square float64
		for _, f := range want {
			square += f * f
		}
		got := make([]float32, m.dim)
		if ok := m.embedText(got, g.Text); ok != (square > 0) {
			t.Errorf("embedText(%q) = %v, squared length %v", g.Text, ok, square)
		}
		for i := range got {
			if square > 0 && math.Abs(float64(got[i])-want[i]/math.Sqrt(square)) > 1e-6 {
				t.Fatalf("embedText(%q)[%d] = %v, want %v", g.Text, i, got[i], want[i]/math.Sqrt(square))
			}
		}
	}
}

// TestEmbed_SameBitsEverywhere pins the exact bits of all golden texts' vectors:
// the same on amd64, arm64 and 32 bits.
func TestEmbed_SameBitsEverywhere(t *testing.T) {
	t.Parallel()
	m := loadModel(t)
	hash := fnv.New64a()
	v := make([]float32, m.Dim())
	for _, g := range readGoldens(t, "testdata/tokens.jsonl") {
		m.embedText(v, g.Text)
		for _, f := range v {
			hash.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(f)))
		}
	}
	const want = 0xa706a59e1ad458b6
	if got := hash.Sum64(); got != want {
		t.Errorf("the vectors' bits hash to %#x, want %#x; a new model file changes them, nothing else may", got, uint64(want))
	}
}

func TestEmbed_KnowsMeanings(t *testing.T) {
	t.Parallel()
	m := loadModel(t)
	tests := []struct{ query, near, far string }{
		{"take a picture of the page", "browser screenshot: capture an image of the current web page", "list the branches of a repository"},
		{"what will the sky be like tomorrow", "get weather forecast for a city", "send an e-mail to a contact"},
		{"wipe the old document", "delete file: remove a file from disk", "create calendar event"},
		{"how much does one share cost", "get stock price quote", "translate a text into another language"},
	}
	for _, test := range tests {
		query := embed(t, m, test.query)
		near, far := dot(query, embed(t, m, test.near)), dot(query, embed(t, m, test.far))
		if near < far+.1 {
			t.Errorf("%q: %.3f to %q, %.3f to %q", test.query, near, test.near, far, test.far)
		}
	}
}

func TestEmbed_OddTexts(t *testing.T) {
	t.Parallel()
	m := loadModel(t)
	tests := []struct {
		name, text string
		known      bool
	}{
		{"empty", "", false},
		{"white space", " \t\r\n\u3000", false},
		{"Chinese", "把文件夹里的笔记总结一下", false},
		{"Arabic", "مرحبا بالعالم", false},
		{"emoji alone", "🚀🚀", false},
		{"invalid UTF-8", "\xff\xfe\xfd", false},
		{"a megabyte without a space", strings.Repeat("a", 1<<20), false},
		{"a megabyte of nothing", strings.Repeat("\x00", 1<<20), false},
		{"mixed scripts", "read 文件", true},
		{"invalid UTF-8 within", "re\xffad", true},
		{"a megabyte of words", strings.Repeat("read the file ", 1<<20/14), true},
		{"a character cut by the limit", strings.Repeat("a ", maxTokens/4) + strings.Repeat("\x00", maxText) + "é", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkVector(t, m, test.text)
			if got := m.embedText(make([]float32, m.Dim()), test.text); got != test.known {
				t.Errorf("Embed = %v, want %v", got, test.known)
			}
		})
	}
}

func TestEmbed_FirstTokensCount(t *testing.T) {
	t.Parallel()
	m := loadModel(t)
	full := strings.Repeat("file ", maxTokens)
	if got := len(m.tokenize(full + "weather")); got != maxTokens {
		t.Errorf("%d tokens, want %d", got, maxTokens)
	}
	if !slices.Equal(embed(t, m, full), embed(t, m, full+"weather")) {
		t.Error("a token beyond the limit changed the vector")
	}
	longWord := strings.Repeat("file ", maxTokens-1) + strings.Repeat("q", maxWord)
	if got := len(m.tokenize(longWord)); got != maxTokens {
		t.Errorf("%d tokens when a word crosses the limit, want %d", got, maxTokens)
	}
}

func TestEmbed_DoesNotAllocate(t *testing.T) {
	m := loadModel(t)
	v := make([]float32, m.Dim())
	for _, text := range []string{
		"take a picture of the page", "Zürich 文件 naïve", strings.Repeat("q", maxWord),
		strings.Repeat("file ", maxTokens-1) + strings.Repeat("q", maxWord),
	} {
		if n := testing.AllocsPerRun(100, func() { m.embedText(v, text) }); n != 0 {
			t.Errorf("embedText(%.20q) allocates %v times", text, n)
		}
	}
}

func TestEmbed_ConcurrentUse(t *testing.T) {
	t.Parallel()
	m := loadModel(t)
	want := embed(t, m, "read the notes folder")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				if !slices.Equal(embed(t, m, "read the notes folder"), want) {
					t.Error("a concurrent Embed differs")
				}
			}
		})
	}
	group.Wait()
}

func FuzzEmbed(f *testing.F) {
	for _, g := range readGoldens(f, "testdata/tokens.jsonl") {
		f.Add(g.Text)
	}
	m := loadModel(f)
	f.Fuzz(func(t *testing.T, text string) { checkVector(t, m, text) })
}

var (
	query20  = "please read the notes in my project folder and write a short summary of them to a new file"
	document = strings.TrimSpace(strings.Repeat("create pull request review. Creates a review on a pull request with a body, comments and an event. ", 2))
)

func BenchmarkEmbed(b *testing.B) {
	m := loadModel(b)
	v := make([]float32, m.Dim())
	for _, bench := range []struct{ name, text string }{
		{"query of 19 tokens", query20}, {"description of 44 tokens", document},
		{"megabyte", strings.Repeat("read the file ", 1<<20/14)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.embedText(v, bench.text)
			}
		})
	}
}

// BenchmarkLoad parses the embedded file, as the first Load does.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(modelName, modelFile); err != nil {
			b.Fatal(err)
		}
	}
}

// A word that falls into long pieces is known, one that falls into letters is
// not: ku·ber·net·es has four pieces for ten letters, as·df two for four.
func TestModel_Knows(t *testing.T) {
	t.Parallel()
	m := loadModel(t)
	for word, want := range map[string]bool{
		"picture": true, "pdf": true, "ethereum": true, "thursday": true, "kubernetes": true, "screenhsot": true,
		"zzqx": false, "wvut": false, "asdf": false, "xyzzy": false, "": false, "q": false, "ab": false, "1990": false, "猫": false,
		strings.Repeat("picture", 20): false,
	} {
		if got := m.Knows(word); got != want {
			t.Errorf("Knows(%q) = %t", word, got)
		}
	}
}
