// Package vscode decides about the requests to routed models in VS Code. It determines
// which tools are MCP's, what VS Code hides behind groups, and what it would send by
// itself. It routes requests as package stateless does, and returns the changes to
// messages and tools. The extension applies them and makes no decisions.
package vscode

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/catalog"
	"github.com/winnow-mcp/winnow/daemon/engine/chats"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/settings"
	"github.com/winnow-mcp/winnow/daemon/engine/stateless"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
	"github.com/winnow-mcp/winnow/router"
)

// Options configures [Requests].
type Options struct {
	Requests  *stateless.Requests
	HostTools *catalog.HostTools
	Settings  *settings.Store
	// Servers names the servers of the configuration.
	Servers func() []string
	// Uses counts the recently called tools.
	Uses func() router.Usage
	// Once reports whether the user has not been shown something yet. Tell shows it.
	Once func(what string) bool
	Tell func(protocol.ShowMessageParams)
	// Handed records the calls that VS Code runs.
	Handed *calls.Handed
	// Count returns the tokens of a text, and keeps nothing of it.
	Count func(text string) int
}

// Requests decides about requests. It passes those of other hosts to package stateless.
type Requests struct {
	*stateless.Requests
	options Options
	offers  offers
	digests chats.Digests
	meter   *meter
	// rareOffered and leanOffered report that the offers of [Requests.offerSavings] were
	// made, now or earlier.
	rareOffered, leanOffered atomic.Bool

	// mu guards the following fields.
	mu sync.Mutex
	// given is the listing from VS Code; list is derived from it, and name identifies its
	// tools.
	given   protocol.SetHostToolsParams
	servers []string
	list    *listing
	name    string
	// sources holds the lists known from requests, last used last.
	sources []string
	// clients holds what VS Code would send by itself, by chat, last used last.
	clients []client
	choices choices
	// offered holds the offers of the latest requests, by task.
	offered map[string]*offer
}

// client is what VS Code would send in a chat.
type client struct {
	chat  string
	tools protocol.ClientTools
}

const (
	// maxSources is how many lists of tools are known besides the listing.
	maxSources = 16
	// maxClients is how many chats and offers are cached. For other chats, the task holds
	// what VS Code would send.
	maxClients = 64
)

// New returns the handler of requests with these options.
func New(o Options) *Requests {
	return &Requests{
		Requests: o.Requests, options: o, offers: offers{seed: maphash.MakeSeed(), known: map[string]*offer{}},
		offered: map[string]*offer{}, meter: newMeter(o.Count),
	}
}

// Set replaces the list of tools of its source: a listing with the servers of its tools,
// any other list unchanged.
func (r *Requests) Set(p *protocol.SetHostToolsParams) (protocol.SetHostToolsResult, error) {
	if p.Listing == nil {
		return r.options.HostTools.Set(p)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.given = *p
	return r.index(r.options.Servers())
}

// index rebuilds the listing for the known servers. Callers must hold mu.
func (r *Requests) index(servers []string) (protocol.SetHostToolsResult, error) {
	r.servers = servers
	r.list = newListing(r.given.Tools, slices.Concat(servers, r.given.Listing.Servers))
	tools := r.list.all
	r.name = nameOf(tools, r.given.WithOwn)
	return r.options.HostTools.Set(&protocol.SetHostToolsParams{Source: r.given.Source, Tools: tools, WithOwn: r.given.WithOwn})
}

// Listing returns the source of the listing, or the daemon's own source before there is
// one.
func (r *Requests) Listing() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.list == nil {
		return protocol.OwnSource
	}
	return r.given.Source
}

// listingOf returns the listing that was given under source, indexed again if the servers
// have changed. It returns an error if another listing has replaced it.
func (r *Requests) listingOf(source string) (*listing, error) {
	servers := r.options.Servers()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.list == nil || r.given.Source != source {
		return nil, failure.New(protocol.KindUnknownSource, "Hand its tools over first.", "nothing is known of the listing %q", source)
	}
	if !slices.Equal(servers, r.servers) {
		if _, err := r.index(servers); err != nil {
			return nil, err
		}
	}
	return r.list, nil
}

// request is one request while it is processed.
type request struct {
	params   *protocol.ConversationRouteParams
	messages []protocol.MessageDigest // with their parts
	agent    bool                     // the request is of VS Code's own agent
	list     *listing
	offer    *offer
	opened   opened
	// opens reports that hidden tools are determined and offered in place of the groups.
	opens  bool
	shadow bool
	// repeats reports that repeated results are replaced by references.
	repeats bool
	// chosen holds the indexes of VS Code's own tools that are ranked among those of
	// servers.
	chosen []int
}

