package conversation

import (
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// maxInternal is how many answers of one conversation keep their internal rounds. The
// oldest are dropped.
const maxInternal = 64

// Internal is what a client's history lacks of one answer: the rounds that Winnow
// answered itself, and their place. It is immutable.
type Internal struct {
	// ID numbers the entries of a conversation, from 1.
	ID int64 `json:"id"`
	// Request is the digest of the answered request.
	Request string `json:"request"`
	// Delivered holds the IDs of the calls that the client received with the answer.
	Delivered []string `json:"delivered,omitempty"`
	// Rounds, Calls and Answers are those of [protocol.InternalRounds].
	Rounds  []protocol.InternalRound `json:"rounds,omitempty"`
	Calls   []rawPart                `json:"calls,omitempty"`
	Answers []protocol.CallAnswer    `json:"answers,omitempty"`
}

// empty reports whether the client's history lacks nothing.
func (in *Internal) empty() bool { return len(in.Rounds) == 0 && len(in.Calls) == 0 }

// Remember returns entries with in appended under the next ID. It replaces the entry of
// an earlier answer to the same request.
func Remember(entries []Internal, in Internal) []Internal {
	if in.empty() {
		return entries
	}
	in.ID = 1
	if len(entries) > 0 {
		in.ID = entries[len(entries)-1].ID + 1
	}
	next := slices.DeleteFunc(slices.Clone(entries), func(e Internal) bool { return e.Request == in.Request })
	next = append(next, in)
	return next[max(0, len(next)-maxInternal):]
}

// Restore returns what the history of a later request lacks, in its order.
func Restore(entries []Internal, h History) []protocol.InternalRounds {
	var found []protocol.InternalRounds
	if len(entries) == 0 {
		return nil
	}
	for i, m := range h.messages {
		if m.Role != roleAssistant {
			continue
		}
		if e := find(entries, m.Calls, h.End(i)); e != nil {
			found = append(found, protocol.InternalRounds{
				ID: e.ID, Message: i, Rounds: e.Rounds, Calls: e.Calls, Answers: e.Answers,
			})
		}
	}
	return found
}

// find returns the entry of an assistant's message: by its calls or, if it has none, by
// the digest of all messages before it.
func find(entries []Internal, calls []protocol.MessageCall, before string) *Internal {
	i := slices.IndexFunc(entries, func(e Internal) bool {
		if len(calls) == 0 {
			return len(e.Delivered) == 0 && e.Request == before
		}
		return slices.ContainsFunc(calls, func(c protocol.MessageCall) bool { return slices.Contains(e.Delivered, c.ID) })
	})
	if i < 0 {
		return nil
	}
	return &entries[i]
}
