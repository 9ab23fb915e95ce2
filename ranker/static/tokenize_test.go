package static

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// golden is one text and what the reference tokenizer makes of it.
type golden struct {
	Text   string   `json:"text"`
	Tokens []string `json:"tokens"`
}

func readGoldens(t testing.TB, path string) []golden {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var goldens []golden
	for line := range strings.Lines(string(data)) {
		var g golden
		if err := json.Unmarshal([]byte(line), &g); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		goldens = append(goldens, g)
	}
	return goldens
}

func loadModel(t testing.TB) *Model {
	t.Helper()
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// names inverts the vocabulary.
func (v *vocabulary) names() map[int32]string {
	names := map[int32]string{}
	for token, row := range v.starts {
		names[row] = token
	}
	for token, row := range v.continues {
		names[row] = continuation + token
	}
	return names
}

func (m *Model) tokenize(text string) []int32 {
	t := tokenizer{vocabulary: &m.vocabulary}
	return t.read(text)
}

// TestTokenize_AgreesWithReference compares with testdata/tokens.jsonl, written
// by testdata/tokens.mjs. WINNOW_TOKENS names another such file, for comparing
// many texts once.
func TestTokenize_AgreesWithReference(t *testing.T) {
	t.Parallel()
	path := "testdata/tokens.jsonl"
	if other := os.Getenv("WINNOW_TOKENS"); other != "" {
		path = other
	}
	m := loadModel(t)
	names := m.vocabulary.names()
	for _, g := range readGoldens(t, path) {
		want := g.Tokens[:min(len(g.Tokens), maxTokens)]
		got := []string{}
		for _, id := range m.tokenize(g.Text) {
			got = append(got, names[id])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", g.Text, got, want)
		}
	}
}