// Route decides about a request. Like [stateless.Requests.Route] it finds the task before
// it returns.
func (r *Requests) Route(ctx context.Context, p *protocol.ConversationRouteParams) (tasks.Work[protocol.ConversationRouteResult], error) {
	if p.Tools == nil && p.ToolsID == "" {
		return r.Requests.Route(ctx, p)
	}
	list, err := r.listingOf(p.Source)
	if err != nil {
		return nil, err
	}
	offer, err := r.offers.of(p, list)
	if err != nil {
		return nil, err
	}
	s := r.options.Settings.Load()
	q := &request{
		params: p, messages: slices.Clone(p.Messages), agent: chats.IsVSCodeAgent(p.Initiator), list: list,
		offer: offer, opened: openedIn(p.Messages), repeats: s.NamesRepeats(),
	}
	if s.Enabled && s.SearchTurns > 0 {
		q.shadow, q.opens = s.Shadow, q.offer.proxy && !s.Shadow
	}
	chats.ReadVSCode(p, &r.digests)
	q.chosen = r.chooses(q, s)
	if !q.isTask(r.options.HostTools.HasOwn()) {
		return answer(protocol.ConversationRouteResult{Pass: true, Keep: slices.Concat(q.offer.native, q.offer.groups, q.offer.mcp)}), nil
	}
	r.see(q)
	if open := q.unopened(); len(open) > 0 {
		return answer(protocol.ConversationRouteResult{Open: open}), nil
	}
	keep := q.keep()
	p.Model.NativeTools = len(keep)
	if p.Source, err = r.provide(q); err != nil {
		return nil, err
	}
	work, err := r.Requests.Route(ctx, p)
	if err != nil {
		return nil, err
	}
	return func() (protocol.ConversationRouteResult, error) {
		result, err := work()
		r.ended(result.Task, q.messages)
		result.Keep = keep
		result.Edits, result.Internal = q.edits(&result, keep), nil
		result.Sections = r.meter.sections(q.messages, result.Edits, offer.tools, keep)
		if err == nil {
			r.offerSavings(q, s, result.Sections, &result.Attachment)
		}
		result.Attachment.Tools = offer.asOffered(result.Attachment.Tools)
		result.Attachment.Warnings = append(slices.Clip(result.Attachment.Warnings), q.withheld(result.Attachment.Tools)...)
		r.note(result.Task, offer)
		return result, err
	}, nil
}

// note stores the offer of a task's latest request.
func (r *Requests) note(task string, o *offer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.offered) == maxClients {
		clear(r.offered)
	}
	r.offered[task] = o
}

// Call is [stateless.Requests.Call], also for the tasks of this package's requests:
// attached tools get the texts of the request.
func (r *Requests) Call(ctx context.Context, p *protocol.ConversationCallParams) (tasks.Work[protocol.TaskCallResult], error) {
	work, err := r.Requests.Call(ctx, p)
	if err != nil {
		return nil, err
	}
	return func() (protocol.TaskCallResult, error) {
		result, err := work()
		r.mu.Lock()
		o := r.offered[p.Task]
		r.mu.Unlock()
		if o != nil && result.Attachment != nil {
			attached := *result.Attachment
			attached.Tools = o.asOffered(attached.Tools)
			result.Attachment = &attached
		}
		return result, err
	}, nil
}

func answer(result protocol.ConversationRouteResult) tasks.Work[protocol.ConversationRouteResult] {
	result.Attachment = protocol.Attachment{Mode: protocol.AttachAll, Tools: []protocol.AttachedTool{}, MetaTools: []protocol.MetaTool{}}
	return func() (protocol.ConversationRouteResult, error) { return result, nil }
}

// summarize is in a message that requests a summary, in a request without a conversation.
const summarize = "Summarize the conversation history"

// isTask reports whether a request belongs to a task: it can use MCP's tools, and is not
// a background request of VS Code's agent, which names the conversation in all others.
func (q *request) isTask(hasOwn bool) bool {
	switch {
	case q.params.AllListed:
		return true
	case len(q.offer.mcp)+len(q.offer.groups)+len(q.chosen) == 0 && !(q.offer.proxy && hasOwn):
		return false
	case q.params.Conversation != "":
		return true
	}
	return !q.agent && !strings.Contains(chats.NewestText(q.messages), summarize)
}

// unopened returns the groups that have to be opened to determine what they hide.
func (q *request) unopened() []string {
	var names []string
	if !q.opens || q.opened.rounds >= maxOpenRounds {
		return nil
	}
	for _, i := range q.offer.groups {
		if name := q.offer.tools[i].Name; q.opened.hides[name] == nil {
			names = append(names, name)
		}
	}
	return names
}

// keep returns the indexes of the tools that pass unchanged.
func (q *request) keep() []int {
	native := slices.DeleteFunc(slices.Clone(q.offer.native), func(i int) bool { return slices.Contains(q.chosen, i) })
	if q.opens {
		return slices.Clip(native)
	}
	return slices.Concat(native, q.offer.groups)
}

