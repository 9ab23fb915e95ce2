package proxy

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// plan is what is to be sent in place of a request.
type plan struct {
	request *wire.Request
	list    *toolList
	session string // the client's id of the conversation; may be empty
	task    string
	number  int64 // of the request, in its task
	places  []int // of the messages that the engine knows
	// rules are what keeps the list's tools of MCP servers out.
	rules []protocol.Cause
	calls callIDs
	// defers: the provider's own search takes the place of mcp_load.
	defers bool
	edit   wire.Edit
	// offered: mcp_load is among the tools, so that the answer is read.
	offered bool
	tokens  protocol.AttachedTokens
	counts  protocol.AttachedCounts
}

// body returns the body to send.
func (p *plan) body() []byte { return p.request.Apply(&p.edit) }

// newPlan decides about a request; nil means that it passes as it is.
func (h *Handler) newPlan(ctx context.Context, e *Endpoint, format wire.Format, body []byte, session string) (*plan, error) {
	q, err := h.read.Read(format, body)
	if err != nil {
		return nil, err
	}
	list, err := h.lists.of(e, q)
	if err != nil || len(list.mcp) == 0 {
		return nil, err
	}
	p := &plan{
		request: q, session: conversationID(q, session), list: list, defers: e.Defer && q.Defers(),
		rules: h.router.Rules(list.source, list.mcp),
	}
	if q.Continues || list.source == "" { // there is nothing to choose
		p.attach(&protocol.Attachment{Mode: protocol.AttachAll})
		return p, nil
	}
	routed, err := h.router.Route(ctx, p.params())
	if err != nil {
		h.log.Warn("the tools of a request are not chosen", "endpoint", e.Name, "error", err)
		p.attach(&protocol.Attachment{Mode: protocol.AttachAll})
		return p, nil
	}
	p.task, p.number = routed.Task, routed.Request
	p.attach(&routed.Attachment)
	if p.offered {
		p.edit.Inserted = putBack(q, p.places, routed.Internal)
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
	params := &protocol.ConversationRouteParams{Conversation: p.session, Source: p.list.source, ToolsFirst: true}
	params.Model.NativeTools = p.list.native
	p.places, p.calls = p.places[:0], callIDs{format: q.Format, seen: map[string]int{}}
	for i := range q.Messages {
		m := &q.Messages[i]
		// The system's text changes while a conversation goes on (the time, the
		// open files), and says nothing of which one it is.
		if m.Role == wire.RoleSystem {
			continue
		}
		digest := protocol.MessageDigest{Role: string(m.Role), Digest: q.Digest(m)}
		for k := range m.Calls {
			digest.Calls = append(digest.Calls, protocol.MessageCall{ID: p.calls.next(&m.Calls[k]), Name: keyOf(m.Calls[k].Namespace, m.Calls[k].Name)})
		}
		params.Messages = append(params.Messages, digest)
		p.places = append(p.places, i)
		if m.Role == wire.RoleUser {
			params.Message = cmp.Or(userText(m.Text), params.Message)
		}
	}
	return params
}

// callID returns the id of a call. Gemini's may have none, or one that the
// client gives them, and are known by what they ask for.
func callID(format wire.Format, c *wire.Call) string {
	if format != wire.Gemini {
		return c.ID
	}
	var arguments bytes.Buffer
	if json.Compact(&arguments, c.Arguments) != nil {
		arguments.Write(c.Arguments)
	}
	sum := sha256.Sum256(append([]byte(c.Name+" "), arguments.Bytes()...))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// callIDs gives the calls of a conversation their ids, in their order. Gemini's
// are told apart from earlier ones that ask for the same by their number.
type callIDs struct {
	format wire.Format
	seen   map[string]int
}

func (c *callIDs) next(call *wire.Call) string {
	id := callID(c.format, call)
	if c.format != wire.Gemini {
		return id
	}
	c.seen[id]++
	return id + " " + strconv.Itoa(c.seen[id])
}

// attach turns an attachment into an edit of the request.
func (p *plan) attach(a *protocol.Attachment) {
	p.tokens, p.counts = a.Tokens, a.Counts
	out := p.keptOut(a)
	p.edit = wire.Edit{Managed: slices.Clone(p.list.managed), Inserted: p.edit.Inserted}
	places := map[string]int{}
	for i, m := range p.list.managed {
		if m && !out[i] {
			places[toolKey(&p.request.Tools[i])] = i
		}
	}
	for i := range out { // not even where the client asks for it
		p.edit.Managed[i] = true
	}
	for _, t := range a.Tools {
		i, ok := places[t.Name]
		if !ok { // not in the client's list any more, or held back by the lock
			p.tokens.Attached -= t.Tokens
			p.tokens.Saved += t.Tokens
			p.tokens.ClientSaved += t.Tokens
			continue
		}
		p.edit.Attached = append(p.edit.Attached, i)
		delete(places, t.Name)
	}
	for _, name := range p.request.Required {
		for i := range p.request.Tools { // in whatever namespace
			key := toolKey(&p.request.Tools[i])
			if _, ok := places[key]; ok && p.request.Tools[i].Name == name {
				p.edit.Attached = append(p.edit.Attached, i)
				delete(places, key)
			}
		}
	}
	for _, t := range a.MetaTools {
		if t.Name == router.LoadName && !p.defers {
			p.edit.Added = append(p.edit.Added, wire.Declaration{Name: t.Name, Description: t.Description, Schema: t.InputSchema})
			p.offered = true
		}
	}
	if p.defers {
		p.edit.Deferred = slices.Sorted(maps.Values(places))
	}
	if a.Mode != protocol.AttachDynamic { // everything is attached, in the client's own order
		p.edit, p.offered = wire.Edit{Managed: make([]bool, len(p.list.managed))}, false
		for i := range out {
			p.edit.Managed[i] = true
		}
	}
}

// keptOut returns the places of the tools that are not to be sent: what a rule
// keeps out, unless the conversation's model has been sent it before, and what the
// lock on tools holds back.
func (p *plan) keptOut(a *protocol.Attachment) map[int]bool {
	attached := map[string]bool{}
	for i := range a.Tools {
		attached[a.Tools[i].Name] = true
	}
	out := map[int]bool{}
	for k, rule := range p.rules {
		switch rule.Kind {
		case "":
		case protocol.CauseServer, protocol.CauseMode:
			if !attached[p.list.mcp[k].Name] {
				out[p.list.places[k]] = true
			}
		default: // the lock's
			out[p.list.places[k]] = true
		}
	}
	return out
}

// next returns the body of the request that follows rounds: with what they
// have loaded, and with what was said in them. The last such request offers no
// hidden tool.
func (p *plan) next(rounds []wire.Round, last bool) []byte {
	edit := p.edit
	if last {
		edit.Added = nil
	}
	end := wire.Insertion{At: len(p.request.Messages)}
	for i := range rounds {
		end.Messages = append(end.Messages, rounds[i].Continue(p.request.Format)...)
	}
	edit.Inserted = append(slices.Clip(edit.Inserted), end)
	return p.request.Apply(&edit)
}

// hidden reports whether a tool is answered here.
func hidden(name string) bool { return name == router.LoadName }
