package conversation

import (
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestHistory_End: a digest stands for all messages up to its place, and where
// one ends and the next begins.
func TestHistory_End(t *testing.T) {
	t.Parallel()
	one, two := dialogue("u1 a1 u2"), dialogue("u1 a1 u3")
	if one.End(2) != two.End(2) || one.End(3) == two.End(3) || one.End(1) == one.End(2) || one.End(0) != "" {
		t.Errorf("got the ends %v and %v", one.prefixes, two.prefixes)
	}
	a := NewHistory([]protocol.MessageDigest{{Role: "user", Digest: "ab"}, {Role: "user", Digest: "c"}})
	b := NewHistory([]protocol.MessageDigest{{Role: "user", Digest: "a"}, {Role: "user", Digest: "bc"}})
	if a.End(2) == b.End(2) {
		t.Error("two histories whose digests join alike have one end")
	}
}

func TestHistory_Called(t *testing.T) {
	t.Parallel()
	h := dialogue("u1 a1(x,y) t1 a2(x) t2")
	if got, want := h.Called(0), []string{"tool of x", "tool of y"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := h.Called(2), []string{"tool of x"}; !slices.Equal(got, want) {
		t.Errorf("got %v from the third message on, want %v", got, want)
	}
}
