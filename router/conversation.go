package router

import (
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// Conversation is what is known of the requests of one task.
type Conversation struct {
	Task string
	// ID is the host's own; empty when it has none.
	ID string
	// Messages are the digests of the latest request.
	Messages []protocol.MessageDigest
}

// Placement says which task a request belongs to.
type Placement struct {
	// Task is the place in the list of known conversations, or -1 for a new
	// task.
	Task int
	// NewTurn: a user message is new.
	NewTurn bool
	// Compacted: the history is no longer an extension of the known one.
	Compacted bool
}

// Place finds the task of a stateless request. With an id, it is the task of
// that id; a history that no longer extends the known one was compacted, or
// edited. Without one it is the task whose latest request is a prefix of this
// one; the longest wins, then the one used last, which is the later in known.
// No such task means a new one.
func Place(known []Conversation, id string, messages []protocol.MessageDigest) Placement {
	if id != "" {
		return placeByID(known, id, messages)
	}
	best, length := -1, -1
	for i := range known {
		c := &known[i]
		if c.ID == "" && len(c.Messages) >= length && isPrefix(c.Messages, messages) {
			best, length = i, len(c.Messages)
		}
	}
	if best < 0 {
		return Placement{Task: -1, NewTurn: true}
	}
	return Placement{Task: best, NewTurn: hasUser(messages[length:])}
}

func placeByID(known []Conversation, id string, messages []protocol.MessageDigest) Placement {
	i := slices.IndexFunc(known, func(c Conversation) bool { return c.ID == id })
	if i < 0 {
		return Placement{Task: -1, NewTurn: true}
	}
	// A task may be known by its id before any of its requests is.
	if before := known[i].Messages; len(before) == 0 || isPrefix(before, messages) {
		return Placement{Task: i, NewTurn: hasUser(messages[len(before):])}
	}
	last := len(messages) - 1
	return Placement{Task: i, Compacted: true, NewTurn: last >= 0 && messages[last].Role == "user"}
}

// isPrefix reports whether a known request is the beginning of another. An
// empty one is the beginning of none.
func isPrefix(before, messages []protocol.MessageDigest) bool {
	return len(before) > 0 && len(before) <= len(messages) && slices.Equal(before, messages[:len(before)])
}

func hasUser(messages []protocol.MessageDigest) bool {
	return slices.ContainsFunc(messages, func(m protocol.MessageDigest) bool { return m.Role == "user" })
}
