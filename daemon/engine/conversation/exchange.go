package conversation

import (
	"encoding/json"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// rawPart is a part of a message in the form that the client's side gave it.
type rawPart = json.RawMessage

// MaxRounds is how many rounds with the model one request may keep from its
// client.
const MaxRounds = 8

// Exchange is one request while the model answers it, in one round or several.
// It is a value; the zero one answers no request.
type Exchange struct {
	request string // the digest of its messages
	rounds  []protocol.InternalRound
}

// NewExchange begins the answer to the request of a history.
func NewExchange(h History) Exchange { return Exchange{request: h.End(h.Len())} }

// Answer is what a model answered in one round.
type Answer struct {
	Parts []protocol.AnswerPart
	// Delivered are the ids of the calls that the client got.
	Delivered []string
	// Answers are what Winnow answered to other calls.
	Answers []protocol.CallAnswer
}

// Next returns the exchange after a round of the model, what comes next, and,
// when that is nothing more, what the client's history will lack.
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

// lacking returns what the client's history will lack after a last round: the
// rounds before, and of the last one the calls that Winnow answered.
func (e Exchange) lacking(last Answer) Internal {
	in := Internal{Request: e.request, Delivered: last.Delivered, Rounds: e.rounds, Answers: last.Answers}
	for _, part := range last.Parts {
		if slices.ContainsFunc(last.Answers, func(a protocol.CallAnswer) bool { return part.Call == a.Call }) {
			in.Calls = append(in.Calls, part.Part)
		}
	}
	return in
}
