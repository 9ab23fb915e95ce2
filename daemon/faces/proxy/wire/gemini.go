package wire

import "github.com/winnow-mcp/winnow/daemon/engine/chats"

// gemini reads a member of a body of Gemini's generateContent. Google accepts camel case
// and snake case.
func (p *parser) gemini(name string) (err error) {
	q := p.request
	switch name {
	case "model":
		q.Model, err = p.str()
	case "tools":
		q.tools, err = p.array(func(int) error { return p.geminiTool() })
	case "toolConfig", "tool_config":
		err = p.geminiChoice()
	case "contents":
		q.messages, err = p.array(func(int) error { return p.blockMessage("parts", p.geminiPart) })
	default:
		err = p.dec.SkipValue()
	}
	return err
}

// geminiTool reads `{"functionDeclarations":[…]}`, or one of Google's own tools.
func (p *parser) geminiTool() error {
	q := p.request
	e := element{}
	at, err := p.object(func(name string) (err error) {
		if name != "functionDeclarations" && name != "function_declarations" {
			return p.dec.SkipValue()
		}
		e.inner, err = p.array(func(int) error {
			e.tools = append(e.tools, len(q.Tools))
			return p.nestedTool(len(q.elements))
		})
		return err
	})
	e.at = at
	q.elements = append(q.elements, e)
	return err
}

// geminiChoice reads the names in
// `{"functionCallingConfig":{"allowedFunctionNames":[…]}}`.
func (p *parser) geminiChoice() error {
	_, err := p.object(func(name string) error {
		if name != "functionCallingConfig" && name != "function_calling_config" {
			return p.dec.SkipValue()
		}
		_, err := p.object(func(name string) error {
			if name != "allowedFunctionNames" && name != "allowed_function_names" {
				return p.dec.SkipValue()
			}
			_, err := p.array(func(int) error { return p.require() })
			return err
		})
		return err
	})
	return err
}

// geminiPart reads a part of a message and reports whether it is a tool result. A text
// marked as a thought does not count as text.
func (p *parser) geminiPart(m *Message) (isResult bool, err error) {
	text, hasText, thought, said := "", false, false, len(m.Said)
	at, err := p.object(func(name string) (err error) {
		switch name {
		case "text":
			hasText = true
			text, err = p.str()
		case "thought":
			thought, err = p.boolean()
		case "functionCall", "function_call":
			err = p.geminiCall(m)
		case "functionResponse", "function_response":
			isResult = true
			err = p.geminiResult(m)
		default:
			err = p.dec.SkipValue()
		}
		return err
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
	response := ""
	_, err := p.object(func(name string) error {
		if name != "response" {
			return p.dec.SkipValue()
		}
		at, err := p.skip()
		response = string(at.in(p.text))
		return err
	})
	m.say(chats.Result, "", response)
	return err
}

// geminiCall reads `{"id"?:…,"name":…,"args":{…}}`.
func (p *parser) geminiCall(m *Message) error {
	var c Call
	_, err := p.object(func(name string) (err error) {
		switch name {
		case "id":
			c.ID, err = p.str()
		case "name":
			c.Name, err = p.str()
		case "args":
			var at span
			at, err = p.skip()
			c.Arguments = at.in(p.text)
		default:
			err = p.dec.SkipValue()
		}
		return err
	})
	m.call(c)
	return err
}
