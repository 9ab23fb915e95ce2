package ranker

import (
	"math/bits"
	"testing"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// TestActionsIn: what a message asks for, by its verbs.
func TestActionsIn(t *testing.T) {
	t.Parallel()
	var tokenizer text.Tokenizer
	for _, tt := range []struct {
		message            string
		inRequest, plainly action
	}{
		{"drop the orders table", takesAway, takesAway},
		{"drop tmp_2", takesAway, takesAway},
		{"please drop", takesAway, takesAway},
		{"drop a note for the team", makes, makes},
		{"tell the team", makes, makes},
		{"tell me the team", looksUp, looksUp},
		{"stick it into a file", makes, 0},
		{"flip it over", alters, 0},
		{"nuke the branch", takesAway, takesAway},
		{"which orders came", looksUp, looksUp},
		{"delete what is old", looksUp | takesAway, looksUp | takesAway},
		{"the orders table", 0, 0},
	} {
		requested, plain := asks(tt.message, &tokenizer)
		if requested != tt.inRequest {
			t.Errorf("%q asks for %04b, want %04b", tt.message, requested, tt.inRequest)
		}
		if plain != tt.plainly {
			t.Errorf("%q plainly asks for %04b, want %04b", tt.message, plain, tt.plainly)
		}
	}
}

// TestVerbTable: no word has two kinds, but for those that the word behind them
// tells apart.
func TestVerbTable(t *testing.T) {
	t.Parallel()
	refuses := func(rows []verbRow) (refused bool) {
		defer func() { refused = recover() != nil }()
		verbTable(rows, nil)
		return false
	}
	for _, other := range []action{looksUp, takesAway} {
		if !refuses([]verbRow{{makes, everywhere, "drop"}, {other, plainly, "rid drop"}}) {
			t.Errorf("a word is taken for %04b and %04b", makes, other)
		}
	}
	for word, v := range verbs {
		if bits.OnesCount8(uint8(v.kind)) != 1 || v.use == 0 {
			t.Errorf("%q has the kinds %04b and the uses %03b, want one kind and a use", word, v.kind, v.use)
		}
		if len(v.before) > 0 && (bits.OnesCount8(uint8(v.other)) != 1 || v.other == v.kind) {
			t.Errorf("%q has the kinds %04b and %04b, want two", word, v.kind, v.other)
		}
	}
}
