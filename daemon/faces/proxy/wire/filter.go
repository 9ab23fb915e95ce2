package wire

// Event is a server-sent event of a streamed answer.
type Event struct {
	// Type is the event's name; empty where the format names none.
	Type string
	// Data is a JSON value, or OpenAI's `[DONE]`.
	Data []byte
}

// Filter passes the events of a streamed answer on to the client, without the
// calls of hidden tools. An answer that ends with calls of hidden tools alone
// does not end for the client: its last events are withheld, and those of the
// next answer, which the caller asks for with what the model has [Said], go on
// where it stopped.
//
// A Filter belongs to one goroutine.
type Filter interface {
	// Pass returns the events that the client gets for one of the provider's.
	// An error means that the event is not understood: the caller passes it,
	// and whatever follows, on as it is.
	Pass(e Event) ([]Event, error)
	// Said returns what the model has said in the answer that has ended.
	Said() Said
	// Withheld returns the events that would have ended the answer. There are
	// some only when every call in it was of a hidden tool.
	Withheld() []Event
	// Resume makes the filter ready for the events of the next answer.
	Resume()
}

// Said is what the model said in one answer.
type Said struct {
	// Messages are its messages as the next request has to repeat them, calls
	// of hidden tools included, in the request's format.
	Messages [][]byte
	// Hidden are the calls of hidden tools, and Others those that the client
	// has got.
	Hidden []Call
	Others []Call
	// Text is what the client has got as text, and Parts counts what it has
	// got of content blocks, items or parts.
	Text  string
	Parts int
}

// Unfinished reports whether the answer goes on with the results of the hidden
// calls, without the client.
func (s *Said) Unfinished() bool { return len(s.Hidden) > 0 && len(s.Others) == 0 }

// NewFilter returns a filter for the streamed answers to a request.
func NewFilter(q *Request, hidden func(name string) bool) Filter {
	switch q.Format {
	case Responses:
		return &responsesFilter{hidden: hidden, stored: q.Stored}
	case Messages:
		return &anthropicFilter{hidden: hidden}
	case Gemini:
		return &geminiFilter{hidden: hidden}
	}
	return &chatFilter{hidden: hidden}
}
