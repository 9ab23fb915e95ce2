package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// unclear are expressions that people did not understand, with what
// extension/docs/words.md says in their place.
var unclear = []struct {
	expression *regexp.Regexp
	instead    string
}{
	{regexp.MustCompile(`(?i)\btwins?\b`), "routed model"},
	{regexp.MustCompile(`(?i)\broutes?\b`), "chooses the tools of; routing and routed model are known words"},
	{regexp.MustCompile(`(?i)\bfrozen\b`), "no more tools"},
	{regexp.MustCompile(`(?i)\bin hand\b`), "attached"},
	{regexp.MustCompile(`(?i)\bclients? by (?:itself|themselves)\b`), "VS Code by itself, or the client's name"},
	{regexp.MustCompile(`(?i)\bbehind Winnow\b`), "run by Winnow"},
	{regexp.MustCompile(`(?i)\blocked words\b`), "approved text"},
	{regexp.MustCompile(`(?i)\blet (?:it|them) run\b|\bis believed\b`), "allow"},
	{regexp.MustCompile(`(?i)\bmeaning is near\b`), "says something close"},
	{regexp.MustCompile(`(?i)\bpeople say\b`), "often asked as"},
	{regexp.MustCompile(`\bInitial K\b`), "how many tools a task starts with"},
}

// TestWords_understood: what people read has none of the expressions that were not
// understood: pages, the manifest, pictures, and the texts in the sources.
func TestWords_understood(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	for _, pattern := range []string{
		"README.md", "CHANGELOG.md", "package.json", "extension/docs/*.md", "extension/media/walkthrough/*.svg",
	} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(data), "\n") {
				checkWords(t, file, i+1, code.ReplaceAllString(line, ""))
			}
		}
	}
	read := 0
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		slashed := filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			name := entry.Name()
			if name == "node_modules" || name == "out" || name == "testdata" || strings.HasPrefix(name, ".") && name != ".." ||
				strings.HasSuffix(slashed, "ranker/bank") || strings.HasSuffix(slashed, "ranker/internal/synthetic") || strings.HasSuffix(slashed, "/eval") || strings.HasSuffix(slashed, "extension/test") {
				return filepath.SkipDir
			}
		case strings.HasSuffix(path, "_test.go"), strings.HasSuffix(path, ".test.ts"), strings.HasSuffix(path, ".gen.ts"):
		case strings.HasSuffix(path, ".go"):
			read += checkGoTexts(t, path)
		case strings.HasSuffix(path, ".ts"):
			read += checkTSTexts(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 2000 {
		t.Errorf("only %d texts were looked at", read)
	}
}

// code is what a page or the manifest writes as code: names of requests and keys.
var code = regexp.MustCompile("`[^`]*`|\"(?:when|command|path)\": \"[^\"]*\"")

func checkWords(t *testing.T, file string, line int, text string) {
	t.Helper()
	for _, u := range unclear {
		if found := u.expression.FindString(text); found != "" {
			t.Errorf("%s:%d: %q was not understood; say: %s\n%s", file, line, found, u.instead, text)
		}
	}
}

// checkGoTexts looks at the literals of a file that have a space: the others are
// names.
func checkGoTexts(t *testing.T, path string) int {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	ast.Inspect(parsed, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.Field:
			node.Tag = nil
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			text, err := strconv.Unquote(node.Value)
			if node.Kind == token.STRING && err == nil && strings.Contains(text, " ") {
				read++
				checkWords(t, path, files.Position(node.Pos()).Line, text)
			}
		}
		return true
	})
	return read
}

// tsText is a literal of TypeScript with a space, on one line.
var tsText = regexp.MustCompile("\"[^\"]* [^\"]*\"|`[^`]* [^`]*`")

func checkTSTexts(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for i, line := range strings.Split(string(data), "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "//") || strings.HasPrefix(trimmed, "*") || strings.HasPrefix(trimmed, "/*") || strings.HasPrefix(trimmed, "import ") {
			continue
		}
		for _, text := range tsText.FindAllString(line, -1) {
			read++
			checkWords(t, path, i+1, placeholder.ReplaceAllString(text, ""))
		}
	}
	return read
}

// placeholder is an expression inside a text of TypeScript.
var placeholder = regexp.MustCompile(`\$\{[^}]*\}`)
