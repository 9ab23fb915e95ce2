package process

import (
	"testing"
)

func TestCutDaemon(t *testing.T) {
	t.Parallel()
	for mark, want := range map[string]bool{"1,2,pid:[3],4": true, "": false, "1,2": false, "x,2,pid:[3],4": false} {
		if _, _, ok := cutDaemon(mark); ok != want {
			t.Errorf("%q is read: %t, want %t", mark, ok, want)
		}
	}
}
