package arch

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Bounds on a type: beyond them nobody holds it in mind.
const (
	maxMethods     = 30
	maxMethodFiles = 5
)

// typeSize is how many methods a type has, and in how many files they lie.
type typeSize struct{ methods, files int }

// largeTypes are those beyond the bounds that are to be taken apart. A number
// here may only fall; a type that is within the bounds is taken out.
func largeTypes() map[string]typeSize {
	return map[string]typeSize{}
}

// TestTypes_aStrangerHoldsThemInMind: no type has more methods, or in more
// files, than the bounds allow. A function of its package whose first parameter
// is the type is a method of it by another spelling. Packages that serve tests
// only are left out.
func TestTypes_aStrangerHoldsThemInMind(t *testing.T) {
	t.Parallel()
	large := largeTypes()
	for name, files := range methodsByType(goFiles(t, ".")) {
		size := typeSize{files: len(files)}
		for _, n := range files {
			size.methods += n
		}
		allowed, known := large[name]
		delete(large, name)
		within := size.methods <= maxMethods && size.files <= maxMethodFiles
		switch {
		case known && within:
			t.Errorf("%s is within the bounds: take it out of largeTypes", name)
		case known && (size.methods > allowed.methods || size.files > allowed.files):
			t.Errorf("%s has %d methods in %d files; largeTypes has %d in %d, which may only fall",
				name, size.methods, size.files, allowed.methods, allowed.files)
		case !known && !within:
			t.Errorf("%s has %d methods in %d files, the most are %d in %d: %s", name, size.methods, size.files, maxMethods, maxMethodFiles,
				strings.Join(slices.Sorted(maps.Keys(files)), " "))
		}
	}
	for name := range large {
		t.Errorf("%s is in largeTypes, and there is no such type with methods", name)
	}
}

// methodsByType counts the methods of each type by the file that they lie in.
// A type is named by its folder and its name.
func methodsByType(files []goFile) map[string]map[string]int {
	declared := map[string]bool{}
	for _, f := range files {
		for _, decl := range f.file.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok {
				for _, spec := range decl.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						declared[typeKey(f, spec.Name.Name)] = true
					}
				}
			}
		}
	}
	found := map[string]map[string]int{}
	for _, f := range files {
		if strings.HasSuffix(f.file.Name.Name, "test") {
			continue
		}
		for _, decl := range f.file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			first := fn.Type.Params.List
			if fn.Recv != nil {
				first = fn.Recv.List
			}
			if len(first) == 0 {
				continue
			}
			if key := typeKey(f, typeName(first[0].Type)); declared[key] {
				if found[key] == nil {
					found[key] = map[string]int{}
				}
				found[key][f.path]++
			}
		}
	}
	return found
}

func typeKey(f goFile, name string) string { return goImport{file: f.path}.dir() + "." + name }

// typeName returns the name of a type of the file's own package, or of what a
// pointer to one points at; empty for any other.
func typeName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return typeName(expr.X)
	case *ast.IndexExpr:
		return typeName(expr.X)
	case *ast.IndexListExpr:
		return typeName(expr.X)
	case *ast.Ident:
		return expr.Name
	}
	return ""
}
