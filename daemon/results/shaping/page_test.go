package shaping_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/daemon/results/shaping"
)

func TestPageAt_allPartsAreTheDocument(t *testing.T) {
	t.Parallel()
	document := strings.Repeat("aé漢😀\n", 77) + "end"
	total := utf8.RuneCountInString(document)
	var whole strings.Builder
	offset := 0
	for offset < total {
		part, err := shaping.PageAt(document, offset, 40)
		if err != nil {
			t.Fatal(err)
		}
		if part.Text == "" {
			t.Fatal("an empty part")
		}
		whole.WriteString(part.Text)
		offset += utf8.RuneCountInString(part.Text)
		if last := offset == total; strings.Contains(part.Note, "the end") != last || strings.Contains(part.Note, "Next") == last {
			t.Errorf("at %d of %d: %s", offset, total, part.Note)
		}
	}
	if whole.String() != document {
		t.Error("the parts are not the document")
	}
	for _, wrong := range []int{-1, total + 1} {
		if _, err := shaping.PageAt(document, wrong, 40); err == nil {
			t.Errorf("offset %d is taken", wrong)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	const document = "one\ntwo\r\nthree\nfour"
	for span, want := range map[string]string{
		"2": "two\r\n", "2-3": "two\r\nthree\n", "3-": "three\nfour", " 1 - 1 ": "one\n", "3-99": "three\nfour",
	} {
		if part, err := shaping.Lines(document, span, 100); err != nil || part.Text != want {
			t.Errorf("%q: %q, %v", span, part.Text, err)
		}
	}
	for _, wrong := range []string{"", "0", "x", "3-2", "5", "-1", "1-x"} {
		if part, err := shaping.Lines(document, wrong, 100); err == nil {
			t.Errorf("%q is taken: %q", wrong, part.Text)
		}
	}
	part, err := shaping.Lines(document, "1-4", 10)
	if err != nil || part.Text != "one\ntwo\r\n" || !strings.Contains(part.Note, `"lines":"3-"`) {
		t.Errorf("%+v, %v", part, err)
	}
	if _, err := shaping.Lines("a very long line", "1", 5); err == nil || !strings.Contains(err.Error(), "offset") {
		t.Errorf("a line that is too long: %v", err)
	}
}

func TestGrep(t *testing.T) {
	t.Parallel()
	document := strings.Repeat("info\n", 10) + "error: a\ninfo\nerror: b\nerror: c"
	part, err := shaping.Grep(document, "^err", 0, 1000, nil)
	if err != nil || part.Text != "11: error: a\n13: error: b\n14: error: c\n" || !strings.HasPrefix(part.Note, "3 of 3 matching lines, of 14") {
		t.Errorf("%+v, %v", part, err)
	}
	part, err = shaping.Grep(document, "err", 1, 14, nil)
	if err != nil || part.Text != "13: error: b\n…\n" && !strings.HasPrefix(part.Text, "13: error: b\n") {
		t.Errorf("%+v, %v", part, err)
	}
	part, err = shaping.Grep(strings.Repeat("x", 5000), "x", 0, 100, nil)
	if err != nil || utf8.RuneCountInString(part.Text) > 100 {
		t.Errorf("a long line gives %d characters, %v", utf8.RuneCountInString(part.Text), err)
	}
	if _, err := shaping.Grep(document, "(", 0, 10, nil); err == nil {
		t.Error("a broken expression is taken")
	}
}
