package wire

import "github.com/winnow-mcp/winnow/daemon/engine/chats"

// anthropic returns the members of a body of Anthropic's messages API.
func (p *parser) anthropic() fields {
	q := p.request
	return fields{
		"metadata":    fields{"user_id": &q.Conversation},
		"tools":       p.elements(&q.tools, p.anthropicTool),
		"tool_choice": p.toolChoice,
		"messages":    p.elements(&q.messages, func() error { return p.blockMessage("content", p.anthropicBlock) }),
	}
}

// anthropicTool reads `{"name":…,"description":…,"input_schema":…}`. Anthropic's own
// tools have another type and no schema.
func (p *parser) anthropicTool() error {
	t, kind := Tool{}, "custom"
	tool := function(&t)
	tool["cache_control"] = p.markOf(&t)
	tool["type"] = func() (err error) {
		if !p.is('"') {
			return p.dec.SkipValue()
		}
		kind, err = p.str()
		return err
	}
	at, err := p.fields(tool)
	p.request.searches = p.request.searches || isSearch(kind)
	p.addTool(t, kind == "custom" && t.Schema != nil, at)
	return err
}

// blockMessage reads a message whose member key is a text or an array of blocks. block
// reads one of them and reports whether it is a tool result. Results are in user
// messages, which may also hold text of the user.
func (p *parser) blockMessage(key string, block func(m *Message) (isResult bool, err error)) error {
	m, results := Message{Role: RoleUser}, false
	at, err := p.fields(fields{"role": &m.Role, key: func() (err error) {
		if p.is('"') {
			return p.addText(&m)
		}
		m.partsArray, err = p.array(func() error {
			isResult, err := block(&m)
			results = results || isResult
			return err
		})
		return err
	}})
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
	at, err := p.fields(fields{
		"type":          &kind,
		"text":          func() error { return p.addText(m) },
		"content":       func() error { return p.result(m) },
		"cache_control": p.cut(&mark),
		"id":            &c.ID,
		"name":          &c.Name,
		"input":         &c.Arguments,
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
