package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// maxRounds is how many answers in a row may end in mcp_load alone before the
// client gets what there is.
const maxRounds = 8

// plan is what is to be sent in place of a request.
type plan struct {
	request *wire.Request
	list    *toolList
	session string // the client's id of the conversation; may be empty
	task    string
	edit    wire.Edit
	// offered: mcp_load is among the tools, so that the answer is read.
	offered bool
	tokens  protocol.AttachedTokens
	counts  protocol.AttachedCounts
}

// body returns the body to send.
func (p *plan) body() []byte { return p.request.Apply(&p.edit) }

// newPlan decides about a request; nil means that it passes as it is.
func (h *Handler) newPlan(ctx context.Context, e *Endpoint, format wire.Format, body []byte, session string) (*plan, error) {
	q, err := wire.Read(format, body)
	if err != nil {
		return nil, err
	}
	if q.Continues {
		return nil, nil //nolint:nilnil // nothing to decide is no fault
	}
	list, err := h.lists.of(ctx, e, q)
	if err != nil || list.source == "" {
		return nil, err
	}
	p := &plan{request: q, session: conversationID(q, session), list: list}
	routed, err := h.router.Route(ctx, p.params())
	if err != nil {
		return nil, err
	}
	p.task = routed.Task
	if routed.Compacted {
		h.history.forget(p.task)
	}
	p.attach(&routed.Attachment)
	if p.offered {
		p.edit.Inserted = h.history.putBack(p.task, q)
	}
	return p, nil
}

// conversationID returns the client's id of a conversation: that in the body,
// else that of a header. A client's agents share the id, but not the message
// that their conversations begin with.
func conversationID(q *wire.Request, header string) string {
	id := cmp.Or(q.Conversation, header)
	if id == "" {
		return ""
	}
	for i := range q.Messages {
		if m := &q.Messages[i]; m.Role == wire.RoleUser {
			return id + " " + q.Digest(m)
		}
	}
	return id
}

// params asks for what the request is to carry.
func (p *plan) params() *protocol.ConversationRouteParams {
	q := p.request
	params := &protocol.ConversationRouteParams{Conversation: p.session, Source: p.list.source}
	params.Model.NativeTools = p.list.native
	for i := range q.Messages {
		m := &q.Messages[i]
		// The system's text changes while a conversation goes on (the time, the
		// open files), and says nothing of which one it is.
		if m.Role == wire.RoleSystem {
			continue
		}
		params.Messages = append(params.Messages, protocol.MessageDigest{Role: string(m.Role), Digest: q.Digest(m)})
		if m.Role == wire.RoleUser {
			params.Message = cmp.Or(words(m.Text), params.Message)
		}
		for _, c := range m.Calls {
			if name := keyOf(c.Namespace, c.Name); !slices.Contains(params.Called, name) {
				params.Called = append(params.Called, name)
			}
		}
	}
	return params
}

// attach turns an attachment into an edit of the request.
func (p *plan) attach(a *protocol.Attachment) {
	p.tokens, p.counts = a.Tokens, a.Counts
	p.edit = wire.Edit{Managed: p.list.managed}
	places := map[string]int{}
	for i, m := range p.list.managed {
		if m {
			places[toolKey(&p.request.Tools[i])] = i
		}
	}
	for _, t := range a.Tools {
		if i, ok := places[t.Name]; ok {
			p.edit.Attached = append(p.edit.Attached, i)
			delete(places, t.Name)
		}
	}
	for _, name := range p.request.Required {
		if i, ok := places[name]; ok {
			p.edit.Attached = append(p.edit.Attached, i)
			delete(places, name)
		}
	}
	for _, t := range a.MetaTools {
		if t.Name == router.LoadName {
			p.edit.Added = append(p.edit.Added, wire.Declaration{Name: t.Name, Description: t.Description, Schema: t.InputSchema})
			p.offered = true
		}
	}
	if a.Mode != protocol.AttachDynamic { // everything is attached, in the client's own order
		p.edit, p.offered = wire.Edit{Managed: make([]bool, len(p.list.managed))}, false
	}
}

// answer answers the calls of hidden tools in what the model said.
func (h *Handler) answer(ctx context.Context, p *plan, said wire.Said) wire.Round {
	round := wire.Round{Said: said}
	for _, c := range said.Hidden {
		arguments := json.RawMessage(c.Arguments)
		if !json.Valid(arguments) {
			arguments = json.RawMessage(`{}`)
		}
		text, failed, err := h.router.Load(ctx, p.task, arguments)
		if err != nil {
			text, failed = "No tools could be loaded: "+err.Error(), true
		}
		round.Results = append(round.Results, wire.Result{Call: c, Text: text, Failed: failed})
	}
	return round
}

// next returns the body of the request that follows rounds: with what they
// have loaded, and with what was said in them.
func (h *Handler) next(ctx context.Context, p *plan, rounds []wire.Round) ([]byte, error) {
	routed, err := h.router.Route(ctx, p.params())
	if err != nil {
		return nil, err
	}
	inserted := p.edit.Inserted
	p.attach(&routed.Attachment)
	p.edit.Inserted = slices.Clone(inserted)
	end := wire.Insertion{At: len(p.request.Messages)}
	for i := range rounds {
		end.Messages = append(end.Messages, rounds[i].Continue(p.request.Format)...)
	}
	p.edit.Inserted = append(p.edit.Inserted, end)
	return p.body(), nil
}

// hidden reports whether a tool is answered here.
func hidden(name string) bool { return name == router.LoadName }
