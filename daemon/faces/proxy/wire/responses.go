package wire

// responses returns the members of a body of OpenAI's Responses API.
func (p *parser) responses() fields {
	q := p.request
	continues := func() error {
		q.Continues = q.Continues || !p.is('n')
		return p.dec.SkipValue()
	}
	return fields{
		"prompt_cache_key":     &q.Conversation,
		"previous_response_id": continues,
		"conversation":         continues,
		"store": func() error {
			q.Stored = !p.is('f')
			return p.dec.SkipValue()
		},
		"tools":       p.elements(&q.tools, p.responsesTool),
		"tool_choice": p.toolChoice,
		"input":       p.input,
	}
}

// responsesTool reads `{"type":"function","name":…}`, or a namespace
// `{"type":"namespace","name":…,"tools":[…]}`. The type may come last, so both forms are
// read.
func (p *parser) responsesTool() error {
	q := p.request
	t, kind, inner := Tool{}, "", span{}
	group, first := len(q.elements), len(q.Tools)
	tool := function(&t)
	tool["type"] = &kind
	tool["tools"] = p.elements(&inner, func() error { return p.nestedTool(group) })
	at, err := p.fields(tool)
	if err != nil {
		return err
	}
	if kind != "namespace" || inner.empty() {
		q.Tools = q.Tools[:first]
		q.searches = q.searches || isSearch(kind)
		p.addTool(t, kind == "function", at)
		return nil
	}
	e := element{at: at, inner: inner}
	for i := first; i < len(q.Tools); i++ {
		q.Tools[i].Namespace = t.Name
		e.tools = append(e.tools, i)
	}
	q.elements = append(q.elements, e)
	return nil
}

// nestedTool reads a function in a group.
func (p *parser) nestedTool(group int) (err error) {
	t := Tool{group: group}
	t.at, err = p.fields(function(&t))
	p.request.Tools = append(p.request.Tools, t)
	return err
}

// input reads the conversation: a user text, or items.
func (p *parser) input() (err error) {
	if p.is('"') {
		at := p.offset()
		m := Message{Role: RoleUser}
		err = p.addText(&m)
		m.at = span{at, p.offset()}
		p.request.Messages = append(p.request.Messages, m)
		return err
	}
	p.request.messages, err = p.array(p.item)
	return err
}

// item reads one item of a conversation: a message, a call, a call's output, or another
// one.
func (p *parser) item() (err error) {
	m, c, kind := Message{Role: RoleUser}, Call{}, "message"
	m.at, err = p.fields(fields{
		"type":      &kind,
		"role":      &m.Role,
		"content":   func() error { return p.content(&m) },
		"output":    func() error { return p.result(&m) },
		"input":     p.unquoted(&c.Arguments), // of a custom tool
		"arguments": p.unquoted(&c.Arguments),
		"call_id":   &c.ID,
		"namespace": &c.Namespace,
		"name":      &c.Name,
	})
	switch kind {
	case "message":
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		m.Role, m.Text = RoleTool, ""
	case "function_call", "custom_tool_call":
		m.Role = RoleAssistant
		m.call(c)
	default: // reasoning and the provider's own tools
		m.Role, m.Text, m.Said, m.Provider = RoleAssistant, "", nil, true
	}
	p.request.Messages = append(p.request.Messages, m)
	return err
}
