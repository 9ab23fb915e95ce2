package wire

import (
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/engine/chats"
)

// chat reads a member of a body of OpenAI's chat completions.
func (p *parser) chat(name string) (err error) {
	q := p.request
	switch name {
	case "model":
		q.Model, err = p.str()
	case "stream":
		q.Stream, err = p.boolean()
	case "prompt_cache_key":
		q.Conversation, err = p.str()
	case "functions":
		return fmt.Errorf("%w: the deprecated `functions`", ErrUnknown)
	case "tools":
		q.tools, err = p.array(func(int) error { return p.chatTool() })
	case "tool_choice":
		err = p.toolChoice()
	case "messages":
		q.messages, err = p.array(func(int) error { return p.chatMessage() })
	default:
		err = p.dec.SkipValue()
	}
	return err
}

// chatTool reads `{"type":"function","function":{…}}`.
func (p *parser) chatTool() error {
	t, isFunction := Tool{}, false
	at, err := p.object(func(name string) error {
		if name == "cache_control" { // OpenRouter's, for Anthropic's models
			return p.markOf(&t)
		}
		if name != "function" {
			return p.dec.SkipValue()
		}
		isFunction = true
		_, err := p.object(func(name string) error { return p.function(&t, name) })
		return err
	})
	p.addTool(t, isFunction, at)
	return err
}

// function reads a member of a function declaration. The formats differ only in the name
// of the schema.
func (p *parser) function(t *Tool, name string) (err error) {
	switch name {
	case "name":
		t.Name, err = p.str()
	case "description":
		t.Description, err = p.str()
	case "parameters", "input_schema", "parametersJsonSchema", "parameters_json_schema":
		var at span
		at, err = p.skip()
		t.Schema = at.in(p.text)
	case "defer_loading":
		t.Deferred, err = p.boolean()
	default:
		err = p.dec.SkipValue()
	}
	return err
}

// markOf reads the value of cache_control.
func (p *parser) markOf(t *Tool) (err error) {
	t.Marked = true
	t.mark, err = p.member(p.dec.SkipValue)
	return err
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
	var read func(name string) error
	read = func(name string) error {
		switch name {
		case "name":
			return p.require()
		case "function", "allowed_tools":
			_, err := p.object(read)
			return err
		case "tools":
			_, err := p.array(func(int) error {
				_, err := p.object(read)
				return err
			})
			return err
		}
		return p.dec.SkipValue()
	}
	_, err := p.object(read)
	return err
}

func (p *parser) require() error {
	name, err := p.str()
	if name != "" {
		p.request.Required = append(p.request.Required, name)
	}
	return err
}

// chatMessage reads a message of chat completions.
func (p *parser) chatMessage() error {
	var m Message
	at, err := p.object(func(name string) (err error) {
		switch name {
		case "role":
			m.Role, err = p.role()
		case "content":
			err = p.content(&m)
		case "tool_calls":
			_, err = p.array(func(int) error { return p.chatCall(&m) })
		default:
			err = p.dec.SkipValue()
		}
		return err
	})
	m.at = at
	p.request.Messages = append(p.request.Messages, m)
	return err
}

// role reads the role of a message.
func (p *parser) role() (Role, error) {
	role, err := p.str()
	switch role {
	case "developer", "system":
		return RoleSystem, err
	case "assistant", "model":
		return RoleAssistant, err
	case "tool", "function":
		return RoleTool, err
	}
	return RoleUser, err
}

// content reads a message's content: a string, or an array of blocks, of which the texts
// are kept.
func (p *parser) content(m *Message) (err error) {
	if p.is('"') {
		return p.addText(m)
	}
	m.partsArray, err = p.array(func(int) error {
		said := len(m.Said)
		var mark span
		at, err := p.object(func(name string) (err error) {
			switch name {
			case "text":
				return p.addText(m)
			case "cache_control":
				mark, err = p.member(p.dec.SkipValue)
				return err
			}
			return p.dec.SkipValue()
		})
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
	_, err := p.object(func(name string) (err error) {
		switch name {
		case "id":
			c.ID, err = p.str()
		case "function":
			_, err = p.object(func(name string) error { return p.callMember(&c, name) })
		default:
			err = p.dec.SkipValue()
		}
		return err
	})
	m.call(c)
	return err
}

// callMember reads the name of a call, or its arguments as a string.
func (p *parser) callMember(c *Call, name string) (err error) {
	switch name {
	case "name":
		c.Name, err = p.str()
	case "arguments":
		var text string
		text, err = p.str()
		c.Arguments = []byte(text)
	default:
		err = p.dec.SkipValue()
	}
	return err
}
