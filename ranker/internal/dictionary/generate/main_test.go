package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/ranker/internal/dictionary"
)

// maxTable is the most bytes that the table may add to the binary.
const maxTable = 1_500_000

func TestTable_IsThatOfTheLists(t *testing.T) {
	t.Parallel()
	want, err := compileFolder("../words")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../words.table")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("words.table is not what the lists in words give; run go generate ./ranker/internal/dictionary")
	}
	if len(got) > maxTable {
		t.Errorf("words.table has %d bytes, want at most %d", len(got), maxTable)
	}
}

// A list is in order, so that two people who add words do not collide at its end.
func TestLists_AreInOrder(t *testing.T) {
	t.Parallel()
	for _, language := range dictionary.Languages {
		s, err := readSource("../words", language.Code)
		if err != nil {
			t.Error(err)
			continue
		}
		for i := 1; i < len(s.lines); i++ {
			if a, b := strings.ToLower(s.lines[i-1].english), strings.ToLower(s.lines[i].english); a >= b {
				t.Errorf("%s.txt: %q stands before %q", language.Code, a, b)
			}
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	got, err := parse("# a note\n\ngrammar: der, die\nimage: Bild , Bilder\n")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.grammar, []string{"der", "die"}) || len(got.lines) != 1 ||
		got.lines[0].english != "image" || !slices.Equal(got.lines[0].forms, []string{"Bild", "Bilder"}) {
		t.Errorf("parsed %+v", got)
	}
}

func TestParse_Errors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want string }{
		{"image Bild", `1: "image Bild" is no line of a word list`},
		{": Bild", "1: "},
		{"# x\nimage: Bild,", `2: "image" has an empty form`},
		{"image: Bild, Bild", `1: "image" has the form "Bild" twice`},
		{"image: Bild\nImage: Foto", `2: "Image" has a line already, line 1`},
	} {
		if _, err := parse(test.in); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("parse(%q): error %v, want %q", test.in, err, test.want)
		}
	}
}

func TestReadSource_NamesTheFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(folder+"/de.txt", []byte("nothing\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for code, want := range map[string]string{"de": "de.txt:1: ", "xx": `read the words of "xx": `} {
		if _, err := readSource(folder, code); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", code, err, want)
		}
	}
}

func TestCompile_LikeliestFirst(t *testing.T) {
	t.Parallel()
	// "seite" is the first form of page and the second of side: 1 against 1/2.
	words := likeliest(map[string]float64{"side": 0.5, "page": 1, "a": 0.1, "b": 0.1, "c": 0.1})
	if got := strings.Join(words, " "); got != "page side a" {
		t.Errorf("likeliest %q, want page side a", got)
	}
}
