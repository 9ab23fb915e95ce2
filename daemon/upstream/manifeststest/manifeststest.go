// Package manifeststest tests implementations of [upstream.Manifests].
package manifeststest

import (
	"bytes"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream"
)

// Conform tests an implementation. open returns an empty store, and a second one over the
// same data.
func Conform(t *testing.T, open func(t *testing.T) (first, again upstream.Manifests)) {
	t.Helper()
	first, again := open(t)
	if data, err := first.Read("none"); data != nil || err != nil {
		t.Errorf("what was never written: %q, %v", data, err)
	}
	whole := bytes.Repeat([]byte("\x00\xff\n{}"), 100_000)
	for hash, data := range map[string][]byte{"one": []byte("1"), "two": whole} {
		if err := first.Write(hash, []byte("before")); err != nil {
			t.Fatal(err)
		}
		if err := again.Write(hash, data); err != nil {
			t.Fatal(err)
		}
		for _, kept := range []upstream.Manifests{first, again} {
			if got, err := kept.Read(hash); !bytes.Equal(got, data) || err != nil {
				t.Errorf("%s: %d bytes of %d, %v", hash, len(got), len(data), err)
			}
		}
	}
	if err := first.Prune(); err != nil {
		t.Fatal(err)
	}
	if got, err := again.Read("one"); string(got) != "1" || err != nil {
		t.Errorf("after Prune what was used just now is %q, %v", got, err)
	}
	if err := first.Clear(); err != nil {
		t.Fatal(err)
	}
	if got, err := again.Read("two"); got != nil || err != nil {
		t.Errorf("after Clear: %d bytes, %v", len(got), err)
	}
}
