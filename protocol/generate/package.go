package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Package is what the source of package protocol says and reflection does not:
// comments, constants, and the order of the types.
type Package struct {
	// Types are the names of the exported types, in the order of the source.
	Types []string
	// Docs are comments by the name of a type, or of a type and its field, as in
	// Settings.Mode.
	Docs map[string]string
	// Values are the exported constants by the name of their type; those without
	// one are under the empty name.
	Values map[string][]Value
}

// Value is a constant, its value as JSON.
type Value struct{ Name, Doc, Literal string }

// methodType declares the table of methods. No message is made of it.
const methodType = "Method"

// readPackage reads the Go files at the top of fsys, tests left out, in the
// order of their names.
func readPackage(fsys fs.FS) (*Package, error) {
	names, err := fs.Glob(fsys, "*.go")
	if err != nil {
		return nil, fmt.Errorf("list the source files: %w", err)
	}
	p := &Package{Docs: map[string]string{}, Values: map[string][]Value{}}
	files := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("read the source: %w", err)
		}
		file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parse the source: %w", err)
		}
		for _, decl := range file.Decls {
			gen, _ := decl.(*ast.GenDecl)
			if err := p.read(gen); err != nil {
				return nil, fmt.Errorf("%s: %w", files.Position(decl.Pos()), err)
			}
		}
	}
	return p, nil
}

// read reads a declaration of types or constants; nil is another one.
func (p *Package) read(gen *ast.GenDecl) error {
	if gen == nil {
		return nil
	}
	for _, spec := range gen.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			p.readType(gen, spec)
		case *ast.ValueSpec:
			if gen.Tok != token.CONST {
				continue
			}
			if err := p.readConstants(gen, spec); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Package) readType(gen *ast.GenDecl, spec *ast.TypeSpec) {
	name := spec.Name.Name
	if !spec.Name.IsExported() || name == methodType {
		return
	}
	p.Types = append(p.Types, name)
	p.Docs[name] = docText(spec.Doc, gen.Doc)
	if of, ok := spec.Type.(*ast.StructType); ok {
		for _, f := range of.Fields.List {
			for _, field := range f.Names {
				p.Docs[name+"."+field.Name] = docText(f.Doc, f.Comment)
			}
		}
	}
}

// readConstants reads one line of a const declaration. The doc of a block speaks
// of the block, not of its constants.
func (p *Package) readConstants(gen *ast.GenDecl, spec *ast.ValueSpec) error {
	of, _ := spec.Type.(*ast.Ident)
	name := ""
	if of != nil {
		name = of.Name
	}
	outer := gen.Doc
	if gen.Lparen.IsValid() {
		outer = nil
	}
	for i, constant := range spec.Names {
		if !constant.IsExported() {
			continue
		}
		if i >= len(spec.Values) {
			return fmt.Errorf("constant %s: write its value out; what is on the wire must not depend on the order of a list", constant.Name)
		}
		literal, err := jsonLiteral(spec.Values[i])
		if err != nil {
			return fmt.Errorf("constant %s: %w", constant.Name, err)
		}
		p.Values[name] = append(p.Values[name], Value{constant.Name, docText(spec.Doc, outer), literal})
	}
	return nil
}

// jsonLiteral turns a Go literal, with or without a minus, into JSON.
func jsonLiteral(expr ast.Expr) (string, error) {
	text := types.ExprString(expr)
	if value, err := strconv.Unquote(text); err == nil {
		quoted, err := json.Marshal(value)
		return string(quoted), err
	}
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return "", fmt.Errorf("a constant on the wire is a string or an integer, not %s", text)
	}
	return text, nil
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

// Field is a member of an object.
type Field struct {
	reflect.StructField
	// JSON is its name; empty for an embedded struct.
	JSON, Doc string
	Optional  bool
}

// fields returns the fields of a struct that are in its JSON.
func (p *Package) fields(t reflect.Type) []Field {
	var fields []Field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "-" {
			optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
			fields = append(fields, Field{f, name, p.Docs[t.Name()+"."+f.Name], optional})
		}
	}
	return fields
}

