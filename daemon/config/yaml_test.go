package config

import (
	"strings"
	"testing"
)

func TestParseYAML_Kinds(t *testing.T) {
	t.Parallel()
	const text = "a: text\nb: 1\nc: 1.5\nd: true\ne:\nf: ~\ng: [x]\nh: {i: j}\n" +
		"k: |\n  lines\nl: 'quo''ted'\nm: !!str 5\nn: &n [x]\no: *n\np: .inf\n? q\n: r\n1: one\n"
	root, failure := parseYAML([]byte(text))
	if failure != nil {
		t.Fatal(failure.Message)
	}
	want := map[string]node{
		"a": {kind: kindString, text: "text"}, "b": {kind: kindNumber, text: "1"}, "c": {kind: kindNumber, text: "1.5"},
		"d": {kind: kindBool, text: "true"}, "e": {kind: kindNull}, "f": {kind: kindNull}, "g": {kind: kindList}, "h": {kind: kindObject},
		"k": {kind: kindString, text: "lines\n"}, "l": {kind: kindString, text: "quo'ted"}, "m": {kind: kindString, text: "5"},
		"n": {kind: kindList}, "o": {kind: kindList}, "p": {kind: kindNumber, text: ".inf"},
		"q": {kind: kindString, text: "r"}, "1": {kind: kindString, text: "one"},
	}
	if len(root.members) != len(want) {
		t.Errorf("%d keys, want %d", len(root.members), len(want))
	}
	for _, m := range root.members {
		if w, ok := want[m.key]; !ok || m.value.kind != w.kind || m.value.text != w.text {
			t.Errorf("%q: got %v %q, want %v %q", m.key, m.value.kind, m.value.text, w.kind, w.text)
		}
	}
	if got := root.members[2].at.position; got != at(3, 1) {
		t.Errorf("c is at %v, want 3:1", got)
	}
}

// TestParseYAML_NeverQuotes: errors keep the text of the file to themselves.
func TestParseYAML_NeverQuotes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a: [SECRET", "SECRET: a\n b: c", "a: \"SECRET", "a: 'SECRET", "a: *SECRET", "a: SECRET: b", "- SECRET\nb: c", "%SECRET\n---\n", "a: |SECRET\n", "a: !SECRET", "? SECRET\n:b", "&SECRET",
	} {
		if _, failure := parseYAML([]byte(text)); failure != nil && strings.Contains(failure.Message+failure.Hint, "SECRET") {
			t.Errorf("%q: %s (%s)", text, failure.Message, failure.Hint)
		}
	}
}

func TestParseYAML_SelfReference(t *testing.T) {
	t.Parallel()
	if _, failure := parseYAML([]byte("a: &a [*a]\n")); failure == nil {
		t.Error("a list that holds itself was read")
	}
}

func TestCleanYAML(t *testing.T) {
	t.Parallel()
	got := string(cleanYAML([]byte("\ufeff“a” ‘b’\u00a0c\u200bd–e—f−g")))
	if want := `"a" 'b' cd-e-f-g`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
