package wire

import "github.com/winnow-mcp/winnow/daemon/engine/chats"

// gemini returns the members of a body of Gemini's generateContent. Google accepts camel
// case and snake case.
func (p *parser) gemini() fields {
	q := p.request
	allowed := p.elements(new(span), p.require)
	names := fields{"allowedFunctionNames": allowed, "allowed_function_names": allowed}
	choice := fields{"functionCallingConfig": names, "function_calling_config": names}
	return fields{
		"tools":       p.elements(&q.tools, p.geminiTool),
		"toolConfig":  choice,
		"tool_config": choice,
		"contents":    p.elements(&q.messages, func() error { return p.blockMessage("parts", p.geminiPart) }),
	}
}

// geminiTool reads `{"functionDeclarations":[…]}`, or one of Google's own tools.
func (p *parser) geminiTool() (err error) {
	q := p.request
	e := element{}
	functions := p.elements(&e.inner, func() error {
		e.tools = append(e.tools, len(q.Tools))
		return p.nestedTool(len(q.elements))
	})
	e.at, err = p.fields(fields{"functionDeclarations": functions, "function_declarations": functions})
	q.elements = append(q.elements, e)
	return err
}

// geminiPart reads a part of a message and reports whether it is a tool result. A text
// marked as a thought does not count as text.
func (p *parser) geminiPart(m *Message) (isResult bool, err error) {
	text, hasText, thought, said := "", false, false, len(m.Said)
	call := func() error { return p.geminiCall(m) }
	result := func() error {
		isResult = true
		return p.geminiResult(m)
	}
	at, err := p.fields(fields{
		"text": func() (err error) {
			hasText = true
			text, err = p.str()
			return err
		},
		"thought":      &thought,
		"functionCall": call, "function_call": call,
		"functionResponse": result, "function_response": result,
	})
	m.parts = append(m.parts, at)
	switch {
	case thought:
	case text != "":
		m.text(text)
	case len(m.Said) == said && !hasText: // the signature of an empty text is not content
		p.data(m, at, span{})
	}
	return isResult, err
}

// geminiResult reads `{"id"?:…,"name":…,"response":{…}}`.
func (p *parser) geminiResult(m *Message) error {
	var response []byte
	err := p.value(fields{"response": &response})
	m.say(chats.Result, "", string(response))
	return err
}

// geminiCall reads `{"id"?:…,"name":…,"args":{…}}`.
func (p *parser) geminiCall(m *Message) error {
	var c Call
	err := p.value(fields{"id": &c.ID, "name": &c.Name, "args": &c.Arguments})
	m.call(c)
	return err
}
