package jsonc

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
		want   Position
	}{
		{0, Position{1, 1}}, {2, Position{1, 3}}, {3, Position{2, 1}}, {4, Position{3, 1}},
		{6, Position{3, 2}},                        // after ü: one UTF-16 unit
		{10, Position{3, 4}},                       // after 😀: two
		{13, Position{4, 1}}, {14, Position{4, 2}}, // a broken byte is one
		{15, Position{4, 3}}, {99, Position{4, 3}}, {-1, Position{1, 1}},
	}
	forward := NewLines([]byte(text))
	for _, tt := range tests {
		if got := forward.At(tt.offset); got != tt.want {
			t.Errorf("offset %d: got %v, want %v", tt.offset, got, tt.want)
		}
	}
	// Asked in another order, the answers are the same.
	for i := range tests {
		tt := tests[len(tests)-1-i]
		if got := forward.At(tt.offset); got != tt.want {
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
	index := NewLines(line)
	for offset := 0; offset < len(line); offset += 25 {
		if got := index.At(offset); got != (Position{1, offset + 1}) {
			t.Fatalf("offset %d is at %v", offset, got)
		}
	}
	if all := time.Since(start); all > 500*once+10*time.Second {
		t.Errorf("40,000 places took %v, the line alone %v", all, once)
	}
}
