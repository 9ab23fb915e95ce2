package evaluate

import (
	"testing"

	"github.com/winnow-mcp/winnow/ranker"
)

func baselineDocs() []ranker.Document {
	return []ranker.Document{
		{ID: "a", Server: "slack", Name: "postMessage", Description: "Post a message"},
		{ID: "b", Server: "github", Name: "create_issue", Description: "Open one"},
		{ID: "c", Server: "db", Name: "run", Description: "Run sql on a database"},
	}
}

func TestBaselines_HaveTheirKnownLimits(t *testing.T) {
	t.Parallel()
	zoo, wayland := newZooCode(baselineDocs()), newWayland(baselineDocs())
	for _, test := range []struct {
		name, message string
		baseline      *classic
		want          int // how many are found
	}{
		{"zoo keeps create_issue one word", "issue", zoo, 0},
		{"zoo finds the whole", "create_issue", zoo, 1},
		{"zoo finds short words", "sql", zoo, 1},
		{"wayland splits", "issue", wayland, 1},
		{"wayland drops short words", "sql", wayland, 0},
		{"both find words", "message", wayland, 1},
		{"empty", "", zoo, 0},
	} {
		if got := test.baseline.rank(test.message); len(got) != test.want {
			t.Errorf("%s: found %v, want %d", test.name, got, test.want)
		}
	}
}
