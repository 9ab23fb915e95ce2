package conversation

import (
	"encoding/json"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// rawPart is a part of a message in the client's format.
type rawPart = json.RawMessage

// MaxRounds is how many rounds with the model one request may hide from its client.
const MaxRounds = 8

// Exchange is one request while the model answers it, in one or more rounds. It is a
// value; the zero value answers no request.
type Exchange struct {
	request string // the digest of its messages
	rounds  []protocol.InternalRound
}

// NewExchange returns the exchange for the request of a history.
func NewExchange(h History) Exchange { return Exchange{request: h.End(h.Len())} }

// Answer is a model's answer in one round.
type Answer struct {
	Parts []protocol.AnswerPart
	// Delivered holds the IDs of the calls that the client received.
	Delivered []string
	// Answers holds Winnow's answers to other calls.
	Answers []protocol.CallAnswer
}

// Next returns the exchange after a round of the model and what comes next. If the
// exchange is over, it also returns what the client's history will lack.
func (e Exchange) Next(a Answer) (Exchange, protocol.ConversationNext, Internal) {
	internal := len(a.Delivered) == 0 && len(a.Answers) > 0
	switch {
	case !internal:
		return e, protocol.NextEnd, e.lacking(a)
	case len(e.rounds) == MaxRounds:
		return e, protocol.NextStop, e.lacking(Answer{})
	}
	round := protocol.InternalRound{Parts: make([]rawPart, len(a.Parts)), Answers: a.Answers}
	for i, part := range a.Parts {
		round.Parts[i] = part.Part
	}
	e.rounds = append(slices.Clip(e.rounds), round)
	if len(e.rounds) == MaxRounds {
		return e, protocol.NextSendLast, Internal{}
	}
	return e, protocol.NextSend, Internal{}
}

// lacking returns what the client's history will lack after the last round: the earlier
// rounds and, of the last one, the calls that Winnow answered.
func (e Exchange) lacking(last Answer) Internal {
	in := Internal{Request: e.request, Delivered: last.Delivered, Rounds: e.rounds, Answers: last.Answers}
	for _, part := range last.Parts {
		if slices.ContainsFunc(last.Answers, func(a protocol.CallAnswer) bool { return part.Call == a.Call }) {
			in.Calls = append(in.Calls, part.Part)
		}
	}
	return in
}
