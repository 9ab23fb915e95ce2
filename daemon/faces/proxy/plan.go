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

	"github.com/winnow-mcp/winnow/daemon/engine/chats"
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
	if err != nil {
		return nil, err
	}
	p := &plan{request: q, list: list, defers: e.Defer && q.Defers(), rules: h.router.Rules(list.source, list.mcp)}
	params := p.params(session)
	// There is nothing to choose, or the client has a loader of that name, which a
	// second one would make an error of the provider's.
	if q.Continues || list.source == "" || len(params.Messages) == 0 || hasLoader(q) {
		p.attach(&protocol.Attachment{Mode: protocol.AttachAll})
		return p, nil
	}
	p.session = params.Conversation
	routed, err := h.router.Route(ctx, params)
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
	if h.router.NamesRepeats() {
		p.edit.Inserted = withRepeats(p.edit.Inserted, q.Repeats())
	}
	return p, nil
}

// withRepeats adds insertions that name results, but for messages that others
// replace.
func withRepeats(inserted, repeats []wire.Insertion) []wire.Insertion {
	for _, r := range repeats {
		if !slices.ContainsFunc(inserted, func(i wire.Insertion) bool { return i.At == r.At && i.Replace }) {
			inserted = append(inserted, r)
		}
	}
	slices.SortStableFunc(inserted, func(a, b wire.Insertion) int { return a.At - b.At })
	return inserted
}

// hasLoader reports whether a request has a tool of the loader's name already.
func hasLoader(q *wire.Request) bool {
	return slices.ContainsFunc(q.Tools, func(t wire.Tool) bool { return t.Namespace == "" && hidden(t.Name) })
}

// conversationID returns the client's id of a conversation, with what its first
// message says: a client's agents share the id, but not what they are asked.
func conversationID(id string, messages []protocol.MessageDigest) string {
	if id == "" {
		return ""
	}
	for i := range messages {
		if messages[i].Role == string(wire.RoleUser) {
			return id + " " + messages[i].Digest
		}
	}
	return id
}

// params asks for what the request is to carry. session is the client's id of
// the conversation in a header, which that in the body goes before.
func (p *plan) params(session string) *protocol.ConversationRouteParams {
	q := p.request
	params := &protocol.ConversationRouteParams{Source: p.list.source, ToolsFirst: true}
	params.Model.NativeTools = p.list.native
	p.places, p.calls = p.places[:0], callIDs{format: q.Format, seen: map[string]int{}}
	for i := range q.Messages {
		m := &q.Messages[i]
		if isVolatile(m) {
			continue
		}
		digest := protocol.MessageDigest{
			Role: string(m.Role), Digest: chats.Digest(m.Said), Summary: m.Role == wire.RoleUser && chats.IsSummary(m.Text),
		}
		for k := range m.Calls {
			digest.Calls = append(digest.Calls, protocol.MessageCall{ID: p.calls.next(&m.Calls[k]), Name: keyOf(m.Calls[k].Namespace, m.Calls[k].Name)})
		}
		params.Messages = append(params.Messages, digest)
		p.places = append(p.places, i)
		if m.Role == wire.RoleUser {
			params.Message = cmp.Or(chats.Words(m.Text), params.Message)
		}
	}
	params.Conversation = conversationID(cmp.Or(q.Conversation, session), params.Messages)
	return params
}

// isVolatile reports whether a message says nothing of which conversation it is
// in, because clients add, change and leave out such ones while it goes on: the
// system's text, the provider's own, and what the client tells the model in the
// user's name (the time, the open files).
func isVolatile(m *wire.Message) bool {
	switch m.Role {
	case wire.RoleSystem:
		return true
	case wire.RoleUser:
		return chats.Words(m.Text) == "" && !chats.IsSummary(m.Text) &&
			!slices.ContainsFunc(m.Said, func(p chats.Part) bool { return p.Kind != chats.Text })
	case wire.RoleAssistant, wire.RoleTool:
	}
	return m.Provider
}

// callID returns the id of a call as its provider gave it: VS Code puts a suffix
// behind it once the call stands in a conversation. Gemini's may have none, or
// one that the client gives them, and are known by what they ask for.
func callID(format wire.Format, c *wire.Call) string {
	if format != wire.Gemini {
		return chats.PlainID(c.ID)
	}
	var arguments bytes.Buffer
	if json.Compact(&arguments, c.Arguments) != nil {
		arguments.Write(c.Arguments)
	}
	sum := sha256.Sum256(append([]byte(c.Name+" "), arguments.Bytes()...))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// callIDs gives the calls of a conversation their ids, in their order. Gemini's
// are distinguished from earlier ones that ask for the same by their number.
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
