package replay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/chats"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/history"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Options configure a replay.
type Options struct {
	// Initialize replaces the params that a host sends. It determines servers, rules and
	// settings.
	Initialize protocol.InitializeParams
	// Log holds the conversations.
	Log *history.Log
	// Tools are the tools that a host has now, with its names.
	Tools []history.Tool
	// Since excludes earlier messages. The zero time excludes none.
	Since time.Time
	// Here excludes conversations outside this folder. If empty, none are excluded.
	Here string
	// Prices are the token prices; the zero value means [RelativePrices].
	Prices Prices
	// Grid also replays with other settings.
	Grid bool
	// ShutdownTime bounds the shutdown of an engine.
	ShutdownTime time.Duration
	// Progress, which may be nil, is called with progress messages.
	Progress func(string)
}

// Run replays the conversations.
func Run(ctx context.Context, eo engine.Options, o Options) (*Report, error) {
	if o.Prices == (Prices{}) {
		o.Prices = RelativePrices
	}
	known, err := knownTools(ctx, eo, &o)
	if err != nil {
		return nil, err
	}
	known.learnLists(o.Log, o.Tools)
	o.Log.Conversations = slices.DeleteFunc(o.Log.Conversations, func(c *history.Conversation) bool { return o.Here != "" && !within(c.Folder, o.Here) })
	report, settings, err := play(ctx, eo, &o, known, nil)
	if err != nil {
		return nil, err
	}
	report.describe(&o, known)
	if o.Grid && report.Calls.Known() > 0 {
		err = report.tryOthers(ctx, settings, func(change map[string]json.RawMessage) (*Report, error) {
			other, _, err := play(ctx, eo, &o, known, change)
			return other, err
		})
	}
	return report, err
}

// within reports whether folder is of, or below it.
func within(folder, of string) bool {
	below, err := filepath.Rel(of, folder)
	return err == nil && below != ".." && !strings.HasPrefix(below, ".."+string(filepath.Separator))
}

// overrides are settings that the replay fixes: those that would contact other services,
// and those that would only observe.
var overrides = map[string]json.RawMessage{
	"enabled": json.RawMessage(`true`), "shadow": json.RawMessage(`false`), "embeddings.provider": json.RawMessage(`"builtin"`),
	"gating.servers": json.RawMessage(`[]`), "telemetry": json.RawMessage(`false`),
}

// player replays conversations on one engine.
type player struct {
	ctx    context.Context //nolint:containedctx // of one call of play
	engine *engine.Engine
	known  *known
	clock  *atomic.Int64
	report *Report
	prices Prices
	// sources maps the content of a list of tools to its source in the engine.
	sources map[string]string
	shelves map[string]*shelf
}

// play replays all conversations on a new engine, with changed settings.
func play(ctx context.Context, eo engine.Options, o *Options, k *known, change map[string]json.RawMessage) (*Report, *protocol.Settings, error) {
	p := o.Initialize
	// Without storage there is no learned data.
	p.SettingsFile, p.StoragePath = "", ""
	for _, said := range []*json.RawMessage{&p.Settings, &p.WorkspaceSettings} { // the folder's files come between the two
		settings := map[string]json.RawMessage{}
		if len(*said) > 0 {
			if err := json.Unmarshal(*said, &settings); err != nil {
				return nil, nil, fmt.Errorf("the settings: %w", err)
			}
		}
		maps.Copy(settings, overrides)
		maps.Copy(settings, change)
		*said = codec.Marshal(settings)
	}
	clock := &atomic.Int64{}
	eo.Asleep, eo.Now = true, func() time.Time { return time.UnixMilli(clock.Load()) }
	r := &player{
		ctx: ctx, engine: engine.Open(eo, host.None{}, &p), known: k, clock: clock, report: newReport(), prices: o.Prices,
		sources: map[string]string{}, shelves: map[string]*shelf{},
	}
	err := r.engine.Settle(ctx)
	if err == nil {
		err = r.run(o)
	}
	used := r.engine.Settings.Load()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.ShutdownTime)
	defer cancel()
	return r.report, used, errors.Join(err, r.engine.Close(end))
}

// message is one turn of a conversation with its time.
type message struct {
	at   time.Time
	of   *conversation
	turn *history.Turn
}

