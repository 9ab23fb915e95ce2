package conversation

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

// Origin is what a client says of the conversation that a request is of.
type Origin struct {
	// ID is the client's own; empty when it has none.
	ID string
	// Whole: the client has summarized nothing of the history, which therefore
	// begins where its conversation began.
	Whole bool
}

// Place finds the conversation of a stateless request: the one whose latest
// request is a prefix of this one; the longest wins, then the one used last,
// which is the later in known. None means a new one.
//
// With an id it is one of that id. Several may share it: an agent asks for
// another one under the id of the user's chat. A history that extends none of
// them was compacted, or edited, and goes on with the one used last; unless it
// is whole and nobody has answered in it yet, which is how a conversation begins.
func Place(known []Known, from Origin, h History) Placement {
	best, latest := -1, -1
	for i, k := range known {
		if k.ID != from.ID {
			continue
		}
		latest = i
		// One may be known by its id before any of its requests is.
		unasked := k.ID != "" && k.Length == 0
		if (unasked || h.extends(k.Length, k.End)) && (best < 0 || k.Length >= known[best].Length) {
			best = i
		}
	}
	if best >= 0 {
		return Placement{Conversation: best, NewTurn: h.hasUser(known[best].Length)}
	}
	if from.ID == "" || latest < 0 || from.Whole && !h.hasAnswer() {
		return Placement{Conversation: -1, NewTurn: true}
	}
	last := h.Len() - 1
	return Placement{Conversation: latest, Compacted: true, NewTurn: last >= 0 && h.messages[last].Role == roleUser}
}
