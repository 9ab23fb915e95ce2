package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
)

// parsePackage reads the Go files at the top of fsys, tests left out, in the
// order of their names.
func parsePackage(fsys fs.FS) (*Package, error) {
	names, err := fs.Glob(fsys, "*.go")
	if err != nil {
		return nil, fmt.Errorf("list the source files: %w", err)
	}
	s := &source{fset: token.NewFileSet(), pkg: &Package{}}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("read the source: %w", err)
		}
		file, err := parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parse the source: %w", err)
		}
		if err := s.file(file); err != nil {
			return nil, err
		}
	}
	return s.pkg, s.attach()
}

// source collects the declarations of a package.
type source struct {
	fset *token.FileSet
	pkg  *Package
	// typed are the constants that belong to a type, which may be declared in
	// a later file.
	typed []Value
}

// errorf names the position in the source.
func (s *source) errorf(pos token.Pos, format string, args ...any) error {
	return fmt.Errorf("%s: %w", s.fset.Position(pos), fmt.Errorf(format, args...))
}

// file reads the declarations of one file.
func (s *source) file(file *ast.File) error {
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			if err := s.spec(gen, spec); err != nil {
				return err
			}
		}
	}
	return nil
}

// spec reads one declaration of a type or of constants.
func (s *source) spec(gen *ast.GenDecl, spec ast.Spec) error {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() && spec.Name.Name != methodType {
			return s.typeSpec(gen, spec)
		}
	case *ast.ValueSpec:
		if gen.Tok == token.CONST {
			return s.constSpec(gen, spec)
		}
	}
	return nil
}

// typeSpec reads the declaration of a type.
func (s *source) typeSpec(gen *ast.GenDecl, spec *ast.TypeSpec) error {
	t := &Type{Name: spec.Name.Name, Doc: docText(spec.Doc, gen.Doc)}
	switch under := spec.Type.(type) {
	case *ast.StructType:
		fields, err := s.fields(under)
		if err != nil {
			return err
		}
		t.Fields = fields
	case *ast.Ident:
		form, _ := basicForm(under.Name)
		switch form {
		case String:
			t.Kind = StringEnum
		case Integer:
			t.Kind = IntEnum
		case Any:
			t.Kind = Opaque
		default:
			return s.errorf(spec.Pos(), "type %s: a type is a struct, a string, an integer or any, not %s", t.Name, under.Name)
		}
	default:
		return s.errorf(spec.Pos(), "type %s: a type is a struct, a string, an integer or any", t.Name)
	}
	s.pkg.Types = append(s.pkg.Types, t)
	return nil
}

// constSpec reads one line of a const block.
func (s *source) constSpec(gen *ast.GenDecl, spec *ast.ValueSpec) error {
	for i, name := range spec.Names {
		if !name.IsExported() {
			continue
		}
		if i >= len(spec.Values) {
			return s.errorf(name.Pos(), "constant %s: write its value out; what is on the wire must not depend on the order of a list", name.Name)
		}
		literal, err := jsonLiteral(spec.Values[i])
		if err != nil {
			return s.errorf(name.Pos(), "constant %s: %w", name.Name, err)
		}
		v := Value{Name: name.Name, Doc: docText(spec.Doc, constDoc(gen)), Literal: literal}
		if spec.Type == nil {
			s.pkg.Constants = append(s.pkg.Constants, v)
			continue
		}
		if ident, ok := spec.Type.(*ast.Ident); ok {
			v.Type = ident.Name
		}
		s.typed = append(s.typed, v)
	}
	return nil
}

// constDoc is the doc of a const declaration that stands alone. A block's doc
// speaks of the block, not of its constants.
func constDoc(gen *ast.GenDecl) *ast.CommentGroup {
	if gen.Lparen.IsValid() {
		return nil
	}
	return gen.Doc
}

// attach gives the typed constants to their types.
func (s *source) attach() error {
	for _, v := range s.typed {
		t := s.pkg.Type(v.Type)
		if t == nil {
			return fmt.Errorf("constant %s: there is no type %s in the package", v.Name, v.Type)
		}
		t.Values = append(t.Values, v)
	}
	return nil
}

// docText is the text of the first comment that there is.
func docText(groups ...*ast.CommentGroup) string {
	for _, group := range groups {
		if text := strings.TrimSpace(group.Text()); text != "" {
			return text
		}
	}
	return ""
}
