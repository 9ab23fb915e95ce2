package process

import (
	"os"
	"strings"
	"testing"
)

// TestParseStat reads /proc/PID/stat, whatever a program calls itself.
func TestParseStat(t *testing.T) {
	t.Parallel()
	const rest = " S 10 20 30 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2"
	for _, name := range []string{"node", "a b", "evil) S 1 1", "((("} {
		got, ok := parseStat(7, []byte("7 ("+name+")"+rest))
		if want := (procStat{pid: 7, parent: 10, group: 20, start: "98765", pages: 2, time: 26}); !ok || got != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for _, broken := range []string{"", "7 (node", "7 (node) S 1", "7 (node) S x y" + strings.Repeat(" 1", 30)} {
		if _, ok := parseStat(7, []byte(broken)); ok {
			t.Errorf("%q was understood", broken)
		}
	}
	if self, ok := readStat(os.Getpid()); !ok || self.parent != os.Getppid() {
		t.Errorf("own entry %+v", self)
	}
}
