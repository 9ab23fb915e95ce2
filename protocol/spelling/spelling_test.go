package spelling

import (
	"strings"
	"testing"
)

func TestSlips(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		got, word string
		slips     int
		meant     bool
	}{
		{"read_file", "read_file", 0, true},
		{"READ_file", "read_File", 0, true},
		{"raed_file", "read_file", 2, true},
		{"read_fil", "read_file", 1, true},
		{"read_file", "write_file", 4, false},
		{"ed", "ad", 1, false}, // a short word has no letter to spare
		{"edt", "edit", 1, true},
		{"", "", 0, true},
		{"", "a", 0, false},
		{"größe", "grösse", 2, false}, // five letters, of which one may be wrong
		{strings.Repeat("a", 1<<20), strings.Repeat("a", 1<<20), 0, false},
	} {
		if slips, meant := Slips(tc.got, tc.word); meant != tc.meant || meant && slips != tc.slips {
			t.Errorf("%.20q for %.20q: %d, %t; want %d, %t", tc.got, tc.word, slips, meant, tc.slips, tc.meant)
		}
	}
}
