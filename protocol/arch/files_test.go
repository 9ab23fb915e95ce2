package arch

import (
	"go/ast"
	"slices"
	"testing"
)

// fileArrows returns, for each Go file of a package, the others that declare what it names:
// types, functions, variables and constants, not methods. A local name counts when it
// equals one of those, because it then hides it.
func fileArrows(files []goFile) map[string][]string {
	declared := map[string]string{}
	for _, f := range files {
		for _, decl := range f.file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					declared[decl.Name.Name] = f.path
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						declared[spec.Name.Name] = f.path
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							declared[name.Name] = f.path
						}
					}
				}
			}
		}
	}
	arrows := map[string][]string{}
	for _, f := range files {
		ast.Inspect(f.file, func(node ast.Node) bool {
			if name, ok := node.(*ast.Ident); ok {
				if to := declared[name.Name]; to != "" && to != f.path && !slices.Contains(arrows[f.path], to) {
					arrows[f.path] = append(arrows[f.path], to)
				}
			}
			return true
		})
	}
	return arrows
}

// Files of the ranker can be read from the bottom up: none uses a file that uses it.
func TestRankerFiles_haveAnOrder(t *testing.T) {
	t.Parallel()
	files := slices.DeleteFunc(goFiles(t, "ranker"), func(f goFile) bool { return goImport{file: f.path}.dir() != "ranker" })
	arrows := fileArrows(files)
	if len(arrows) < 30 {
		t.Fatalf("only %d files of the ranker use others: were they read?", len(arrows))
	}
	if back := circle(arrows); back != nil {
		t.Errorf("files use each other in a circle: %q", back)
	}
}
