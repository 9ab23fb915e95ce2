package wire

import (
	"fmt"
)

// Answer is a response that is not streamed.
type Answer struct {
	Said Said

	body []byte
	// parts is the array of what the model said: blocks, items or parts, or the calls in
	// chat completions. visible holds the elements for the client.
	parts   span
	visible list
	// content is the text of chat completions; member is tool_calls with its name.
	content, member span
	choices         int
}

// ReadAnswer reads a response to a request. On an error it is not understood, and is
// passed on unchanged.
func ReadAnswer(q *Request, body []byte, hidden func(name string) bool) (*Answer, error) {
	a := &Answer{body: body}
	r := newReader(body)
	path := map[Format][]string{
		Chat: {"choices", "message"}, Messages: {"content"}, Responses: {"output"}, Gemini: {"candidates", "content", "parts"},
	}[q.Format]
	if err := r.document(fields{path[0]: func() error { return a.find(r, q.Format, path[1:]) }}); err != nil {
		return nil, fmt.Errorf("%s answer: %w", q.Format, err)
	}
	if a.choices > 1 {
		return nil, fmt.Errorf("%w: more than one choice", ErrUnknown)
	}
	if a.parts.empty() && q.Format != Chat {
		return nil, fmt.Errorf("%w: nothing that a model said", ErrUnknown)
	}
	if err := a.readParts(q, hidden); err != nil {
		return nil, fmt.Errorf("%s answer: %w", q.Format, err)
	}
	return a, nil
}

// find finds what the model said at the end of a path of members. An array before the end
// holds the choices.
func (a *Answer) find(r *reader, format Format, path []string) error {
	switch {
	case len(path) == 0 && format == Chat:
		return a.findInMessage(r)
	case len(path) == 0:
		return r.value(&a.parts)
	}
	next := fields{path[0]: func() error { return a.find(r, format, path[1:]) }}
	if !r.is('[') {
		return r.value(next)
	}
	_, err := r.array(func() error {
		a.choices++
		return r.value(next)
	})
	return err
}

// findInMessage finds text and calls in a message of chat completions.
func (a *Answer) findInMessage(r *reader) error {
	return r.value(fields{
		"content": func() (err error) {
			if !r.is('"') {
				return r.value(&a.content)
			}
			a.Said.Text, a.content, err = r.strAt()
			return err
		},
		"tool_calls": func() (err error) {
			a.member, err = r.member(func() error { return r.value(&a.parts) })
			return err
		},
	})
}

// readParts reads the array. Its elements have the form that a request repeats.
func (a *Answer) readParts(q *Request, hidden func(name string) bool) error {
	if a.parts.empty() {
		a.repeat(q.Format, nil)
		return nil
	}
	var all list
	r := newReader(a.parts.in(a.body))
	_, err := r.array(func() error {
		at, err := r.skip()
		if err != nil {
			return err
		}
		m, reasoning, err := readPart(q.Format, at.in(r.text))
		if err != nil {
			return err
		}
		if !reasoning || q.Stored { // otherwise nobody has stored it
			all.add(at.in(r.text))
		}
		a.take(&m, at.in(r.text), hidden)
		return nil
	})
	a.repeat(q.Format, all)
	return err
}

// readPart reads one element. bare reports reasoning that can be repeated only to a
// provider that has stored it.
func readPart(format Format, text []byte) (m Message, bare bool, err error) {
	p := parser{request: &Request{}, reader: newReader(text)}
	switch format {
	case Chat:
		err = p.chatCall(&m)
	case Messages:
		_, err = p.anthropicBlock(&m)
	case Gemini:
		_, err = p.geminiPart(&m)
	case Responses:
		if err = p.item(); err == nil {
			m = p.request.Messages[0]
		}
		bare = isBareReasoning(text)
	}
	return m, bare, err
}

// take adds an element, and passes it to the client unless it is a hidden call.
func (a *Answer) take(m *Message, text []byte, hidden func(name string) bool) {
	for _, c := range m.Calls {
		if c.Namespace == "" && hidden(c.Name) {
			a.Said.Hidden = append(a.Said.Hidden, c)
			return
		}
		a.Said.Others = append(a.Said.Others, c)
	}
	a.Said.Text += m.Text
	a.Said.Parts++
	a.visible.add(text)
}

// repeat sets the messages for the next request.
func (a *Answer) repeat(format Format, all list) {
	a.Said.Messages = all
	if format != Responses {
		a.Said.Messages = [][]byte{answerMessage(format, a.Said.Text, all)}
	}
}

// answerMessage returns the model's message with its blocks or parts; in chat completions
// with its text and calls.
func answerMessage(format Format, text string, all list) []byte {
	switch {
	case format == Messages:
		return fmt.Appendf(nil, `{"role":"assistant","content":%s}`, all.json())
	case format == Gemini:
		return fmt.Appendf(nil, `{"role":"model","parts":%s}`, all.json())
	case len(all) == 0:
		return fmt.Appendf(nil, `{"role":"assistant","content":%s}`, textOrNull(text))
	}
	return fmt.Appendf(nil, `{"role":"assistant","content":%s,"tool_calls":%s}`, textOrNull(text), all.json())
}

// textOrNull returns a text as the content of chat completions.
func textOrNull(text string) []byte {
	if text == "" {
		return []byte("null")
	}
	return quote(text)
}

// Body returns the response for the client: without hidden calls, and after the visible
// parts of earlier responses that ended in hidden calls only.
func (a *Answer) Body(format Format, before ...*Answer) []byte {
	if len(before) == 0 && len(a.Said.Hidden) == 0 {
		return a.body
	}
	var visible list
	text := ""
	for _, b := range append(before, a) {
		visible.add(b.visible...)
		text += b.Said.Text
	}
	if format != Chat {
		return spliced(a.body, splice{a.parts, visible.json()})
	}
	pieces := []splice{{a.content, textOrNull(text)}}
	if len(visible) == 0 {
		pieces = append(pieces, splice{at: a.member})
	} else {
		pieces = append(pieces, splice{a.parts, visible.json()})
	}
	return spliced(a.body, pieces...)
}
