package wire

import (
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/engine/chats"
)

// chat returns the members of a body of OpenAI's chat completions.
func (p *parser) chat() fields {
	q := p.request
	return fields{
		"prompt_cache_key": &q.Conversation,
		"functions":        func() error { return fmt.Errorf("%w: the deprecated `functions`", ErrUnknown) },
		"tools":            p.elements(&q.tools, p.chatTool),
		"tool_choice":      p.toolChoice,
		"messages":         p.elements(&q.messages, p.chatMessage),
	}
}

// chatTool reads `{"type":"function","function":{…}}`.
func (p *parser) chatTool() error {
	t, isFunction := Tool{}, false
	at, err := p.fields(fields{
		"cache_control": p.markOf(&t), // OpenRouter's, for Anthropic's models
		"function": func() error {
			isFunction = true
			return p.value(function(&t))
		},
	})
	p.addTool(t, isFunction, at)
	return err
}

// function returns the members of a function: those of its name, description, schema and
// loading.
func function(t *Tool) fields {
	return fields{
		"name": &t.Name, "description": &t.Description, "defer_loading": &t.Deferred,
		"parameters": &t.Schema, "input_schema": &t.Schema, "parametersJsonSchema": &t.Schema, "parameters_json_schema": &t.Schema,
	}
}

// markOf returns a function that reads a tool's cache breakpoint.
func (p *parser) markOf(t *Tool) func() error {
	return func() error {
		t.Marked = true
		return p.cut(&t.mark)()
	}
}

// addTool adds an element of the array of tools, with or without a tool.
func (p *parser) addTool(t Tool, isFunction bool, at span) {
	q := p.request
	e := element{at: at}
	if isFunction && t.Name != "" {
		t.at, t.group = at, len(q.elements)
		e.tools = []int{len(q.Tools)}
		q.Tools = append(q.Tools, t)
	}
	q.elements = append(q.elements, e)
}

// toolChoice reads the choice of OpenAI's and Anthropic's formats:
// `{"type":"function","function":{"name":…}}`, `{"type":"function","name":…}`,
// `{"type":"tool","name":…}` or `{"type":"allowed_tools","tools":[…]}`, where the list
// may be in a member `allowed_tools`.
func (p *parser) toolChoice() error {
	choice := fields{"name": p.require}
	choice["function"], choice["allowed_tools"] = choice, choice
	choice["tools"] = p.elements(new(span), func() error { return p.value(choice) })
	return p.value(choice)
}

func (p *parser) require() error {
	name, err := p.str()
	if name != "" {
		p.request.Required = append(p.request.Required, name)
	}
	return err
}

// chatMessage reads a message of chat completions.
func (p *parser) chatMessage() (err error) {
	var m Message
	m.at, err = p.fields(fields{
		"role":       &m.Role,
		"content":    func() error { return p.content(&m) },
		"tool_calls": p.elements(new(span), func() error { return p.chatCall(&m) }),
	})
	p.request.Messages = append(p.request.Messages, m)
	return err
}

// content reads a message's content: a string, or an array of blocks, of which the texts
// are kept.
func (p *parser) content(m *Message) (err error) {
	if p.is('"') {
		return p.addText(m)
	}
	m.partsArray, err = p.array(func() error {
		said := len(m.Said)
		var mark span
		at, err := p.fields(fields{"text": func() error { return p.addText(m) }, "cache_control": p.cut(&mark)})
		m.parts = append(m.parts, at)
		if len(m.Said) == said { // a picture, a file
			p.data(m, at, mark)
		}
		return err
	})
	return err
}

// addText reads a text and adds it to a message.
func (p *parser) addText(m *Message) error {
	text, err := p.str()
	m.text(text)
	return err
}

// text adds a text to those of a message.
func (m *Message) text(text string) {
	if m.Text != "" && text != "" {
		m.Text += "\n"
	}
	m.Text += text
	m.say(chats.Text, "", text)
}

// data adds a part that is not text, without its cache breakpoint.
func (p *parser) data(m *Message, at, mark span) {
	m.say(chats.Data, "", string(spliced(at.in(p.text), splice{mark.from(at.start), nil})))
}

// result reads a tool result, a text or blocks, and adds its text.
func (p *parser) result(m *Message) error {
	var inner Message
	err := p.content(&inner)
	m.say(chats.Result, "", inner.Text)
	return err
}

// chatCall reads `{"id":…,"type":"function","function":{"name":…,"arguments":"…"}}`.
func (p *parser) chatCall(m *Message) error {
	var c Call
	err := p.value(fields{
		"id":       &c.ID,
		"function": fields{"name": &c.Name, "arguments": p.unquoted(&c.Arguments)},
	})
	m.call(c)
	return err
}
