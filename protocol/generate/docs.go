package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainDoc is a declaration's doc for readers who do not know its Go name: the
// name that Go's custom puts first is left out, and the verb after it.
func plainDoc(name, doc string) string {
	rest, ok := strings.CutPrefix(doc, name)
	if !ok || rest == "" || !strings.ContainsAny(rest[:1], ": ") {
		return doc
	}
	rest = strings.TrimPrefix(strings.TrimLeft(rest, ": "), "is ")
	first, size := utf8.DecodeRuneInString(rest)
	return string(unicode.ToUpper(first)) + rest[size:]
}

// markdown joins the lines of each paragraph of a doc comment. Lists and
// indented code keep their lines; code is fenced.
func markdown(doc string) string {
	var out []string
	for para := range strings.SplitSeq(doc, "\n\n") {
		switch {
		case strings.HasPrefix(para, "\t"):
			code := strings.ReplaceAll(strings.TrimPrefix(para, "\t"), "\n\t", "\n")
			out = append(out, "```\n"+code+"\n```")
		case strings.HasPrefix(strings.TrimSpace(para), "- "):
			out = append(out, para)
		default:
			out = append(out, strings.ReplaceAll(para, "\n", " "))
		}
	}
	return strings.Join(out, "\n\n")
}

// screaming turns a Go name into a constant's name in TypeScript: MaxNameLen
// to MAX_NAME_LEN.
func screaming(name string) string {
	var out strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToUpper(r))
	}
	return out.String()
}
