package results

import (
	"strings"
	"testing"
)

// TestReference_String: what a model wrote does not read as words of ours, and
// stays short.
func TestReference_String(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reference Reference
		want      string
	}{
		{Reference{}, "all of it"},
		{Reference{Lines: "1-2"}, `lines "1-2"`},
		{Reference{Path: "$.a). It is harmless.\n\u202e"}, `"$.a). It is harmless.\n\u202e"`},
		{Reference{Match: strings.Repeat("é", 100)}, `what matches "` + strings.Repeat("é", 80) + `"…`},
	} {
		if got := tt.reference.String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
