package display

import (
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func TestFitted(t *testing.T) {
	for _, tt := range []struct {
		name, beside string
		room         int
		want         string
	}{
		{"read_file", "112", 25, "read_file"},
		{"browser_network_state_set", "112", 20, "browser_…tate_set"},
		{"a_name_of_twenty_six_chars", "what is far too long for any row of a view", 25, "a_na…hars"},
		{"sequential-thinking-of-mine", "27 tools · 18k", serverRoom, "sequent…of-mine"},
		{"performance_analyze_insight", "812", toolRoom, "performance…yze_insight"},
		{"list_directory_with_sizes", "135", toolRoom, "list_directory_with_sizes"},
		{"👩‍👩‍👧‍👦👍🏽👩‍👩‍👧‍👦👍🏽👩‍👩‍👧‍👦👍🏽👩‍👩‍👧‍👦👍🏽👩‍👩‍👧‍👦👍🏽👩‍👩‍👧‍👦👍🏽", "", minName, "👩‍👩‍👧‍👦👍🏽…👩‍👩‍👧‍👦👍🏽"},
		{"قراءة_الملفات_من_المجلد_المشترك", "", 20, "قراءة_الم…_المشترك"},
		{"", "", 20, ""},
	} {
		if got := fitted(tt.name, tt.beside, tt.room); got != tt.want {
			t.Errorf("%s beside %q in %d letters: got %q, want %q", tt.name, tt.beside, tt.room, got, tt.want)
		}
	}
}

// A row whose label is shortened has the whole name for messages and screen
// readers.
func TestLabel(t *testing.T) {
	for name, want := range map[string]protocol.Row{
		"files":                       {Label: "files"},
		"sequential-thinking-of-mine": {Label: "sequent…of-mine", Name: "sequential-thinking-of-mine"},
	} {
		var row protocol.Row
		if label(&row, name, "27 tools · 18k", serverRoom); row != want {
			t.Errorf("%s: got %+v, want %+v", name, row, want)
		}
	}
}