// run replays the turns of all conversations in the order of their times.
func (p *player) run(o *Options) error {
	var messages []message
	for _, c := range o.Log.Conversations {
		of, at := &conversation{Conversation: c, player: p}, time.Time{}
		for i := range c.Turns {
			if c.Turns[i].At.After(at) { // a log may lack it
				at = c.Turns[i].At
			}
			messages = append(messages, message{at, of, &c.Turns[i]})
		}
	}
	slices.SortStableFunc(messages, func(a, b message) int { return a.at.Compare(b.at) })
	done := 0
	for _, m := range messages {
		if p.ctx.Err() != nil {
			return p.ctx.Err()
		}
		if m.at.Before(o.Since) {
			continue
		}
		if done++; o.Progress != nil && done%2000 == 0 {
			o.Progress(fmt.Sprintf("%d of %d messages", done, len(messages)))
		}
		p.clock.Store(m.at.UnixMilli())
		if err := m.of.take(&m); err != nil {
			return err
		}
	}
	return nil
}

// conversation is the state of a conversation's replay.
type conversation struct {
	*history.Conversation

	player  *player
	shelf   *shelf
	digests []protocol.MessageDigest
	// sent are the names of the tools in the latest request.
	sent []string
	// writes: the provider charges for cache writes.
	writes bool
	// called holds the tools called so far.
	called map[identity]bool
}

// take replays a turn.
func (c *conversation) take(m *message) error {
	words, summary := chats.Words(m.turn.Message), m.turn.Summary || chats.IsSummary(m.turn.Message)
	offered := m.turn.Offered
	if offered != nil && !c.player.known.hasAny(offered) {
		offered = nil // a client may list its own tools before its servers are ready
	}
	if offered != nil || c.shelf == nil {
		if err := c.offer(offered); err != nil {
			return err
		}
	}
	if words == "" && !summary && len(m.turn.Requests) == 0 {
		return nil // text of the client
	}
	digest := protocol.MessageDigest{Role: "user", Digest: fmt.Sprintf("%s %d %s", c.ID, len(c.digests), m.at), Summary: summary}
	if summary {
		c.digests = nil
	}
	c.digests = append(c.digests, digest)
	c.player.report.message(c)
	requests := m.turn.Requests
	if len(requests) == 0 {
		requests = []history.Request{{}} // unanswered, or the response is not logged
	}
	for i := range requests {
		if err := c.request(&requests[i], words, m); err != nil {
			return err
		}
	}
	return nil
}

// offer sets the tools of the conversation from here on.
func (c *conversation) offer(o *history.Offer) (err error) {
	if c.shelf, err = c.player.shelfOf(o); err == nil {
		c.player.report.offered(c)
	}
	return err
}

// request replays a request with its calls.
func (c *conversation) request(r *history.Request, words string, m *message) error {
	p := c.player
	if len(c.shelf.names) == 0 { // nothing to choose from
		_, err := c.judge(r, m, words, nil)
		return err
	}
	params := &protocol.ConversationRouteParams{
		Conversation: c.Client + " " + c.ID, Source: c.shelf.source, Messages: slices.Clone(c.digests), Message: words, ToolsFirst: c.Client != history.VSCode,
	}
	if c.shelf.offer != nil {
		params.Client = c.shelf.clientTools(c.called)
	}
	work, err := p.engine.Requests.Route(p.ctx, params)
	if err != nil {
		return err
	}
	routed, err := work()
	if err != nil {
		return err
	}
	fetch, err := c.judge(r, m, words, &routed)
	if err != nil {
		return err
	}
	if len(m.turn.Requests) > 0 {
		c.cost(r, &routed.Attachment, len(fetch) > 0)
	}
	if len(fetch) > 0 {
		if err := c.fetch(routed.Task, fetch); err != nil {
			return err
		}
	}
	answer := protocol.MessageDigest{Role: "assistant", Digest: fmt.Sprintf("%s %d", c.ID, len(c.digests))}
	for _, call := range r.Calls {
		if name, ok := c.shelf.name(p.known.identify(&call)); ok {
			answer.Calls = append(answer.Calls, protocol.MessageCall{ID: call.ID, Name: name})
		}
	}
	c.digests = append(c.digests, answer, protocol.MessageDigest{Role: "tool", Digest: answer.Digest + " result"})
	return nil
}

// fetch makes the model request the tools that it calls and does not have in full.
func (c *conversation) fetch(task string, names []string) error {
	p := c.player
	work, err := p.engine.Requests.Call(p.ctx, &protocol.ConversationCallParams{
		Task: task, Name: router.LoadName, Arguments: codec.Marshal(map[string][]string{"names": names}),
	})
	if err != nil {
		return err
	}
	answer, err := work()
	if err == nil && answer.Attachment != nil {
		c.sent = namesOf(answer.Attachment)
	}
	return err
}