// words are the JSON types that a field's `types` tag names in the place of its
// own, or those of a map's values that its `values` tag names.
func (f *Field) words() (words []string, values bool) {
	tag, ok := f.Tag.Lookup("types")
	if !ok {
		tag, values = f.Tag.Lookup("values")
	}
	if tag == "" {
		return nil, false
	}
	return strings.Split(tag, ","), values
}

// tagged are the types that only such tags name.
var tagged = map[string]reflect.Type{
	"RequestTool":  reflect.TypeFor[protocol.RequestTool](),
	"SandboxEntry": reflect.TypeFor[protocol.SandboxEntry](),
}

var rawMessage = reflect.TypeFor[json.RawMessage]()

// declared reports whether a type is one that a mirror declares.
func declared(t reflect.Type) bool { return t.PkgPath() != "" && t != rawMessage }

// reach holds the declared types that some are made of, by their names.
type reach struct {
	pkg   *Package
	types map[string]reflect.Type
	// lists: maps of objects are refused, since a list of named things keeps its
	// order, and the order of the catalogue matters.
	lists bool
}

// add takes in a type with what it is made of. It fails for what has no form in
// the mirrors, so that nothing is mirrored by guess.
func (r *reach) add(t reflect.Type) error {
	switch {
	case t == rawMessage, t.Kind() == reflect.Interface && t.Name() == "":
		return nil
	case t.Kind() == reflect.Map && t.Key().Kind() != reflect.String:
		return errors.New("a map's keys must be strings")
	case t.Kind() == reflect.Map && r.lists && t.Elem().Kind() == reflect.Struct:
		return fmt.Errorf("a map of %s loses the order; use a list", t.Elem().Name())
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
		return r.add(t.Elem())
	case !declared(t):
		if _, known := basics[t.Kind()]; !known {
			return fmt.Errorf("%s has no JSON form that the generator knows", t)
		}
		return nil
	case !slices.Contains(r.pkg.Types, t.Name()):
		return fmt.Errorf("%s is no exported type of package protocol", t)
	case r.types[t.Name()] != nil:
		return nil
	case t.Kind() == reflect.Interface:
		return fmt.Errorf("%s is used without a types or values tag", t.Name())
	}
	r.types[t.Name()] = t
	if t.Kind() != reflect.Struct {
		return r.enum(t)
	}
	var errs []error
	for _, f := range r.pkg.fields(t) {
		if err := r.field(&f); err != nil {
			errs = append(errs, fmt.Errorf("%s.%s: %w", t.Name(), f.Name, err))
		}
	}
	return errors.Join(errs...)
}

// enum fails for a type without constants, and for two with one value.
func (r *reach) enum(t reflect.Type) error {
	names := map[string]string{}
	for _, v := range r.pkg.Values[t.Name()] {
		if other, ok := names[v.Literal]; ok {
			return fmt.Errorf("constants %s and %s are both %s", other, v.Name, v.Literal)
		}
		names[v.Literal] = v.Name
	}
	if len(names) == 0 {
		return fmt.Errorf("type %s has no constants; use a plain string or integer", t.Name())
	}
	return nil
}

func (r *reach) field(f *Field) error {
	if f.JSON == "" && !f.Anonymous {
		return errors.New("needs a json tag") // or else Go's own capital letter is on the wire
	}
	words, _ := f.words()
	if words == nil {
		return r.add(f.Type)
	}
	for _, word := range words {
		name := strings.TrimSuffix(word, "[]")
		switch of, known := tagged[name]; {
		case known:
			if err := r.add(of); err != nil {
				return err
			}
		case !slices.Contains([]string{"string", "boolean", "integer", "number", "null"}, name):
			return fmt.Errorf("%q is not a JSON type", word)
		}
	}
	return nil
}

// inOrder are the names of the types in the order of the source.
func (r *reach) inOrder() []string {
	return slices.DeleteFunc(slices.Clone(r.pkg.Types), func(name string) bool { return r.types[name] == nil })
}

// basics are the names of JSON Schema for Go's own types.
var basics = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "boolean", reflect.Float32: "number", reflect.Float64: "number",
	reflect.Int: "integer", reflect.Int32: "integer", reflect.Int64: "integer", reflect.Uint32: "integer", reflect.Uint64: "integer",
}
