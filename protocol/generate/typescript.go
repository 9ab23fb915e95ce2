package main

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// typeScript mirrors the types of the wire, and has a typed request for each
// method, by the name of its constant.
func typeScript(wire *reach, methods []protocol.Method, names map[string]string) []byte {
	p := wire.pkg
	var out bytes.Buffer
	fmt.Fprintf(&out, "// Code generated from package protocol by `%s`. DO NOT EDIT.\n\n", command)
	out.WriteString("import { NotificationType, RequestType } from \"vscode-jsonrpc\";\n\n")
	for _, c := range p.Values[""] {
		if !strings.HasPrefix(c.Name, methodPrefix) {
			p.tsComment(&out, "", c.Doc)
			fmt.Fprintf(&out, "export const PROTOCOL_%s = %s;\n\n", screaming(c.Name), c.Literal)
		}
	}
	for _, name := range wire.inOrder() {
		p.tsComment(&out, "", p.Docs[name])
		switch t := wire.types[name]; {
		case t.Kind() == reflect.Struct:
			p.tsInterface(&out, t)
		case t.Kind() == reflect.String:
			p.tsUnion(&out, name)
		default:
			p.tsCodes(&out, name)
		}
		if name == "CauseKind" {
			tsCauseTexts(&out)
		}
	}
	for _, m := range methods {
		tsMethod(&out, names[m.Name], m)
	}
	return append(bytes.TrimRight(out.Bytes(), "\n"), '\n')
}

// tsUnion writes a string type with its values.
func (p *Package) tsUnion(out *bytes.Buffer, name string) {
	fmt.Fprintf(out, "export type %s =", name)
	for _, v := range p.Values[name] {
		out.WriteString("\n")
		p.tsComment(out, "  ", plainDoc(v.Name, v.Doc))
		fmt.Fprintf(out, "  | %s", v.Literal)
	}
	out.WriteString(";\n\n")
}

// tsCodes writes an integer type with its values by name.
func (p *Package) tsCodes(out *bytes.Buffer, name string) {
	fmt.Fprintf(out, "export const %s = {\n", name)
	for _, v := range p.Values[name] {
		p.tsComment(out, "  ", plainDoc(v.Name, v.Doc))
		fmt.Fprintf(out, "  %s: %s,\n", strings.TrimPrefix(v.Name, name), v.Literal)
	}
	fmt.Fprintf(out, "} as const;\nexport type %[1]s = (typeof %[1]s)[keyof typeof %[1]s];\n\n", name)
}

// tsInterface writes a struct.
func (p *Package) tsInterface(out *bytes.Buffer, t reflect.Type) {
	var bases []string
	fields := p.fields(t)
	for _, f := range fields {
		if f.JSON == "" {
			bases = append(bases, f.Type.Name())
		}
	}
	if len(fields) == 0 {
		fmt.Fprintf(out, "export type %s = Record<string, never>;\n\n", t.Name())
		return
	}
	extends := ""
	if len(bases) > 0 {
		extends = " extends " + strings.Join(bases, ", ")
	}
	fmt.Fprintf(out, "export interface %s%s {\n", t.Name(), extends)
	for _, f := range fields {
		if f.JSON != "" {
			p.tsComment(out, "  ", f.Doc)
			fmt.Fprintf(out, "  %s;\n", f.ts())
		}
	}
	out.WriteString("}\n\n")
}

// ts is a member. Where it may be left out, it is not null.
func (f *Field) ts() string {
	mark, t := ": ", f.Type
	if f.Optional {
		mark = "?: "
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	words, values := f.words()
	union := strings.ReplaceAll(strings.Join(words, " | "), "integer", "number")
	switch {
	case values:
		return f.JSON + mark + "Record<string, " + union + ">"
	case words != nil:
		return f.JSON + mark + union
	}
	return f.JSON + mark + tsType(t)
}

func tsType(t reflect.Type) string {
	switch {
	case t == rawMessage || t.Kind() == reflect.Interface:
		return "unknown"
	case declared(t):
		return t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return tsType(t.Elem()) + " | null"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Pointer {
			return "(" + tsType(t.Elem()) + ")[]"
		}
		return tsType(t.Elem()) + "[]"
	case reflect.Map:
		return "Record<string, " + tsType(t.Elem()) + ">"
	}
	return strings.Replace(basics[t.Kind()], "integer", "number", 1)
}

// tsCauseTexts writes the words of causes.
func tsCauseTexts(out *bytes.Buffer) {
	texts := protocol.CauseTexts()
	(&Package{}).tsComment(out, "", "The words of each kind of a cause, in which {owner}, {key} and {text} stand for its members.")
	out.WriteString("export const causeTexts: Record<CauseKind, string> = {\n")
	for _, kind := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(out, "  %s: %q,\n", kind, texts[kind])
	}
	out.WriteString("};\n\n")
}

// tsMethod writes a typed request or notification.
func tsMethod(out *bytes.Buffer, name string, m protocol.Method) {
	ctor, types := "NotificationType", reflect.TypeOf(m.Params).Name()
	if m.Result != nil {
		ctor, types = "RequestType", types+", "+reflect.TypeOf(m.Result).Name()+", ErrorData"
	}
	fmt.Fprintf(out, "/** %s */\nexport const %s = new %s<%s>(\n  %q,\n);\n\n", tsDirection(m.Direction), name, ctor, types, m.Name)
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

// docLink is a Go doc link, such as [Settings] or [ServerInfo.File].
var docLink = regexp.MustCompile(`\[([A-Z][A-Za-z0-9]*)(\.[A-Z][A-Za-z0-9]*)?\]`)

// tsDoc turns Go's doc links into TSDoc's. What is no link to a wire type
// stays as it is, such as Markdown's own brackets.
func (p *Package) tsDoc(doc string) string {
	return docLink.ReplaceAllStringFunc(doc, func(text string) string {
		name := docLink.FindStringSubmatch(text)[1]
		if !slices.Contains(p.Types, name) {
			return text
		}
		return "{@link " + name + "}"
	})
}

// tsComment writes a doc comment; nothing when there is no text.
func (p *Package) tsComment(out *bytes.Buffer, indent, doc string) {
	if doc == "" {
		return
	}
	doc = strings.ReplaceAll(p.tsDoc(doc), "*/", "*\\/")
	lines := strings.Split(doc, "\n")
	if len(lines) == 1 {
		fmt.Fprintf(out, "%s/** %s */\n", indent, doc)
		return
	}
	fmt.Fprintf(out, "%s/**\n", indent)
	for _, line := range lines {
		fmt.Fprintf(out, "%s\n", strings.TrimRight(indent+" * "+line, " "))
	}
	fmt.Fprintf(out, "%s */\n", indent)
}
