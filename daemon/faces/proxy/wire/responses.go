package wire

// responses reads a member of a body of OpenAI's Responses API.
func (p *parser) responses(name string) (err error) {
	q := p.request
	switch name {
	case "model":
		q.Model, err = p.str()
	case "stream":
		q.Stream, err = p.boolean()
	case "prompt_cache_key":
		q.Conversation, err = p.str()
	case "previous_response_id", "conversation":
		q.Continues = q.Continues || !p.is('n')
		err = p.dec.SkipValue()
	case "store":
		q.Stored = !p.is('f')
		err = p.dec.SkipValue()
	case "tools":
		q.tools, err = p.array(func(int) error { return p.responsesTool() })
	case "tool_choice":
		err = p.toolChoice()
	case "input":
		err = p.input()
	default:
		err = p.dec.SkipValue()
	}
	return err
}

// responsesTool reads `{"type":"function","name":…}`, or a namespace
// `{"type":"namespace","name":…,"tools":[…]}`. The type may come last, so both forms are
// read.
func (p *parser) responsesTool() error {
	q := p.request
	t, kind, inner := Tool{}, "", span{}
	group, first := len(q.elements), len(q.Tools)
	at, err := p.object(func(name string) (err error) {
		switch name {
		case "type":
			kind, err = p.str()
		case "tools":
			inner, err = p.array(func(int) error { return p.nestedTool(group) })
		default:
			err = p.function(&t, name)
		}
		return err
	})
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
func (p *parser) nestedTool(group int) error {
	t := Tool{group: group}
	at, err := p.object(func(name string) error { return p.function(&t, name) })
	t.at = at
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
	p.request.messages, err = p.array(func(int) error { return p.item() })
	return err
}

// item reads one item of a conversation: a message, a call, a call's output, or another
// one.
func (p *parser) item() error {
	m, c, kind := Message{Role: RoleUser}, Call{}, "message"
	at, err := p.object(func(name string) (err error) {
		switch name {
		case "type":
			kind, err = p.str()
		case "role":
			m.Role, err = p.role()
		case "content":
			err = p.content(&m)
		case "output":
			err = p.result(&m)
		case "input": // of a custom tool
			var input string
			input, err = p.str()
			c.Arguments = []byte(input)
		case "call_id":
			c.ID, err = p.str()
		case "namespace":
			c.Namespace, err = p.str()
		default:
			err = p.callMember(&c, name)
		}
		return err
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
	m.at = at
	p.request.Messages = append(p.request.Messages, m)
	return err
}
