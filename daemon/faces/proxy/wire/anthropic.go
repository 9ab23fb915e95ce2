package wire

import "github.com/winnow-mcp/winnow/daemon/engine/chats"

// anthropic reads a member of a body of Anthropic's messages API.
func (p *parser) anthropic(name string) (err error) {
	q := p.request
	switch name {
	case "model":
		q.Model, err = p.str()
	case "stream":
		q.Stream, err = p.boolean()
	case "metadata":
		_, err = p.object(func(name string) (err error) {
			if name == "user_id" {
				q.Conversation, err = p.str()
				return err
			}
			return p.dec.SkipValue()
		})
	case "tools":
		q.tools, err = p.array(func(int) error { return p.anthropicTool() })
	case "tool_choice":
		err = p.toolChoice()
	case "messages":
		q.messages, err = p.array(func(int) error { return p.blockMessage("content", p.anthropicBlock) })
	default:
		err = p.dec.SkipValue()
	}
	return err
}

// anthropicTool reads `{"name":…,"description":…,"input_schema":…}`. Anthropic's own
// tools have another type and no schema.
func (p *parser) anthropicTool() error {
	t, kind := Tool{}, "custom"
	at, err := p.object(func(name string) (err error) {
		switch name {
		case "type":
			if p.is('"') {
				kind, err = p.str()
				return err
			}
			return p.dec.SkipValue()
		case "cache_control":
			return p.markOf(&t)
		}
		return p.function(&t, name)
	})
	p.request.searches = p.request.searches || isSearch(kind)
	p.addTool(t, kind == "custom" && t.Schema != nil, at)
	return err
}

// blockMessage reads a message whose member key is a text or an array of blocks. block
// reads one of them and reports whether it is a tool result. Results are in user
// messages, which may also hold text of the user.
func (p *parser) blockMessage(key string, block func(m *Message) (isResult bool, err error)) error {
	m, results := Message{Role: RoleUser}, false
	at, err := p.object(func(name string) (err error) {
		switch {
		case name == "role":
			m.Role, err = p.role()
		case name == key && p.is('"'):
			err = p.addText(&m)
		case name == key:
			m.partsArray, err = p.array(func(int) error {
				isResult, err := block(&m)
				results = results || isResult
				return err
			})
		default:
			err = p.dec.SkipValue()
		}
		return err
	})
	if results && m.Role == RoleUser && m.Text == "" {
		m.Role = RoleTool
	}
	m.at = at
	p.request.Messages = append(p.request.Messages, m)
	return err
}

// anthropicBlock reads a content block and reports whether it is a tool result. Thinking
// does not count as text.
func (p *parser) anthropicBlock(m *Message) (isResult bool, err error) {
	var c Call
	var mark span
	kind, said := "", len(m.Said)
	at, err := p.object(func(name string) (err error) {
		switch name {
		case "type":
			kind, err = p.str()
		case "text":
			err = p.addText(m)
		case "content":
			err = p.result(m)
		case "cache_control":
			mark, err = p.member(p.dec.SkipValue)
		case "id":
			c.ID, err = p.str()
		case "name":
			c.Name, err = p.str()
		case "input":
			var at span
			at, err = p.skip()
			c.Arguments = at.in(p.text)
		default:
			err = p.dec.SkipValue()
		}
		return err
	})
	m.parts = append(m.parts, at)
	switch kind {
	case "text", "thinking", "redacted_thinking":
	case "tool_use":
		m.call(c)
	case "tool_result":
		if len(m.Said) == said {
			m.say(chats.Result, "", "")
		}
	default:
		m.Said = m.Said[:said]
		p.data(m, at, mark)
	}
	return kind == "tool_result", err
}
