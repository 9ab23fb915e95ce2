package conversation

// Known describes the latest request of a conversation.
type Known struct {
	// ID is the client's ID of the conversation; empty if there is none.
	ID string `json:"id,omitempty"`
	// Length counts the messages of the latest request, and End is their digest by
	// [History.End].
	Length int    `json:"length"`
	End    string `json:"end"`

	// history is the request's history; zero if an earlier process handled it.
	history History
}

// Known returns the description of a conversation whose latest request is h.
func (h History) Known(id string) Known {
	return Known{ID: id, Length: h.Len(), End: h.End(h.Len()), history: h}
}

// Placement says which conversation a request belongs to, and how its history has
// changed.
type Placement struct {
	// Conversation is the index in the known ones, or -1 for a new one.
	Conversation int
	// NewTurn reports that a user message is new.
	NewTurn bool
	// Compacted reports that the earlier messages are gone, except for a summary.
	Compacted bool
	// Edited reports that the history differs from the known one: the client requested
	// another answer, changed a message, or continues another branch.
	Edited bool
}

// Place finds the conversation of a client's stateless request. id is the client's ID of
// it, or "". The conversation is the one whose latest request is the longest prefix of h;
// of equals, the last in known, which is the one used last. Otherwise it is the one that
// shares most of its beginning with h, at least one answer if there is no ID. Otherwise,
// with an ID, it is the one of that ID used last. If none matches, it is a new one.
//
// Several conversations may share an ID, because an agent may request another agent under
// the ID of the user's chat. So a history without an answer starts a new conversation,
// unless its beginning is known or it begins with a summary.
func Place(known []Known, id string, h History) Placement {
	best, like, latest, shared := -1, -1, -1, 0
	for i := range known {
		k := &known[i]
		if k.ID != id {
			continue
		}
		latest = i
		// A conversation may be known by its ID before its first request.
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
	// A client that sends only the latest messages repeats some that it sent before. A
	// client that has summarized in an unknown form repeats none.
	before := &known[latest].history
	compacted := summarized || before.Len() > 0 && !h.overlaps(before)
	return Placement{Conversation: latest, Compacted: compacted, Edited: !compacted, NewTurn: h.endsWithUser()}
}
