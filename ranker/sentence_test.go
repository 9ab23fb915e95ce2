package ranker_test

import (
	"testing"

	"github.com/winnow-mcp/winnow/ranker"
)

// said returns words of a message.
func said(list ...string) []ranker.Word {
	var words []ranker.Word
	for _, word := range list {
		words = append(words, ranker.Word{Text: word})
	}
	return words
}

// implied returns a word that a message does not have, and what implies it.
func implied(word, by string) ranker.Word { return ranker.Word{Text: word, Implied: by} }

func TestSentence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		parts []ranker.Part
		want  string
	}{
		{nil, ""},
		{[]ranker.Part{{Name: "name", Value: .2, Words: append(said("file"), implied("write", "synonym"))}, {Name: "description", Value: .1, Words: append(said("file"), implied("disk", "best tools"))},
			{Name: "often asked as", Value: .25, Said: "save this text as notes.md"}, {Name: "meaning", Value: .1, Detail: "63% of the nearest tool's"},
			{Name: "server's other tools", Value: .01, Detail: "filesystem"}},
			"Its name and description have “file” and, in other words, “write”; often asked as “save this text as notes.md”; its description says something close."},
		{[]ranker.Part{{Name: "often asked as", Value: 1, Said: `say "hi", then leave`, Tool: "tools like this one"}},
			"Often asked as “say \"hi\", then leave”, of tools like this one."},
		{[]ranker.Part{{Name: "often asked as", Value: 1, Said: `the "a", of b`}}, "Often asked as “the \"a\", of b”."},
		// What matched in the message comes first, whatever it is worth; what is not near is not quoted.
		{[]ranker.Part{{Name: "often asked as", Value: 2, Detail: `"the export is small"`}, {Name: "meaning", Value: 3}, {Name: "name", Value: 1, Words: said("get", "image")}},
			"Its name has “get” and “image”; its description says something close."},
		{[]ranker.Part{{Name: "often asked as", Value: 2, Detail: `"the export is small"`}, {Name: "meaning", Value: 3}},
			"None of its words is in your message; it was the nearest of what was left."},
		{[]ranker.Part{{Name: "often asked as", Value: 2, Detail: `"the export is small"`}}, "None of its words is in your message; it was the nearest of what was left."},
		{[]ranker.Part{{Name: "needed for", Value: 1, Tool: "take, screenshot", Purpose: "for its pageId"}}, "Take, screenshot needs it for its pageId."},
		{[]ranker.Part{{Name: "needed for", Value: 1, Tool: "take_screenshot", Purpose: "for its pageId"}}, "take_screenshot needs it for its pageId."},
		{[]ranker.Part{{Name: "parameter", Value: 1, Words: []ranker.Word{implied("dir", "synonym"), implied("dir", "synonym")}}}, "Its parameters have “dir”, in other words what you say."},
		{[]ranker.Part{{Name: "description", Value: 1, Words: []ranker.Word{implied("timeout", "pasted")}}}, "Its description has “timeout”."},
		{[]ranker.Part{{Name: "name", Value: 1, Words: []ranker.Word{implied("browser", "best tools")}}}, ""},
		{[]ranker.Part{{Name: "step", Value: 1, Said: "close (the) tab"}}, "It fits “close (the) tab”."},
		{[]ranker.Part{{Name: "name", Value: 2, Words: said("branch")}, {Name: "only asks to see", Value: -1}},
			"Its name has “branch”; it counts less because it destroys something and you only ask to see."},
		{[]ranker.Part{{Name: "other language", Value: 1, Words: []ranker.Word{{Text: "Zweig", Means: "branch"}, {Text: "neu", Means: "new"}}}},
			"Of your words, Zweig means branch and neu means new."},
	}
	for _, tt := range tests {
		if got := ranker.Sentence(tt.parts); got != tt.want {
			t.Errorf("Sentence(%v):\n got %s\nwant %s", tt.parts, got, tt.want)
		}
	}
}
