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

// plan is the plan for one request.
type plan struct {
	request *wire.Request
	list    *toolList
	session string // the client's id of the conversation; may be empty
	task    string
	number  int64 // number of the request in its task
	places  []int // positions of the messages reported to the engine
	// rules holds what excludes each of list.mcp.
	rules []protocol.Cause
	calls callIDs
	// defers: the provider's own search replaces mcp_load.
	defers bool
	edit   wire.Edit
	// offered: mcp_load is among the tools, so the response is read.
	offered bool
	tokens  protocol.AttachedTokens
	counts  protocol.AttachedCounts
}

// body returns the body to send.
func (p *plan) body() []byte { return p.request.Apply(&p.edit) }

// newPlan plans a request.
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
	// Nothing to choose, or the client has a tool of the loader's name. A second one
	// would be an error at the provider.
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

// withRepeats adds insertions that replace repeated results, except for messages that are
// replaced already.
func withRepeats(inserted, repeats []wire.Insertion) []wire.Insertion {
	for _, r := range repeats {
		if !slices.ContainsFunc(inserted, func(i wire.Insertion) bool { return i.At == r.At && i.Replace }) {
			inserted = append(inserted, r)
		}
	}
	slices.SortStableFunc(inserted, func(a, b wire.Insertion) int { return a.At - b.At })
	return inserted
}

// hasLoader reports whether a request has a tool of the loader's name.
func hasLoader(q *wire.Request) bool {
	return slices.ContainsFunc(q.Tools, func(t wire.Tool) bool { return t.Namespace == "" && hidden(t.Name) })
}

// conversationID returns the client's id of a conversation with the digest of the first
// user message, because the agents of a client share the id.
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

// params returns the params for routing the request. session is the client's id of the
// conversation from a header; an id in the body takes precedence.
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

// isVolatile reports whether a message does not identify its conversation, because
// clients add, change and remove such messages: system text, the provider's own, and text
// that the client adds in the user's name (time, open files).
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

// callID returns the id of a call as its provider gave it, without the suffix that VS
// Code adds in conversations. Gemini's calls may have no id, or one from the client, so
// their name and arguments identify them.
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

// callIDs returns the ids of a conversation's calls in order. Equal calls of Gemini are
// numbered.
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

// attach converts an attachment to an edit of the request.
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
	for i := range out { // also if the client requires it
		p.edit.Managed[i] = true
	}
	for _, t := range a.Tools {
		i, ok := places[t.Name]
		if !ok { // no longer in the client's list, or held by the lock
			p.tokens.Attached -= t.Tokens
			p.tokens.Saved += t.Tokens
			p.tokens.ClientSaved += t.Tokens
			continue
		}
		p.edit.Attached = append(p.edit.Attached, i)
		delete(places, t.Name)
	}
	for _, name := range p.request.Required {
		for i := range p.request.Tools { // in any namespace
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
	if a.Mode != protocol.AttachDynamic { // everything is attached, in the client's order
		p.edit, p.offered = wire.Edit{Managed: make([]bool, len(p.list.managed))}, false
		for i := range out {
			p.edit.Managed[i] = true
		}
	}
}

// keptOut returns the positions of the tools that must not be sent: those that a rule
// excludes, unless the conversation already has them, and those that the lock on tools
// holds.
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

// next returns the body of the request after rounds, with the tools that they loaded and
// the messages in them. The last one offers no hidden tool.
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

// hidden reports whether calls of a tool are handled here.
func hidden(name string) bool { return name == router.LoadName }
