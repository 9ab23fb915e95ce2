package wire

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// chatFilter filters the chunks of chat completions.
type chatFilter struct {
	hidden func(name string) bool
	// id is the id of the first response; later ones get it too.
	id      []byte
	resumed bool
	text    strings.Builder
	calls   []*chatCall
	// passed counts the calls passed to the client in all responses.
	passed   int
	withheld []Event
}

// chatCall is a streamed call.
type chatCall struct {
	Call
	index  string // in the provider's answer
	hidden bool
	place  int // in the client's response
	first  chatCallDelta
	pieces strings.Builder // of the arguments
}

// chatChunk holds the positions of a chunk's parts.
type chatChunk struct {
	text      []byte
	id        span
	choices   int
	role      bool
	content   string
	calls     []chatCallDelta
	callsAt   span // the member tool_calls
	callsList span // its value
	finish    span // the value of finish_reason, unless it is null
	otherData bool // the delta holds something else
}

// chatCallDelta is a delta of a call. Its spans are within text.
type chatCallDelta struct {
	text      []byte
	index     string
	indexAt   span // the value
	indexIn   span // the member
	id, name  string
	arguments string
	argsAt    span
}

var done = []byte("[DONE]")

func (f *chatFilter) Pass(e Event) ([]Event, error) {
	if bytes.Equal(bytes.TrimSpace(e.Data), done) {
		return f.ending(e), nil
	}
	c, err := readChatChunk(e.Data)
	if err != nil {
		return nil, fmt.Errorf("chat chunk: %w", err)
	}
	if c.choices > 1 {
		return nil, fmt.Errorf("%w: more than one choice", ErrUnknown)
	}
	if c.choices == 0 { // usage, after the end
		return f.ending(f.renamed(e, &c)), nil
	}
	f.text.WriteString(c.content)
	pieces := f.takeCalls(&c)
	if len(c.calls) > 0 && len(pieces) == 0 { // every call in it is hidden
		if c.content == "" && c.finish.empty() && !c.otherData {
			return nil, nil
		}
		pieces = append(pieces, splice{at: c.callsAt})
	}
	if f.resumed && c.role && c.content == "" && len(c.calls) == 0 && c.finish.empty() && !c.otherData {
		return nil, nil // the client has received the role already
	}
	pieces = append(pieces, f.rename(&c))
	if c.finish.empty() {
		return []Event{{e.Type, spliced(e.Data, pieces...)}}, nil
	}
	said := f.Said()
	if !said.Unfinished() {
		return []Event{{e.Type, spliced(e.Data, pieces...)}}, nil
	}
	f.withheld = append(f.withheld, Event{e.Type, spliced(e.Data, pieces...)})
	if c.content == "" {
		return nil, nil
	}
	// Text in the last chunk must not be withheld.
	return []Event{{e.Type, spliced(e.Data, append(pieces, splice{c.finish, []byte("null")})...)}}, nil
}

// ending passes on an event of the end, unless the end is withheld.
func (f *chatFilter) ending(e Event) []Event {
	if len(f.withheld) > 0 {
		f.withheld = append(f.withheld, e)
		return nil
	}
	return []Event{e}
}

// rename sets the id of the first response in a chunk of a later one.
func (f *chatFilter) rename(c *chatChunk) splice {
	if f.id == nil && !c.id.empty() {
		f.id = bytes.Clone(c.id.in(c.text))
	}
	if !f.resumed || f.id == nil {
		return splice{}
	}
	return splice{c.id, f.id}
}

func (f *chatFilter) renamed(e Event, c *chatChunk) Event {
	return Event{e.Type, spliced(e.Data, f.rename(c))}
}

// takeCalls records the calls of a chunk and returns the changes: hidden calls are
// removed, and later ones renumbered. It returns nil if no call is left.
func (f *chatFilter) takeCalls(c *chatChunk) []splice {
	var kept list
	for i := range c.calls {
		d := &c.calls[i]
		call := f.call(d)
		call.pieces.WriteString(d.arguments)
		if call.hidden {
			continue
		}
		kept.add(spliced(d.text, splice{d.indexAt, []byte(strconv.Itoa(call.place))}))
	}
	if len(kept) == 0 {
		return nil
	}
	return []splice{{c.callsList, kept.json()}}
}

// call returns the call of a delta.
func (f *chatFilter) call(d *chatCallDelta) *chatCall {
	for _, call := range f.calls {
		if call.index == d.index && (d.id == "" || d.id == call.ID) {
			return call
		}
	}
	call := &chatCall{Call: Call{ID: d.id, Name: d.name}, index: d.index, hidden: f.hidden(d.name), first: *d}
	call.first.text = bytes.Clone(d.text)
	if !call.hidden {
		call.place = f.passed
		f.passed++
	}
	f.calls = append(f.calls, call)
	return call
}

func (f *chatFilter) Withheld() []Event { return f.withheld }

func (f *chatFilter) Resume() {
	f.resumed = true
	f.text.Reset()
	f.calls, f.withheld = nil, nil
}

func (f *chatFilter) Said() Said {
	said := Said{Text: f.text.String()}
	var calls list
	for _, call := range f.calls {
		call.Arguments = []byte(call.pieces.String())
		calls.add(call.json())
		if call.hidden {
			said.Hidden = append(said.Hidden, call.Call)
		} else {
			said.Others = append(said.Others, call.Call)
		}
	}
	said.Messages = [][]byte{answerMessage(Chat, said.Text, calls)}
	return said
}

// json returns the call for a message: its first delta, including provider-specific
// members, with all arguments.
func (c *chatCall) json() []byte {
	d := &c.first
	if d.argsAt.empty() {
		return callOf(Chat, &c.Call)
	}
	return spliced(d.text, splice{at: d.indexIn}, splice{d.argsAt, quote(string(c.Arguments))})
}

// readChatChunk finds the parts of a chunk.
func readChatChunk(text []byte) (chatChunk, error) {
	c := chatChunk{text: text}
	r := newReader(text)
	delta := fields{
		"role": func() error {
			c.role = true
			return r.dec.SkipValue()
		},
		"content": &c.content,
		"refusal": nil,
		"tool_calls": func() (err error) {
			c.callsAt, err = r.member(r.elements(&c.callsList, func() error { return c.call(r) }))
			return err
		},
	}
	choice := fields{
		"finish_reason": func() (err error) {
			if r.is('n') {
				return r.dec.SkipValue()
			}
			c.finish, err = r.skip()
			return err
		},
		"delta": func() error {
			_, err := r.object(func(name string) error {
				target, known := delta[name]
				c.otherData = c.otherData || !known
				return r.value(target)
			})
			return err
		},
	}
	err := r.document(fields{"id": &c.id, "choices": r.elements(new(span), func() error {
		c.choices++
		return r.value(choice)
	})})
	return c, err
}

// call reads a piece of a call.
func (c *chatChunk) call(r *reader) error {
	var d chatCallDelta
	at, err := r.fields(fields{
		"index": func() (err error) {
			d.indexIn, err = r.member(func() error { return r.value(&d.indexAt) })
			d.index = string(d.indexAt.in(c.text))
			return err
		},
		"id": &d.id,
		"function": fields{"name": &d.name, "arguments": func() (err error) {
			d.arguments, d.argsAt, err = r.strAt()
			return err
		}},
	})
	d.text = at.in(c.text)
	d.indexAt, d.indexIn, d.argsAt = d.indexAt.from(at.start), d.indexIn.from(at.start), d.argsAt.from(at.start)
	c.calls = append(c.calls, d)
	return err
}
