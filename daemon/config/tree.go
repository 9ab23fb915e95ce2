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

// String names the kind as a message does.
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

// node is a value of a JSON or YAML file with its place, so that both are
// decoded by the same code.
type node struct {
	kind kind
	at   place
	// text is the value of a string, and what is written of a number or boolean.
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

// place is where something is in a text. JSON has a byte offset, and its
// position is worked out only when it is needed; YAML has a position.
type place struct {
	offset   int
	position position
}

// fields returns the members of an object with the last of each key, which is
// the one JavaScript clients see, and calls repeated for those it replaces.
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

// position is where something is in a text.
type position = jsonc.Position

// syntaxError is why a text is not a document.
type syntaxError = jsonc.SyntaxError

// at is the position in a line and a column, which count from 1.
func at(line, column int) position { return position{Line: line, Column: column} }

// unreadable says where a text is no document, why, and what to do about it.
func unreadable(where position, message, hint string) *syntaxError {
	return &syntaxError{Position: where, Message: message, Hint: hint}
}
