package main

import (
	"errors"
	"fmt"
	"go/ast"
	"strings"
)

// basicForm maps Go's basic types to JSON's forms.
func basicForm(name string) (Form, bool) {
	switch name {
	case "string":
		return String, true
	case "bool":
		return Boolean, true
	case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64":
		return Integer, true
	case "float32", "float64":
		return Number, true
	case "any":
		return Any, true
	}
	return 0, false
}

// parseRef reads the use of a type. A type that has no one JSON form is an
// error.
func parseRef(expr ast.Expr) (*Ref, error) {
	switch e := expr.(type) {
	case *ast.Ident:
		if form, ok := basicForm(e.Name); ok {
			return &Ref{Form: form}, nil
		}
		if !e.IsExported() {
			return nil, fmt.Errorf("%s is not exported, so it has no place on the wire", e.Name)
		}
		return &Ref{Form: Named, Name: e.Name}, nil
	case *ast.StarExpr:
		return parseElem(Nullable, e.X)
	case *ast.ArrayType:
		return parseElem(List, e.Elt)
	case *ast.MapType:
		if key, ok := e.Key.(*ast.Ident); !ok || key.Name != "string" {
			return nil, errors.New("a map's keys must be strings")
		}
		return parseElem(Map, e.Value)
	case *ast.SelectorExpr:
		return parseQualified(e)
	}
	return nil, fmt.Errorf("%T has no JSON form that the generator knows", expr)
}

// parseElem reads a reference that wraps another one.
func parseElem(form Form, elem ast.Expr) (*Ref, error) {
	ref, err := parseRef(elem)
	if err != nil {
		return nil, err
	}
	return &Ref{Form: form, Elem: ref}, nil
}

// parseQualified reads a type of another package.
func parseQualified(e *ast.SelectorExpr) (*Ref, error) {
	pkg, _ := e.X.(*ast.Ident)
	switch {
	case pkg == nil:
	case pkg.Name == "json" && e.Sel.Name == "RawMessage":
		return &Ref{Form: Any}, nil
	case pkg.Name == "time" && e.Sel.Name == "Duration":
		return nil, errors.New("time.Duration hides its unit; use an integer with the unit in the name, such as timeoutMs")
	}
	return nil, errors.New("a type of another package has no JSON form that the generator knows")
}

// parseForms reads the words of a `types` or `values` tag, such as
// "boolean,string[]"; a word that begins with a capital letter is a declared
// type.
func parseForms(words string) (*Ref, error) {
	union := &Ref{Form: OneOf}
	for word := range strings.SplitSeq(words, ",") {
		name, list := strings.CutSuffix(word, "[]")
		ref := &Ref{Form: Named, Name: name}
		if !ast.IsExported(name) {
			form, ok := jsonForm(name)
			if !ok {
				return nil, fmt.Errorf("%q is not a JSON type", word)
			}
			ref = &Ref{Form: form}
		}
		if list {
			ref = &Ref{Form: List, Elem: ref}
		}
		union.Alts = append(union.Alts, ref)
	}
	return union, nil
}

// jsonForm maps JSON Schema's names of types to forms.
func jsonForm(name string) (Form, bool) {
	switch name {
	case "string":
		return String, true
	case "boolean":
		return Boolean, true
	case "integer":
		return Integer, true
	case "number":
		return Number, true
	case "null":
		return Null, true
	}
	return 0, false
}
