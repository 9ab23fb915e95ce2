package arch

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// drawnUntil is the column at which the words beside a drawing begin.
const drawnUntil = 45

// TestDrawing: each folder of the tables of arrows is named in its drawing, by
// the last part of its path, except what is inside of a folder that is, or
// serves tests only.
func TestDrawing(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", ".github", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		heading string
		arrows  map[string][]string
		opened  []string // folders that are drawn with what is inside of them
	}{
		{"Inside the daemon, each line may import those below it:", daemonArrows(), []string{"daemon", "daemon/engine"}},
		{"Inside the extension (`extension/src`), too, each line may import those below it:", extensionArrows(), []string{"src", "src/views"}},
	} {
		_, after, found := strings.Cut(string(text), tc.heading)
		parts := strings.SplitN(after, "```", 3)
		if !found || len(parts) < 3 {
			t.Fatalf(".github/ARCHITECTURE.md has no drawing under %q", tc.heading)
		}
		named := drawnNames(parts[1])
		for dir := range tc.arrows {
			parent := path.Dir(dir)
			_, inside := tc.arrows[parent]
			inside = inside && !slices.Contains(tc.opened, parent)
			if name := path.Base(dir); !named[name] && !inside && !strings.HasSuffix(name, "test") && dir != "src" {
				t.Errorf("%s is not in .github/ARCHITECTURE.md's drawing under %q", dir, tc.heading)
			}
		}
	}
}

// drawnNames returns the words of a drawing, without those beside it.
func drawnNames(drawing string) map[string]bool {
	named := map[string]bool{}
	for line := range strings.Lines(drawing) {
		letters := []rune(line)
		left := string(letters[:min(len(letters), drawnUntil)])
		for _, word := range regexp.MustCompile(`[a-z]+`).FindAllString(left, -1) {
			named[word] = true
		}
	}
	return named
}
