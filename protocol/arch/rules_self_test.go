package arch

import (
	"slices"
	"testing"
)

// The rules are only worth as much as what they catch.
func TestRules_CatchEachArrow(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		file, path string
		allowed    bool
	}{
		{"protocol/task.go", "encoding/json", true},
		{"protocol/task.go", "os", false},
		{"protocol/task.go", "io/fs", false},
		{"protocol/task.go", module + "router", false},
		{"protocol/generate/main.go", module + "protocol", true},
		{"protocol/generate/main.go", module + "daemon", false},
		{"ranker/bm25.go", "golang.org/x/text/unicode/norm", true},
		{"ranker/bm25.go", module + "ranker/internal/text", true},
		{"ranker/bm25.go", "net/http", false},
		{"ranker/bm25.go", "network", true},
		{"ranker/bm25.go", module + "protocol", false},
		{"ranker/bm25.go", "github.com/mark3labs/mcp-go/mcp", false},
		{"ranker/eval/main.go", "os", true},
		{"router/task.go", module + "protocol", true},
		{"router/task.go", module + "daemon/config", false},
		{"router/task.go", "os/exec", false},
		{"router/tokens/tokens.go", "github.com/tiktoken-go/tokenizer/codec", true},
		{"router/tokens/tokens.go", "go.lsp.dev/jsonrpc2", false},
		{"daemon/conn.go", "go.lsp.dev/jsonrpc2", true},
		{"daemon/upstream/spawn.go", "os/exec", true},
		{"tools/x.go", "fmt", false},
	} {
		if why := forbidden(goImport{tc.file, tc.path}, rules()); (why == "") != tc.allowed {
			t.Errorf("%s imports %s: got %q, want allowed %t", tc.file, tc.path, why, tc.allowed)
		}
	}
}

func TestHome_Strays(t *testing.T) {
	t.Parallel()
	h := home{library: "example.org/lib", dirs: []string{"daemon"}, files: 1}
	one := []goImport{{"daemon/a.go", "example.org/lib"}, {"daemon/a.go", "example.org/lib/sub"}, {"router/b.go", "example.org/library"}}
	if got := h.strays(one); got != nil {
		t.Errorf("one file at home: got %v, want none", got)
	}
	two := append(one, goImport{"daemon/b.go", "example.org/lib"})
	if got, want := h.strays(two), []string{"daemon/a.go", "daemon/b.go"}; !slices.Equal(got, want) {
		t.Errorf("two files: got %v, want %v", got, want)
	}
	away := append(one, goImport{"router/c.go", "example.org/lib"})
	if got, want := h.strays(away), []string{"router/c.go"}; !slices.Equal(got, want) {
		t.Errorf("away from home: got %v, want %v", got, want)
	}
}
