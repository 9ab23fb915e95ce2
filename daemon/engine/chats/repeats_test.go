package chats_test

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/chats"
)

// TestRepeats: a long result that was sent is named, and never where the name would
// fit another one too.
func TestRepeats(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é line\n", 200)
	var r chats.Repeats
	for i, tt := range []struct {
		text  string
		named bool
	}{
		{long, false}, {"short", false}, {"short", false}, {long, true}, {long + ".", false}, {long, true}, {long + ".", true},
		{long + "!", false}, {long + ".", false}, {long + "!", false}, {long, true},
	} {
		note := r.Note(tt.text)
		if (note != "") != tt.named || tt.named && (!strings.Contains(note, "1400 characters") && !strings.Contains(note, "1401 characters") || len(note) > 400) {
			t.Errorf("step %d: %q", i, note)
		}
	}
}
