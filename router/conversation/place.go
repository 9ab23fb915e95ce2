package conversation

import "slices"

// Known is what is known of the latest request of a conversation.
type Known struct {
	// ID is the client's own; empty when it has none.
	ID string `json:"id,omitempty"`
	// Length counts the messages of the latest request, and End is their
	// digest, as [History.End] gives it.
	Length int    `json:"length"`
	End    string `json:"end"`
}

// Known returns what is known of a conversation whose latest request this is.
func (h History) Known(id string) Known {
	return Known{ID: id, Length: h.Len(), End: h.End(h.Len())}
}

// Placement says which conversation a request belongs to.
type Placement struct {
	// Conversation is the place in the list of known ones, or -1 for a new one.
	Conversation int
	// NewTurn: a user message is new.
	NewTurn bool
	// Compacted: the history is no longer an extension of the known one.
	Compacted bool
}

// Place finds the conversation of a stateless request. With an id, it is the
// one of that id; a history that no longer extends the known one was compacted,
// or edited. Without one it is the conversation whose latest request is a
// prefix of this one; the longest wins, then the one used last, which is the
// later in known. None means a new one.
func Place(known []Known, id string, h History) Placement {
	if id != "" {
		return placeByID(known, id, h)
	}
	best, length := -1, 0
	for i, k := range known {
		if k.ID == "" && k.Length >= length && h.extends(k.Length, k.End) {
			best, length = i, k.Length
		}
	}
	if best < 0 {
		return Placement{Conversation: -1, NewTurn: true}
	}
	return Placement{Conversation: best, NewTurn: h.hasUser(length)}
}

func placeByID(known []Known, id string, h History) Placement {
	i := slices.IndexFunc(known, func(k Known) bool { return k.ID == id })
	if i < 0 {
		return Placement{Conversation: -1, NewTurn: true}
	}
	// A conversation may be known by its id before any of its requests is.
	if k := known[i]; k.Length == 0 || h.extends(k.Length, k.End) {
		return Placement{Conversation: i, NewTurn: h.hasUser(k.Length)}
	}
	last := h.Len() - 1
	return Placement{Conversation: i, Compacted: true, NewTurn: last >= 0 && h.messages[last].Role == roleUser}
}
