package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

// Limits that keep the parser from taking minutes or exhausting memory.
const (
	// maxYAMLNodes limits the expansion of aliases.
	maxYAMLNodes = 100_000
	// maxYAMLKeys limits possible keys: the parser recurses and copies for each key of a
	// mapping, in quadratic time.
	maxYAMLKeys = 10_000
)

// parseYAML parses the first document of data, which is UTF-8 without a byte
// order mark.
func parseYAML(data []byte) (n node, failure *syntaxError) {
	if failure := yamlTooMuch(data); failure != nil {
		return node{}, failure
	}
	// The parser has panicked on odd input before; a file must never crash the daemon.
	defer func() {
		if recover() != nil {
			n, failure = node{}, unreadable(at(1, 1), "invalid YAML", "check the indentation, and quote strings that hold : # or brackets")
		}
	}()
	file, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return node{}, yamlSyntaxError(err)
	}
	if len(file.Docs) == 0 {
		return node{}, nil
	}
	builder := yamlBuilder{anchors: map[string]ast.Node{}, left: maxYAMLNodes}
	n, err = builder.node(file.Docs[0].Body, 0)
	if err != nil {
		return node{}, yamlSyntaxError(err)
	}
	return n, nil
}

// yamlTooMuch refuses what the parser cannot handle: nesting by brackets or markers
// beyond jsonc.MaxDepth, and more than maxYAMLKeys keys. It ignores quotes, so it may
// refuse too much.
func yamlTooMuch(data []byte) *syntaxError {
	brackets, keys, line := 0, 0, 0
	for text := range bytes.Lines(data) {
		line++
		for i, c := range text {
			switch c {
			case '{', '[':
				brackets++
			case '}', ']':
				brackets = max(0, brackets-1)
			case ',':
				keys += min(brackets, 1)
			}
			if brackets > jsonc.MaxDepth {
				return jsonc.TooDeep(at(line, i+1))
			}
		}
		if yamlMarkers(text) > jsonc.MaxDepth {
			return jsonc.TooDeep(at(line, 1))
		}
		if bytes.ContainsAny(text, ":?") {
			keys++
		}
		if keys > maxYAMLKeys {
			return unreadable(at(line, 1), fmt.Sprintf("the file has more than %d keys", maxYAMLKeys), "split it, for example into .roomodes files of several folders")
		}
	}
	return nil
}

// yamlMarkers counts the markers of a line that nest what follows: "- - - a".
func yamlMarkers(line []byte) int {
	n := 0
	for word := range bytes.FieldsSeq(line) {
		switch word[0] {
		case '-', '?', ':':
			if len(word) == 1 {
				n++
			}
		case '!', '&':
			n++
		}
	}
	return n
}

// yamlSyntaxError converts an error of the parser, whose own text quotes the file.
func yamlSyntaxError(err error) *syntaxError {
	var located yaml.Error
	if !errors.As(err, &located) || located.GetToken() == nil {
		return unreadable(at(1, 1), "invalid YAML: "+err.Error(), "")
	}
	token := located.GetToken().Position
	return unreadable(at(max(1, token.Line), max(1, token.Column)),
		"invalid YAML: "+withoutQuotes(located.GetMessage()),
		"check the indentation, and quote strings that hold : # or brackets")
}

// withoutQuotes cuts a message before anything quoted from the file.
func withoutQuotes(message string) string {
	if i := strings.IndexAny(message, "\"'`\n"); i >= 0 {
		return strings.TrimSpace(message[:i]) + " …"
	}
	return message
}

// yamlBuilder converts a YAML tree into nodes.
type yamlBuilder struct {
	anchors map[string]ast.Node
	left    int // nodes that may still be created
}

func (b *yamlBuilder) node(n ast.Node, depth int) (node, error) {
	if b.left--; b.left < 0 {
		return node{}, fmt.Errorf("aliases unfold to more than %d values", maxYAMLNodes)
	}
	if depth > jsonc.MaxDepth {
		return node{}, fmt.Errorf("nested more than %d levels deep", jsonc.MaxDepth)
	}
	at := yamlPlace(n)
	switch v := n.(type) {
	case nil:
		return node{kind: kindNull, at: at}, nil
	case *ast.AnchorNode:
		b.anchors[v.Name.GetToken().Value] = v.Value
		return b.node(v.Value, depth+1)
	case *ast.AliasNode:
		return b.node(b.anchors[v.Value.GetToken().Value], depth+1)
	case *ast.TagNode:
		value, err := b.node(v.Value, depth+1)
		if v.Start.Value == "!!str" && value.kind < kindList {
			value.kind = kindString
		}
		return value, err
	case ast.MapNode:
		return b.object(v, at, depth)
	case *ast.SequenceNode:
		return b.list(v, at, depth)
	default:
		return scalar(n, at), nil
	}
}

func (b *yamlBuilder) object(m ast.MapNode, at place, depth int) (node, error) {
	n := node{kind: kindObject, at: at}
	for entries := m.MapRange(); entries.Next(); {
		value, err := b.node(entries.Value(), depth+1)
		if err != nil {
			return node{}, err
		}
		var key ast.Node = entries.Key()
		if explicit, ok := key.(*ast.MappingKeyNode); ok {
			key = explicit.Value // "? key"
		}
		n.members = append(n.members, member{scalar(key, yamlPlace(key)).text, yamlPlace(key), value})
	}
	return n, nil
}

func (b *yamlBuilder) list(s *ast.SequenceNode, at place, depth int) (node, error) {
	n := node{kind: kindList, at: at}
	for _, v := range s.Values {
		item, err := b.node(v, depth+1)
		if err != nil {
			return node{}, err
		}
		n.items = append(n.items, item)
	}
	return n, nil
}

// scalar converts a scalar.
func scalar(n ast.Node, at place) node {
	switch v := n.(type) {
	case *ast.StringNode:
		return node{kind: kindString, at: at, text: v.Value}
	case *ast.LiteralNode:
		return node{kind: kindString, at: at, text: v.Value.Value}
	case *ast.BoolNode:
		return node{kind: kindBool, at: at, text: fmt.Sprint(v.Value)}
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return node{kind: kindNumber, at: at, text: n.GetToken().Value}
	case *ast.NullNode, nil:
		return node{kind: kindNull, at: at}
	default:
		return node{kind: kindString, at: at, text: n.GetToken().Value}
	}
}

func yamlPlace(n ast.Node) place {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return place{position: at(1, 1)}
	}
	p := n.GetToken().Position
	return place{position: at(max(1, p.Line), max(1, p.Column))}
}

// cleanYAML replaces characters of word processors and web pages in copied modes, as Roo
// Code does.
func cleanYAML(data []byte) []byte {
	return []byte(strings.NewReplacer(
		"\u00a0", " ", // no-break space
		"\u200b", "", "\u200c", "", "\u200d", "", "\ufeff", "", // zero width
		"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2015", "-", "\u2212", "-",
		"\u2018", "'", "\u2019", "'",
		"\u201c", `"`, "\u201d", `"`,
	).Replace(string(data)))
}
