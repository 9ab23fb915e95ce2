package wire

import (
	"testing"
)

// A stream that ends late does not end the one that was begun in its place.
func TestStreams_successor(t *testing.T) {
	t.Parallel()
	var s streams
	first := s.begin(t.Context(), "file:///a")
	if s.begin(t.Context(), "file:///a") != nil {
		t.Error("two streams to one URI")
	}
	s.end("file:///a")
	second := s.begin(t.Context(), "file:///a")
	if second == nil {
		t.Fatal("no new stream after the end of the first")
	}
	s.ended("file:///a", first)
	if first.ctx.Err() == nil || second.ctx.Err() != nil {
		t.Errorf("the first stream: %v, the second: %v; want the first ended only", first.ctx.Err(), second.ctx.Err())
	}
	if s.begin(t.Context(), "file:///a") != nil {
		t.Error("the second stream is forgotten")
	}
	s.ended("file:///a", second)
	if len(s.open) != 0 {
		t.Errorf("%d streams are kept, want none", len(s.open))
	}
}
