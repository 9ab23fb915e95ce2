package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

// fields reads the fields of a struct, in their order.
func (s *source) fields(st *ast.StructType) ([]Field, error) {
	var fields []Field
	for _, f := range st.Fields.List {
		ref, err := parseRef(f.Type)
		if err != nil {
			return nil, s.errorf(f.Pos(), "%w", err)
		}
		if len(f.Names) == 0 {
			fields = append(fields, Field{Type: ref})
			continue
		}
		for _, name := range f.Names {
			field, err := newField(name, f, ref)
			if err != nil {
				return nil, s.errorf(name.Pos(), "field %s: %w", name.Name, err)
			}
			if field.JSON != "-" {
				fields = append(fields, field)
			}
		}
	}
	return fields, nil
}

// newField reads a field's tags.
func newField(name *ast.Ident, f *ast.Field, ref *Ref) (Field, error) {
	field := Field{Type: ref, Doc: docText(f.Doc, f.Comment)}
	if f.Tag != nil {
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return field, fmt.Errorf("unquote the tag: %w", err)
		}
		field.Tag = reflect.StructTag(tag)
	}
	jsonName, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	if jsonName == "" {
		// Without a tag Go's own capital letter would be on the wire.
		return field, errors.New("needs a json tag")
	}
	if jsonName != "-" && !name.IsExported() {
		return field, errors.New("has a json tag but is not exported")
	}
	field.JSON = jsonName
	field.Optional = strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
	return field, applyForms(&field)
}

// applyForms gives a field the forms that its `types` or `values` tag names.
func applyForms(field *Field) error {
	if words := field.Tag.Get("types"); words != "" {
		union, err := parseForms(words)
		if err != nil {
			return fmt.Errorf("types tag: %w", err)
		}
		field.Type = union
	}
	if words := field.Tag.Get("values"); words != "" {
		union, err := parseForms(words)
		if err != nil {
			return fmt.Errorf("values tag: %w", err)
		}
		field.Type = &Ref{Form: Map, Elem: union}
	}
	return nil
}

// jsonLiteral turns a Go literal, with or without a minus, into JSON.
func jsonLiteral(expr ast.Expr) (string, error) {
	minus := ""
	if unary, ok := expr.(*ast.UnaryExpr); ok && unary.Op == token.SUB {
		minus, expr = "-", unary.X
	}
	lit, ok := expr.(*ast.BasicLit)
	if !ok {
		return "", errors.New("a constant on the wire is a literal")
	}
	switch lit.Kind {
	case token.INT:
		return minus + lit.Value, nil
	case token.STRING:
		text, err := strconv.Unquote(lit.Value)
		if err != nil {
			return "", fmt.Errorf("unquote the value: %w", err)
		}
		quoted, err := json.Marshal(text)
		return string(quoted), err
	}
	return "", fmt.Errorf("a constant on the wire is a string or an integer, not %s", lit.Kind)
}
