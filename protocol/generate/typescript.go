package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// typeScript writes the wire types, the constants and the typed requests.
func typeScript(pkg *Package, rows []Row) ([]byte, error) {
	names, err := pkg.methodNames()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "// Code generated from package protocol by `%s`. DO NOT EDIT.\n\n", command)
	out.WriteString("import { NotificationType, RequestType } from \"vscode-jsonrpc\";\n\n")
	for _, c := range pkg.Constants {
		if !strings.HasPrefix(c.Name, methodPrefix) {
			tsComment(&out, "", pkg.tsDoc(c.Doc))
			fmt.Fprintf(&out, "export const PROTOCOL_%s = %s;\n\n", screaming(c.Name), c.Literal)
		}
	}
	for _, t := range pkg.reach(wireNames(rows)) {
		pkg.tsType(&out, t)
		if t.Name == "CauseKind" {
			tsCauseTexts(&out)
		}
	}
	for _, row := range rows {
		tsMethod(&out, names[row.Method], row)
	}
	return append(bytes.TrimRight(out.Bytes(), "\n"), '\n'), nil
}

// tsType writes one declared type.
func (p *Package) tsType(out *bytes.Buffer, t *Type) {
	tsComment(out, "", p.tsDoc(t.Doc))
	switch {
	case t.Kind == StringEnum:
		p.tsUnion(out, t)
	case t.Kind == IntEnum:
		p.tsCodes(out, t)
	case len(t.Fields) == 0:
		fmt.Fprintf(out, "export type %s = Record<string, never>;\n\n", t.Name)
	default:
		p.tsInterface(out, t)
	}
}

// tsUnion writes strings as a union of literals.
func (p *Package) tsUnion(out *bytes.Buffer, t *Type) {
	fmt.Fprintf(out, "export type %s =", t.Name)
	for _, v := range t.Values {
		out.WriteString("\n")
		tsComment(out, "  ", p.tsDoc(plainDoc(v.Name, v.Doc)))
		fmt.Fprintf(out, "  | %s", v.Literal)
	}
	out.WriteString(";\n\n")
}

// tsCodes writes integers as an object of constants, and the type of them.
func (p *Package) tsCodes(out *bytes.Buffer, t *Type) {
	fmt.Fprintf(out, "export const %s = {\n", t.Name)
	for _, v := range t.Values {
		tsComment(out, "  ", p.tsDoc(plainDoc(v.Name, v.Doc)))
		fmt.Fprintf(out, "  %s: %s,\n", strings.TrimPrefix(v.Name, t.Name), v.Literal)
	}
	fmt.Fprintf(out, "} as const;\nexport type %[1]s = (typeof %[1]s)[keyof typeof %[1]s];\n\n", t.Name)
}

// tsInterface writes a struct; embedded structs become what it extends.
func (p *Package) tsInterface(out *bytes.Buffer, t *Type) {
	var bases []string
	for _, f := range t.Fields {
		if f.Embedded() {
			bases = append(bases, f.Type.ts())
		}
	}
	extends := ""
	if len(bases) > 0 {
		extends = " extends " + strings.Join(bases, ", ")
	}
	fmt.Fprintf(out, "export interface %s%s {\n", t.Name, extends)
	for _, f := range t.Fields {
		if !f.Embedded() {
			tsComment(out, "  ", p.tsDoc(f.Doc))
			fmt.Fprintf(out, "  %s;\n", f.ts())
		}
	}
	out.WriteString("}\n\n")
}

// ts is the field's declaration. An optional pointer is a field that may be
// absent, a required one a field that may be null.
func (f Field) ts() string {
	if !f.Optional {
		return f.JSON + ": " + f.Type.ts()
	}
	ref := f.Type
	if ref.Form == Nullable {
		ref = ref.Elem
	}
	return f.JSON + "?: " + ref.ts()
}

// ts is the reference as a TypeScript type.
func (r *Ref) ts() string {
	switch r.Form {
	case String:
		return "string"
	case Boolean:
		return "boolean"
	case Integer, Number:
		return "number"
	case Null:
		return "null"
	case Named:
		return r.Name
	case List:
		if r.Elem.Form == OneOf || r.Elem.Form == Nullable {
			return "(" + r.Elem.ts() + ")[]"
		}
		return r.Elem.ts() + "[]"
	case Map:
		return "Record<string, " + r.Elem.ts() + ">"
	case Nullable:
		return r.Elem.ts() + " | null"
	case OneOf:
		alts := make([]string, len(r.Alts))
		for i, alt := range r.Alts {
			alts[i] = alt.ts()
		}
		return strings.Join(alts, " | ")
	default:
		return "unknown"
	}
}

// tsCauseTexts writes the words of causes.
func tsCauseTexts(out *bytes.Buffer) {
	texts := protocol.CauseTexts()
	tsComment(out, "", "The words of each kind of a cause, in which {owner}, {key} and {text} stand for its members.")
	out.WriteString("export const causeTexts: Record<CauseKind, string> = {\n")
	for _, kind := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(out, "  %s: %q,\n", kind, texts[kind])
	}
	out.WriteString("};\n\n")
}

// tsMethod writes one row of the method table as a typed constant.
func tsMethod(out *bytes.Buffer, name string, row Row) {
	ctor, types := "NotificationType", row.Params
	if row.Result != "" {
		ctor, types = "RequestType", row.Params+", "+row.Result+", ErrorData"
	}
	fmt.Fprintf(out, "/** %s */\nexport const %s = new %s<%s>(\n  %q,\n);\n\n", tsDirection(row.Direction), name, ctor, types, row.Method)
}

// tsDirection says in words who sends a message.
func tsDirection(d protocol.Direction) string {
	switch d {
	case protocol.ToServer:
		return "Host to daemon."
	case protocol.ToClient:
		return "Daemon to host."
	default:
		return "Either way."
	}
}
