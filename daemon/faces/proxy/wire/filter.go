package wire

// Event is a server-sent event of a streamed response.
type Event struct {
	// Type is the event's name; empty if the format uses none.
	Type string
	// Data is a JSON value, or OpenAI's `[DONE]`.
	Data []byte
}

// Filter removes the calls of hidden tools from the events of a streamed response. A
// response that ends with hidden calls only is not ended for the client: its last events
// are withheld. The caller requests the next response with what the model has [Said], and
// its events continue where the first stopped.
//
// A Filter is not safe for concurrent use.
type Filter interface {
	// Pass returns the client's events for one event of the provider. On an error the
	// event is not understood, and the caller passes it and all later ones on unchanged.
	Pass(e Event) ([]Event, error)
	// Said returns what the model said in the response that has ended.
	Said() Said
	// Withheld returns the events that would have ended the response. It is empty unless
	// all calls in it were hidden.
	Withheld() []Event
	// Resume prepares the filter for the next response.
	Resume()
}

// Said is what the model said in one response.
type Said struct {
	// Messages are the messages for the next request, hidden calls included, in the
	// request's format.
	Messages [][]byte
	// Hidden are the calls of hidden tools, Others the calls passed to the client.
	Hidden []Call
	Others []Call
	// Text is the text passed to the client. Parts counts the content blocks, items or
	// parts passed to it.
	Text  string
	Parts int
}

// Unfinished reports whether the response continues with the results of the hidden calls,
// without the client.
func (s *Said) Unfinished() bool { return len(s.Hidden) > 0 && len(s.Others) == 0 }

// NewFilter returns a filter for the streamed responses to a request.
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
