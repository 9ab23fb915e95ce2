package router

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

const (
	// shortText and shortParameter bound in characters a tool's and a parameter's
	// description for a small model, which gets the first sentence of the latter.
	shortText      = 400
	shortParameter = 160
	// maxShortDepth is the depth to which a schema is shortened; deeper parts stay.
	maxShortDepth = 24
)

// presented returns what models get of a tool: all that its server says, or in the
// profile for small models only what a call needs. A host's own tools stay whole, since
// the host may send them itself, and so does the user's text. If a host's names do not
// tell two similar tools apart, the description begins with the server.
func (v *naming) presented(tool int) *presentation {
	c := v.Catalog
	short := v.Settings.Profile == protocol.ProfileSmall && (!c.verbatim || c.IsOwn(tool))
	kept := &c.presentations[tool].whole
	if short {
		kept = &c.presentations[tool].short
	}
	if p := kept.Load(); p != nil {
		return p
	}
	t := &c.Tools[tool]
	p := &presentation{t.Text(), t.Schema, t.Tokens}
	whose := ""
	if c.verbatim && !short {
		whose = c.whose(t)
	}
	switch {
	case short:
		p.schema = shortSchema(t.Schema)
		if t.Override == "" {
			p.description = shortened(p.description, shortText)
		}
	case whose != "":
		p.description = whose + p.description
	}
	if short || whose != "" {
		p.tokens = c.metaTokens.count(string(PresentedJSON(t.Name, p.description, p.schema)))
	}
	kept.Store(p)
	return p
}

// shortSchema returns an equivalent schema with less prose: without titles, comments and
// examples, with the first sentence of each description, and without unused definitions.
// Members keep their order.
func shortSchema(schema json.RawMessage) json.RawMessage {
	short := shortNode(schema, maxShortDepth)
	for _, key := range []string{"$defs", "definitions"} {
		short = withoutUnused(short, key)
	}
	return short
}

// shortNode shortens a schema, and returns any other value unchanged.
func shortNode(schema json.RawMessage, depth int) json.RawMessage {
	if depth == 0 || !isObject(schema) {
		return schema
	}
	return rewritten(schema, func(name string, value json.RawMessage) json.RawMessage {
		switch name {
		case "title", "$comment", "examples", "$schema":
			return nil
		case "description":
			if text := ijson.Text(value); text != "" {
				return ijson.AppendQuote(nil, shortened(opening(text), shortParameter))
			}
		case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
			if isObject(value) {
				return rewritten(value, func(_ string, value json.RawMessage) json.RawMessage { return shortNode(value, depth-1) })
			}
		case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties",
			"anyOf", "oneOf", "allOf", "prefixItems":
			var list []json.RawMessage
			if json.Unmarshal(value, &list) != nil {
				return shortNode(value, depth-1)
			}
			for i := range list {
				list[i] = shortNode(list[i], depth-1)
			}
			return slices.Concat([]byte("["), bytes.Join(asBytes(list), []byte(",")), []byte("]"))
		}
		return value
	})
}

// opening returns the first sentence of a text. A full stop before a small letter or
// after an abbreviation does not end it.
func opening(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for at := 0; ; {
		end := strings.Index(text[at:], ". ")
		if end < 0 {
			return text
		}
		at += end + len(". ")
		if next, _ := utf8.DecodeRuneInString(text[at:]); unicode.IsLower(next) || strings.HasSuffix(text[:at], "e.g. ") || strings.HasSuffix(text[:at], "i.e. ") {
			continue
		}
		return text[:at-1]
	}
}

func asBytes(list []json.RawMessage) [][]byte {
	all := make([][]byte, len(list))
	for i, one := range list {
		all[i] = one
	}
	return all
}

// rewritten returns an object with each member replaced by the result of change; a nil
// result removes the member. Any other value is returned unchanged.
func rewritten(object json.RawMessage, change func(name string, value json.RawMessage) json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	err := ijson.Each(object, func(name []byte, value json.RawMessage) {
		changed := change(string(name), value)
		if changed == nil {
			return
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(ijson.AppendQuote(b.AvailableBuffer(), string(name)))
		b.WriteByte(':')
		b.Write(changed)
	})
	if err != nil {
		return object
	}
	b.WriteByte('}')
	return b.Bytes()
}

// withoutUnused removes the definitions under a key to which no reference refers. It
// removes none if they may be referred to in another way.
func withoutUnused(schema json.RawMessage, key string) json.RawMessage {
	for _, other := range []string{`"$id"`, `"$anchor"`, `"$dynamicAnchor"`, `\/`, `\u`} {
		if bytes.Contains(schema, []byte(other)) {
			return schema
		}
	}
	defs := ijson.LastMember(schema, key)
	if !isObject(defs) {
		return schema
	}
	for again := true; again; { // a definition that only an unused one refers to is unused too
		again = false
		kept := rewritten(defs, func(name string, value json.RawMessage) json.RawMessage {
			path := []byte("/" + key + "/" + name)
			uses := 0
			for _, end := range []string{`"`, "/"} {
				named := append(slices.Clip(path), end...)
				uses += bytes.Count(schema, named) - bytes.Count(value, named)
			}
			if uses > 0 || strings.ContainsAny(name, "/~%\"\\ ") {
				return value
			}
			again = true
			return nil
		})
		schema = rewritten(schema, func(name string, value json.RawMessage) json.RawMessage {
			if name != key {
				return value
			}
			if len(kept) == len("{}") {
				return nil
			}
			return kept
		})
		defs = kept
	}
	return schema
}