// provide registers MCP's tools of a request under a name derived from their content.
// Equal lists have the same name in every window and run. A list of all that VS Code
// lists is the listing.
func (r *Requests) provide(q *request) (source string, err error) {
	p, o := q.params, q.offer
	if p.AllListed {
		return p.Source, nil
	}
	var unseen []protocol.HostTool
	switch {
	case q.opens:
		unseen = hidden(o, &q.opened, q.list)
	case q.shadow:
		unseen = behind(o, q.list)
	}
	var key strings.Builder
	for i := range unseen {
		key.WriteString(unseen[i].Name + "\n")
	}
	for _, i := range q.chosen {
		key.WriteString("\n" + o.tools[i].Name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if source, ok := r.known(p.Source, o.names[key.String()]); ok {
		return source, nil
	}
	tools := append(unseen, o.chosenTools(q.chosen)...)
	for _, i := range o.mcp {
		// A tool that is nested too deeply was left out of the listing with a warning.
		if t := &o.tools[i]; ijson.Depth(t.InputSchema) < ijson.MaxToolDepth {
			tools = append(tools, q.list.offered(t))
		}
	}
	tools = sorted(tools)
	name := nameOf(tools, o.proxy)
	if len(o.names) == maxSources {
		clear(o.names)
	}
	o.names[key.String()] = name
	source, ok := r.known(p.Source, name)
	if ok {
		return source, nil
	}
	if _, err := r.options.HostTools.Set(&protocol.SetHostToolsParams{Source: source, Tools: tools, WithOwn: o.proxy}); err != nil {
		return "", err
	}
	r.sources = append(r.sources, source)
	if len(r.sources) > maxSources {
		_, err = r.options.HostTools.Set(&protocol.SetHostToolsParams{Source: r.sources[0], Tools: nil})
		r.sources = r.sources[1:]
	}
	return source, err
}

// known returns the source of the tools with a name, and whether it is known. Callers
// must hold mu.
func (r *Requests) known(listing, name string) (source string, ok bool) {
	if name == r.name {
		return listing, true
	}
	source = listing[:strings.LastIndexByte(listing, ':')+1] + name
	i := slices.Index(r.sources, source)
	if i >= 0 {
		r.sources = append(slices.Delete(r.sources, i, i+1), source)
	}
	return source, i >= 0
}

// nameOf returns a name for tools by their content.
func nameOf(tools []protocol.HostTool, withOwn bool) string {
	h := sha256.New()
	for i := range tools {
		t := &tools[i]
		for _, field := range []string{t.Server, t.Tool, t.Name, t.Description, string(t.InputSchema)} {
			h.Write([]byte(field))
			h.Write([]byte{0})
		}
	}
	if withOwn {
		h.Write([]byte("with own"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// see records what VS Code would send of MCP's tools by itself, and adds it to the
// request. If groups were opened in the chat, VS Code shows more than it would, and what
// it showed before is used.
func (r *Requests) see(q *request) {
	p := q.params
	if p.AllListed {
		return // it would send none
	}
	chat := chatOf(q)
	r.mu.Lock()
	defer r.mu.Unlock()
	at := slices.IndexFunc(r.clients, func(c client) bool { return c.chat == chat })
	if !q.opens || !callsGroup(q.messages) {
		if at >= 0 {
			r.clients = slices.Delete(r.clients, at, at+1)
		}
		shown := q.offer.shown
		for _, i := range q.chosen {
			shown.Visible = append(slices.Clip(shown.Visible), q.offer.tools[i].Name)
		}
		r.clients = append(r.clients, client{chat, shown})
		r.clients = r.clients[max(0, len(r.clients)-maxClients):]
		at = len(r.clients) - 1
	}
	if at < 0 {
		return
	}
	tools := r.clients[at].tools
	tools.Groups = slices.Clone(tools.Groups)
	for i := range tools.Groups {
		if hides, ok := q.opened.hides[tools.Groups[i].Name]; ok {
			tools.Groups[i].Hides = hides
		}
	}
	r.clients[at].tools = tools
	p.Client = &tools
}

// edits returns the changes to the messages of a routed request.
func (q *request) edits(result *protocol.ConversationRouteResult, keep []int) []protocol.MessageEdit {
	e := editor{messages: q.messages, internal: result.Internal, dropGroups: q.opens, repeats: q.repeats}
	offered := map[string]bool{}
	for _, i := range keep {
		offered[q.offer.tools[i].Name] = true
	}
	for i := range result.Attachment.Tools {
		offered[result.Attachment.Tools[i].Name] = true
	}
	for i := range result.Attachment.MetaTools {
		offered[result.Attachment.MetaTools[i].Name] = true
	}
	if offered[protocol.MetaCall] {
		e.byCall = func(tool string) bool { return q.list.isMCP(tool) && !offered[tool] && !router.IsMetaTool(tool) }
	}
	return e.edits()
}
