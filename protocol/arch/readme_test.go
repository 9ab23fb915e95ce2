package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDrawing: each package of daemonArrows is named in the
// drawing of the daemon, by the last part of its path, except what is inside
// of a package that is, or serves tests only.
func TestDrawing(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", ".github", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "Inside the daemon, each line may import those below it:")
	parts := strings.SplitN(after, "```", 3)
	if !found || len(parts) < 3 {
		t.Fatal(".github/ARCHITECTURE.md has no drawing of the daemon")
	}
	named := map[string]bool{}
	for _, word := range regexp.MustCompile(`[a-z]+`).FindAllString(parts[1], -1) {
		named[word] = true
	}
	arrows := daemonArrows()
	for dir := range arrows {
		parent := filepath.ToSlash(filepath.Dir(dir))
		_, inside := arrows[parent]
		inside = inside && parent != "daemon" && parent != "daemon/engine"
		if name := filepath.Base(dir); !named[name] && !inside && !strings.HasSuffix(name, "test") {
			t.Errorf("%s is not in .github/ARCHITECTURE.md's drawing of the daemon", dir)
		}
	}
}
