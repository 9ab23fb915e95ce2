package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// root is the checkout, from this package's folder.
const root = "../.."

// goFile is one Go file that is no test.
type goFile struct {
	path string // from the root, with slashes
	file *ast.File
}

// goFiles parses every Go file under dir, from the root, tests and modules of
// their own left out.
func goFiles(t *testing.T, dir string) []goFile {
	t.Helper()
	fset := token.NewFileSet()
	var files []goFile
	err := filepath.WalkDir(filepath.Join(root, dir), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skipFolder(path, entry)
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		files = append(files, goFile{filepath.ToSlash(rel), parsed})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// skipFolder leaves out the folders that Go leaves out.
func skipFolder(path string, entry fs.DirEntry) error {
	name := entry.Name()
	if name == "testdata" || name == "node_modules" || name == "out" || strings.HasPrefix(name, ".") && path != root {
		return fs.SkipDir
	}
	if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && filepath.Clean(path) != root {
		return fs.SkipDir
	}
	return nil
}

// importsOf lists every import of the files.
func importsOf(t *testing.T, files []goFile) []goImport {
	t.Helper()
	var imports []goImport
	for _, f := range files {
		for _, spec := range f.file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			imports = append(imports, goImport{f.path, path})
		}
	}
	return imports
}

func TestGoImports(t *testing.T) {
	t.Parallel()
	imports := importsOf(t, goFiles(t, "."))
	for _, i := range imports {
		if why := forbidden(i, rules()); why != "" {
			t.Errorf("%s imports %s: %s", i.file, i.path, why)
		}
	}
	for _, h := range homes() {
		for _, file := range h.strays(imports) {
			t.Errorf("%s imports %s, which belongs into %s, so that it can be replaced in one place", file, h.library, strings.Join(h.dirs, " or "))
		}
	}
	if len(imports) < 50 {
		t.Errorf("found %d imports; the walk misses the checkout", len(imports))
	}
}

// The router decides from values: what it must not do is not always an import.
func TestRouter_IsPure(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t, "router") {
		ast.Inspect(f.file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.GoStmt:
				t.Errorf("%s starts a goroutine; the router is a pure core", f.path)
			case *ast.SelectorExpr:
				if pkg, ok := node.X.(*ast.Ident); ok && pkg.Name == "time" && readsClock(node.Sel.Name) {
					t.Errorf("%s calls time.%s; the clock is passed in", f.path, node.Sel.Name)
				}
			}
			return true
		})
	}
}

// readsClock reports whether a function of package time looks at the clock.
func readsClock(name string) bool {
	return slices.Contains([]string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTimer", "NewTicker"}, name)
}

// TestTexts_nameNoRequestOfTheWire: what anything but the editor's face says is
// also read by models and by people at a terminal, who know no request of the
// editor's wire. That face adds those.
func TestTexts_nameNoRequestOfTheWire(t *testing.T) {
	t.Parallel()
	requests := map[string]bool{}
	for _, f := range goFiles(t, "protocol") {
		ast.Inspect(f.file, func(node ast.Node) bool {
			if spec, ok := node.(*ast.ValueSpec); ok && len(spec.Values) == 1 && strings.HasPrefix(spec.Names[0].Name, "Method") {
				if method := literal(spec.Values[0]); strings.Contains(method, "/") {
					requests[method] = true
				}
			}
			return true
		})
	}
	if len(requests) < 50 {
		t.Fatalf("found %d requests; the walk misses them", len(requests))
	}
	word := regexp.MustCompile(`[a-z$]+/[a-zA-Z]+`)
	for _, f := range slices.Concat(goFiles(t, "daemon"), goFiles(t, "router"), goFiles(t, "ranker")) {
		if strings.HasPrefix(f.path, "daemon/faces/editor/") {
			continue
		}
		ast.Inspect(f.file, func(node ast.Node) bool {
			if _, isImport := node.(*ast.ImportSpec); isImport {
				return false
			}
			expr, ok := node.(ast.Expr)
			if !ok {
				return true
			}
			text := literal(expr)
			for _, name := range word.FindAllString(text, -1) {
				if requests[name] && strings.Contains(text, " ") { // MCP has a request of the same name
					t.Errorf("%s names %s in %q", f.path, name, literal(expr))
				}
			}
			return true
		})
	}
}

// literal returns what a string literal says; empty for any other expression.
func literal(expr ast.Expr) string {
	lit, ok := expr.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return text
}

func TestPackageDocs(t *testing.T) {
	t.Parallel()
	docs := map[string]int{}
	for _, f := range goFiles(t, ".") {
		dir := goImport{file: f.path}.dir()
		docs[dir] += 0
		if f.file.Doc.Text() != "" {
			docs[dir]++
		}
	}
	for dir, n := range docs {
		if n != 1 {
			t.Errorf("%s has %d package docs, want 1 that says what the package is and is not", dir, n)
		}
	}
}

func TestGoMod_ReplacesNothing(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if regexp.MustCompile(`(?m)^(replace\s|\s.*=>)`).Match(text) {
		t.Error("go.mod has a replace, which those who import us do not see; publish a fork under its own name")
	}
}
