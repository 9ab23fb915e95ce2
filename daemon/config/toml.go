package config

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

// parseTOML parses the tables below one key of the root in data. It ignores arrays of
// tables.
func parseTOML(data []byte, lines *jsonc.Lines, key string) (root node, failure *syntaxError) {
	if failure = tomlTooDeep(data, lines); failure != nil {
		return node{}, failure
	}
	var p unstable.Parser
	p.Reset(data)
	// As for YAML, no file may crash the daemon.
	defer func() {
		if recover() != nil {
			root, failure = node{}, unreadable(at(1, 1), "invalid TOML", "strings are quoted, and each key stands on a line of its own")
		}
	}()
	root = node{kind: kindObject}
	var table []member // where keys are put: the names of the table, with their places
	wanted := false
	for p.NextExpression() {
		expression := p.Expression()
		switch expression.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = tomlKey(&p, expression.Key())
			wanted = expression.Kind == unstable.Table && table[0].key == key
			if wanted {
				root.put(table, node{kind: kindObject, at: table[0].at})
			}
		case unstable.KeyValue:
			path := tomlKey(&p, expression.Key())
			if wanted || len(table) == 0 && path[0].key == key {
				root.put(append(table[:len(table):len(table)], path...), tomlNode(&p, expression.Value(), path[0].at))
			}
		default: // comments are left out by the parser
		}
	}
	if err := p.Error(); err != nil {
		return node{}, tomlSyntaxError(&p, lines, err)
	}
	return root, nil
}

// put sets the value at a path of keys, and creates missing objects.
func (n *node) put(path []member, value node) {
	key := path[0]
	for i := range n.members {
		m := &n.members[i]
		if m.key != key.key || m.value.kind != kindObject {
			continue
		}
		if len(path) > 1 {
			m.value.put(path[1:], value)
			return
		}
		if value.kind == kindObject && len(value.members) == 0 {
			return
		}
	}
	if len(path) > 1 {
		made := node{kind: kindObject, at: key.at}
		made.put(path[1:], value)
		value = made
	}
	n.members = append(n.members, member{key.key, key.at, value})
}

// tomlKey returns the parts of a dotted key.
func tomlKey(p *unstable.Parser, parts unstable.Iterator) []member {
	var path []member
	for parts.Next() {
		part := parts.Node()
		path = append(path, member{key: string(part.Data), at: place{offset: int(part.Raw.Offset)}})
	}
	return path
}

// tomlNode converts a value into a node. Dates become strings, because no relevant key
// has one.
func tomlNode(p *unstable.Parser, v *unstable.Node, near place) node {
	n := node{at: near, text: string(v.Data)}
	switch v.Kind {
	case unstable.Bool:
		n.kind = kindBool
	case unstable.Integer, unstable.Float:
		n.kind = kindNumber
		n.text = string(bytes.ReplaceAll(v.Data, []byte("_"), nil))
	case unstable.Array:
		n.kind, n.text = kindList, ""
		for items := v.Children(); items.Next(); {
			n.items = append(n.items, tomlNode(p, items.Node(), near))
		}
	case unstable.InlineTable:
		n.kind, n.text = kindObject, ""
		for entries := v.Children(); entries.Next(); {
			entry := entries.Node()
			path := tomlKey(p, entry.Key())
			n.put(path, tomlNode(p, entry.Value(), path[0].at))
		}
	default:
		n.kind = kindString
	}
	return n
}

// tomlTooDeep refuses nesting that would exhaust the parser's stack. It ignores quotes,
// so it may refuse too much.
func tomlTooDeep(data []byte, lines *jsonc.Lines) *syntaxError {
	depth := 0
	for i, c := range data {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		}
		if depth > jsonc.MaxDepth {
			return jsonc.TooDeep(lines.At(i))
		}
	}
	return nil
}

// tomlSyntaxError converts an error of the parser, whose text may quote the file.
func tomlSyntaxError(p *unstable.Parser, lines *jsonc.Lines, err error) *syntaxError {
	where, message := at(1, 1), "invalid TOML"
	var located *unstable.ParserError
	if errors.As(err, &located) {
		if len(located.Highlight) > 0 {
			where = lines.At(int(p.Range(located.Highlight).Offset))
		}
		message = fmt.Sprintf("invalid TOML: %s", withoutQuotes(located.Message))
	}
	return unreadable(where, message, "strings are quoted, and each key stands on a line of its own")
}
