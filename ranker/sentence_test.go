package ranker_test

import (
	"testing"

	"github.com/winnow-mcp/winnow/ranker"
)

func TestSentence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		parts []ranker.Part
		want  string
	}{
		{nil, ""},
		{[]ranker.Part{{Name: "name", Value: .2, Detail: "file write (synonym)"}, {Name: "description", Value: .1, Detail: "file disk (best tools)"},
			{Name: "people say", Value: .25, Detail: `"save this text as notes.md"`}, {Name: "meaning", Value: .1, Detail: "63% of the nearest tool's"},
			{Name: "server's other tools", Value: .01, Detail: "filesystem"}},
			"Its name and description have “file” and, in other words, “write”; people say “save this text as notes.md” when they need it; its meaning is near."},
		{[]ranker.Part{{Name: "people say", Value: 1, Detail: `"say \"hi\", then leave", of tools like this one`}},
			"People say “say \"hi\", then leave” when they need tools like this one."},
		{[]ranker.Part{{Name: "needed for", Value: 1, Detail: "take_screenshot, for its pageId"}}, "take_screenshot needs it for its pageId."},
		{[]ranker.Part{{Name: "parameter", Value: 1, Detail: "dir (synonym) dir (synonym)"}}, "Its parameters have “dir”, in other words what you say."},
		{[]ranker.Part{{Name: "name", Value: 1, Detail: "browser (best tools)"}}, ""},
		{[]ranker.Part{{Name: "name", Value: 2, Detail: "branch"}, {Name: "only asks to see", Value: -1}},
			"Its name has “branch”; it counts less because it destroys something and you only ask to see."},
		{[]ranker.Part{{Name: "other language", Value: 1, Detail: "Zweig means branch"}}, "Of your words, Zweig means branch."},
	}
	for _, tt := range tests {
		if got := ranker.Sentence(tt.parts); got != tt.want {
			t.Errorf("Sentence(%v):\n got %s\nwant %s", tt.parts, got, tt.want)
		}
	}
}
