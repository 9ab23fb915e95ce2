package config

import "github.com/winnow-mcp/winnow/daemon/config/jsonc"

// kind is the type of a value in a file.
type kind int

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindList
	kindObject
)

// String returns the kind's name for messages.
func (k kind) String() string {
	switch k {
	case kindNull:
		return "null"
	case kindBool:
		return "true or false"
	case kindNumber:
		return "a number"
	case kindString:
		return "a string"
	case kindList:
		return "a list"
	default:
		return "an object"
	}
}

// node is a value of a file with its position, common to all formats.
type node struct {
	kind kind
	at   place
	// text is the value of a string, or a number or boolean as written.
	text    string
	members []member // of an object, in the order of the file, duplicates kept
	items   []node   // of a list
}

// member is one key of an object.
type member struct {
	key   string
	at    place
	value node
}

// place is a position in a text. JSON has a byte offset, converted only when needed; YAML
// has a position.
type place struct {
	offset   int
	position position
}

// fields returns the members of an object, the last of each key, as JavaScript clients
// do. It calls repeated for overridden ones.
func (n node) fields(repeated func(first, again member)) []member {
	index := make(map[string]int, len(n.members))
	kept := make([]member, 0, len(n.members))
	for _, m := range n.members {
		i, seen := index[m.key]
		if !seen {
			index[m.key] = len(kept)
			kept = append(kept, m)
			continue
		}
		repeated(kept[i], m)
		kept[i] = m
	}
	return kept
}

// position is a position in a text.
type position = jsonc.Position

// syntaxError says why a text cannot be parsed.
type syntaxError = jsonc.SyntaxError

// at returns the position of a line and a column, both 1-based.
func at(line, column int) position { return position{Line: line, Column: column} }

// unreadable returns a syntax error with a hint.
func unreadable(where position, message, hint string) *syntaxError {
	return &syntaxError{Position: where, Message: message, Hint: hint}
}
