package conversation

// Known is what is known of the latest request of a conversation.
type Known struct {
	// ID is the client's own; empty when it has none.
	ID string `json:"id,omitempty"`
	// Length counts the messages of the latest request, and End is their
	// digest, as [History.End] gives it.
	Length int    `json:"length"`
	End    string `json:"end"`

	// history is that of the request; the zero value where an earlier process
	// has seen it.
	history History
}

// Known returns what is known of a conversation whose latest request this is.
func (h History) Known(id string) Known {
	return Known{ID: id, Length: h.Len(), End: h.End(h.Len()), history: h}
}

// Placement says which conversation a request belongs to, and what became of
// its history.
type Placement struct {
	// Conversation is the place in the list of known ones, or -1 for a new one.
	Conversation int
	// NewTurn: a user message is new.
	NewTurn bool
	// Compacted: what was said before stands there no more, but for a summary.
	Compacted bool
	// Edited: the history goes on otherwise than the known one: an answer was
	// asked for again, a message was changed, or this is another branch.
	Edited bool
}

// Place finds the conversation of a stateless request of a client, whose own id
// of it is id. It is the one whose latest request is a prefix of this one; the
// longest wins, then the one used last, which is the later in known. Else it is
// the one with which it shares most of what was said at the beginning, without
// an id an answer at least; and with an id, the one of that id that was used
// last. None means a new one.
//
// Several may share an id: an agent asks for another one under the id of the
// user's chat. A history in which nobody has answered yet is how a conversation
// begins, unless it begins like one that is known, or with a summary.
func Place(known []Known, id string, h History) Placement {
	best, like, latest, shared := -1, -1, -1, 0
	for i := range known {
		k := &known[i]
		if k.ID != id {
			continue
		}
		latest = i
		// One may be known by its id before any of its requests is.
		unasked := id != "" && k.Length == 0
		if (unasked || h.extends(k.Length, k.End)) && (best < 0 || k.Length >= known[best].Length) {
			best = i
		}
		if n := h.Shared(&k.history); h.begun(n, id != "") && n >= shared {
			like, shared = i, n
		}
	}
	if best >= 0 {
		return Placement{Conversation: best, NewTurn: h.hasUser(known[best].Length, h.Len())}
	}
	summarized := h.summarized(shared)
	switch {
	case like >= 0:
		return Placement{Conversation: like, Compacted: summarized, Edited: !summarized, NewTurn: h.hasUser(shared, h.Len())}
	case id == "" || latest < 0 || !summarized && !h.hasAnswer(0, h.Len()):
		return Placement{Conversation: -1, NewTurn: true}
	}
	// A client that sends only the latest messages leaves some of those that it
	// sent before; one that has summarized in a form that is not known, none.
	before := &known[latest].history
	compacted := summarized || before.Len() > 0 && !h.overlaps(before)
	return Placement{Conversation: latest, Compacted: compacted, Edited: !compacted, NewTurn: h.endsWithUser()}
}