// place returns the outcome of a call of a tool that a task does not have in full. A rule
// that excludes the tool takes precedence over its name, and the name over its rank.
func (p *player) place(task string, id identity, name string, a *protocol.Attachment) (end ended, err error) {
	entry, err := p.engine.Tasks.Look(principal.Local, task)
	if err != nil {
		return end, err
	}
	v, t, err := p.engine.Tasks.Current(entry)
	if err != nil {
		return end, err
	}
	i, ok := v.Catalog.Lookup(router.ToolID{Server: id.Server, Tool: name})
	if !ok {
		return ended{Outcome: Unknown}, nil
	}
	end = ended{Outcome: NotFound, Tokens: v.Catalog.Tools[i].Tokens}
	for place, m := range v.Search(&t, v.RankedText(&t), len(v.Catalog.Tools), false) {
		if m.Doc == i {
			end.Rank = place + 1
		}
	}
	switch {
	case v.Rule(&t, i).Kind != "":
		end.Outcome = OutOfScope
	case slices.ContainsFunc(t.Named, func(n router.Named) bool { return n.Name == name }):
		end.Outcome = ByName
	case end.Rank > 0 && end.Rank <= a.Counts.Attached+a.Counts.Named+v.Settings.SearchK:
		end.Outcome = Found
	}
	return end, nil
}

// why returns a sentence on why a task does not have a tool. It takes ten times as long
// as place.
func (p *player) why(task, name string) string {
	entry, err := p.engine.Tasks.Look(principal.Local, task)
	if err != nil {
		return ""
	}
	said, err := p.engine.Inspector.Explain(p.ctx, entry, &protocol.TaskExplainParams{Task: task, Tool: name})
	if err != nil || len(said.Tools) == 0 {
		return ""
	}
	return said.Tools[0].Sentence
}

// judge records the outcome of each call of a request, and returns the tools that the
// model would have had to request. Without a route nothing was attached.
func (c *conversation) judge(r *history.Request, m *message, words string, route *protocol.ConversationRouteResult) (fetch []string, err error) {
	attached := map[string]bool{}
	if route != nil {
		for i := range route.Attachment.Tools {
			attached[route.Attachment.Tools[i].Name] = true
		}
	}
	p := c.player
	for i := range r.Calls {
		id := p.known.identify(&r.Calls[i])
		if id.Tool == "" {
			p.report.Own++
			continue
		}
		if known, ok := p.known.of(id); ok {
			id = known
		}
		end := ended{Outcome: Unknown}
		name, ok := c.shelf.name(id)
		switch {
		case ok && attached[name]:
			end.Outcome = InFull
		case ok && route != nil:
			if end, err = p.place(route.Task, id, name, &route.Attachment); err != nil {
				return nil, err
			}
			end.why = func() string { return p.why(route.Task, name) }
		case p.known.held(id):
			end.Outcome = OutOfScope
		}
		if (end.Outcome == ByName || end.Outcome == Found || end.Outcome == NotFound) && !slices.Contains(fetch, name) {
			fetch = append(fetch, name)
		}
		p.report.call(c, id, &end, m, words)
		if c.called == nil {
			c.called = map[identity]bool{}
		}
		c.called[id] = true
	}
	return fetch, nil
}

func namesOf(a *protocol.Attachment) []string {
	names := make([]string, len(a.Tools))
	for i := range a.Tools {
		names[i] = a.Tools[i].Name
	}
	return names
}

// cost adds the actual and the replayed cost of a request.
func (c *conversation) cost(r *history.Request, a *protocol.Attachment, fetches bool) {
	now := namesOf(a)
	changed := c.sent != nil && !slices.Equal(c.sent, now)
	c.sent = now
	s := &c.player.report.Costs
	if r.Usage != nil && r.Usage.Total() < a.Tokens.Client {
		s.Without++
		return
	}
	s.Requests++
	s.TokensBefore += a.Tokens.Client
	s.TokensAfter += a.Tokens.Attached
	if fetches {
		s.Rounds++
	}
	if r.Usage != nil {
		c.writes = c.writes || r.Usage.CacheWrite > 0
		s.add(price(r.Usage, a.Tokens.Client-a.Tokens.Attached, changed, fetches, c.writes, c.player.prices))
	}
}

// sortedKeys returns the sorted keys of a map.
func sortedKeys[V any](m map[string]V) []string {
	return slices.SortedFunc(maps.Keys(m), cmp.Compare)
}
