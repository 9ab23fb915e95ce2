package config

import (
	"bytes"
	"testing"
	"time"
)

func TestLineIndex(t *testing.T) {
	t.Parallel()
	const text = "ab\n\nü😀x\r\n\xffy"
	tests := []struct {
		offset int
		want   position
	}{
		{0, position{1, 1}}, {2, position{1, 3}}, {3, position{2, 1}}, {4, position{3, 1}},
		{6, position{3, 2}},                        // after ü: one UTF-16 unit
		{10, position{3, 4}},                       // after 😀: two
		{13, position{4, 1}}, {14, position{4, 2}}, // a broken byte is one
		{15, position{4, 3}}, {99, position{4, 3}}, {-1, position{1, 1}},
	}
	forward := newLineIndex([]byte(text))
	for _, tt := range tests {
		if got := forward.at(tt.offset); got != tt.want {
			t.Errorf("offset %d: got %v, want %v", tt.offset, got, tt.want)
		}
	}
	// Asked in another order, the answers are the same.
	for i := range tests {
		tt := tests[len(tests)-1-i]
		if got := forward.at(tt.offset); got != tt.want {
			t.Errorf("backwards, offset %d: got %v, want %v", tt.offset, got, tt.want)
		}
	}
}

// TestLineIndex_LongLine: ~/.claude.json can be one line of megabytes with many
// places asked for. Reading the line anew for each would take 20,000 times as
// long as reading it once.
func TestLineIndex_LongLine(t *testing.T) {
	t.Parallel()
	line := bytes.Repeat([]byte("x"), 1_000_000)
	start := time.Now()
	if n := utf16Length(line); n != len(line) {
		t.Fatalf("length %d", n)
	}
	once := time.Since(start)
	start = time.Now()
	index := newLineIndex(line)
	for offset := 0; offset < len(line); offset += 25 {
		if got := index.at(offset); got != (position{1, offset + 1}) {
			t.Fatalf("offset %d is at %v", offset, got)
		}
	}
	if all := time.Since(start); all > 500*once+time.Second {
		t.Errorf("40,000 places took %v, the line alone %v", all, once)
	}
}

func TestProblem_String(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Problem{
		"f: m":         {Path: "f", Message: "m"},
		"f:2:3: m":     {Path: "f", Line: 2, Column: 3, Message: "m"},
		"f:2:3: m (h)": {Path: "f", Line: 2, Column: 3, Message: "m", Hint: "h"},
	} {
		if got := p.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
