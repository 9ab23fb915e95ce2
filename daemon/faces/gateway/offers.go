package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/daemon/upstream"
)

// offer is something that servers list besides tools.
type offer struct {
	// capability is what a server with it declares.
	capability string
	// method lists it, under member.
	method, member string
	// key is the member of an entry by which it is asked for; prefixed makes the
	// server part of it.
	key      string
	prefixed func(server, key string) string
	// changed is the notification of a change.
	changed string
}

const (
	offersResources = "resources"
	offersPrompts   = "prompts"
	offersLogging   = "logging"
)

// resourceScheme begins every URI of the gateway's. The server and its own URI
// follow; its templates stay templates.
const resourceScheme = "winnow:///"

func prefixedURI(server, uri string) string {
	return resourceScheme + url.PathEscape(server) + "/" + uri
}

// serverOfURI takes a URI of the gateway's apart.
func serverOfURI(uri string) (server, own string, ok bool) {
	rest, ok := strings.CutPrefix(uri, resourceScheme)
	if !ok {
		return "", "", false
	}
	escaped, own, ok := strings.Cut(rest, "/")
	if !ok {
		return "", "", false
	}
	server, err := url.PathUnescape(escaped)
	return server, own, err == nil
}

func prefixedPrompt(server, name string) string { return server + "__" + name }

// nothing are servers that offer nothing besides tools: which prompts and
// resources exist for a user is decided nowhere yet.
type nothing struct{ Servers }

// Snapshot implements [Servers].
func (nothing) Snapshot() *upstream.Snapshot { return &upstream.Snapshot{} }

// Admits implements [Servers].
func (nothing) Admits(string) error { return noResource("") }

// ResourcesAllowed implements [Servers].
func (nothing) ResourcesAllowed(string) error { return noResource("") }

// offers are what servers offer besides tools, for one client: resources and
// prompts under names that lead back to their server.
type offers struct {
	servers Servers
	client  mcpserver.Client
	log     *slog.Logger
	lists   *lists
	// called is told of a server that was asked for something.
	called func(server string)

	// mu guards listed, which holds what the client has asked for, `resources`
	// or `prompts`, with the servers that were running then.
	mu     sync.Mutex
	listed map[string]string
}

// Resources implements [mcpserver.Session].
func (o *offers) Resources(ctx context.Context) ([]json.RawMessage, error) {
	return o.list(ctx, offer{offersResources, "resources/list", "resources", "uri", prefixedURI, resourcesChanged})
}

// Templates implements [mcpserver.Session].
func (o *offers) Templates(ctx context.Context) ([]json.RawMessage, error) {
	return o.list(ctx, offer{offersResources, "resources/templates/list", "resourceTemplates", "uriTemplate", prefixedURI, resourcesChanged})
}

// Prompts implements [mcpserver.Session].
func (o *offers) Prompts(ctx context.Context) ([]json.RawMessage, error) {
	return o.list(ctx, offer{offersPrompts, engine.ListPrompts, "prompts", "name", prefixedPrompt, promptsChanged})
}

// list lists what the servers in scope offer, in the order of the servers. One
// that is slow, or asleep, has what it listed last, one that refuses is left out, and
// one that has not run yet is not started or waited for: the client is told when
// it runs.
func (o *offers) list(ctx context.Context, what offer) ([]json.RawMessage, error) {
	servers := o.offering(what.capability)
	o.note(what.capability, servers)
	lists := make([][]json.RawMessage, len(servers))
	var asking sync.WaitGroup
	for i, s := range servers {
		name := s.name
		if o.servers.Admits(name) != nil {
			continue
		}
		if s.asleep {
			lists[i] = o.lists.last(listKey{name, what.method})
			continue
		}
		asking.Go(func() {
			fetch := func(ctx context.Context) ([]json.RawMessage, error) {
				return failure.Guard(name, func() ([]json.RawMessage, error) { return o.listServer(ctx, name, what) })
			}
			list, err := o.lists.read(ctx, listKey{name, what.method}, fetch, func() { o.client.Notify(what.changed, nil) })
			if err != nil {
				o.log.Warn("server left out of a list", "server", name, "method", what.method, "error", err)
			}
			lists[i] = list
		})
	}
	asking.Wait()
	o.note(what.capability, servers) // with what the lock made of what was listed
	var all []json.RawMessage
	for _, list := range lists {
		all = append(all, list...)
	}
	return all, nil
}

// note remembers what a list that the client is told is made of: the servers
// that it was made from, whichever run by now.
func (o *offers) note(capability string, servers []offering) {
	made := o.madeOf(capability, servers)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.listed[capability] = made
}

// madeOf names what a list is made of beside what servers say: which of them it
// asks, and which prompts the lock on tools lets through.
func (o *offers) madeOf(capability string, servers []offering) string {
	made := ""
	for _, s := range servers {
		server := s.name
		made += fmt.Sprintf("\n%s %d", server, s.run)
		if capability == offersPrompts {
			made += "\n" + o.servers.PromptsTold(server)
		} else if o.servers.ResourcesAllowed(server) != nil {
			made += "\nnothing of " + server
		}
	}
	return made
}

// follow tells the client of lists that have changed because other servers
// are running now, or because of an answer about the lock on tools.
func (o *offers) follow() {
	for capability, method := range map[string]string{offersResources: resourcesChanged, offersPrompts: promptsChanged} {
		made := o.madeOf(capability, o.offering(capability))
		o.mu.Lock()
		before, seen := o.listed[capability]
		changed := seen && before != made
		if changed {
			o.listed[capability] = made
		}
		o.mu.Unlock()
		if changed {
			o.client.Notify(method, nil)
		}
	}
}

// offering is a server of which a list is made.
type offering struct {
	name string
	// run numbers the server's start since which the list counts.
	run uint64
	// asleep: it does not run, and what it has listed before counts.
	asleep bool
}

// offering returns the servers that declare a capability and run, or have listed
// before they were stopped because nothing used them.
func (o *offers) offering(capability string) []offering {
	var all []offering
	for _, one := range o.servers.Snapshot().Servers {
		s := offering{name: one.Name, run: one.Status.Generation, asleep: one.Status.State != upstream.Ready}
		switch {
		case !one.Offers(capability), s.asleep && !o.lists.listed(one.Name, capability):
			continue
		case one.Status.State == upstream.Starting:
			s.run-- // until it has started
		case s.asleep && one.Status.State != upstream.Known:
			continue
		}
		all = append(all, s)
	}
	return all
}

// ready returns the servers that run and declare a capability.
func ready(s Servers, capability string) []string {
	var names []string
	for _, one := range s.Snapshot().Servers {
		if one.Status.State == upstream.Ready && one.Offers(capability) {
			names = append(names, one.Name)
		}
	}
	return names
}

// listServer reads a whole list of one server.
func (o *offers) listServer(ctx context.Context, server string, what offer) ([]json.RawMessage, error) {
	all, err := o.servers.ListAll(ctx, server, what.method, what.member)
	for i, entry := range all {
		all[i] = editJSON(entry, what.key, func(key string) string { return what.prefixed(server, key) })
	}
	return all, err
}

// Read implements [mcpserver.Session].
func (o *offers) Read(ctx context.Context, uri string) (json.RawMessage, error) {
	server, own, ok := serverOfURI(uri)
	if !ok {
		return nil, noResource(uri)
	}
	if err := o.servers.ResourcesAllowed(server); err != nil {
		return nil, err
	}
	raw, err := o.request(ctx, server, "resources/read", map[string]string{"uri": own})
	if err != nil {
		return nil, err
	}
	var result struct {
		Contents []json.RawMessage `json:"contents"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, fmt.Errorf("MCP server %q answered something that is no resource: %w", server, err)
	}
	for i, content := range result.Contents {
		result.Contents[i] = editJSON(content, "uri", func(own string) string { return prefixedURI(server, own) })
	}
	edited, err := json.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("MCP server %q answered something that cannot be passed on: %w", server, err)
	}
	return edited, nil
}

// Prompt implements [mcpserver.Session].
func (o *offers) Prompt(ctx context.Context, name string, arguments map[string]string) (json.RawMessage, error) {
	server, own, ok := o.serverOfPrompt(name)
	if !ok {
		return nil, noPrompt(name)
	}
	if err := o.servers.PromptAllowed(ctx, server, own); err != nil {
		return nil, err
	}
	return o.request(ctx, server, engine.GetPrompt, map[string]any{"name": own, "arguments": arguments})
}

// serverOfPrompt takes a prompt's name of the gateway's apart.
func (o *offers) serverOfPrompt(name string) (server, own string, ok bool) {
	for _, s := range o.servers.Snapshot().Servers {
		// A server's own name may hold the separator: the longest wins.
		if strings.HasPrefix(name, prefixedPrompt(s.Name, "")) && len(s.Name) > len(server) {
			server = s.Name
		}
	}
	return server, strings.TrimPrefix(name, prefixedPrompt(server, "")), server != ""
}

// request asks a server in scope.
func (o *offers) request(ctx context.Context, server, method string, params any) (json.RawMessage, error) {
	if err := o.servers.Admits(server); err != nil {
		return nil, err
	}
	o.called(server)
	return o.servers.Request(ctx, upstream.Request{Server: server, Method: method, Params: codec.Marshal(params)})
}

// prefixLinks makes the links to resources in a result such as the client can
// read.
func prefixLinks(server string, content []json.RawMessage) {
	for i, block := range content {
		var kind struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(block, &kind) == nil && kind.Type == "resource_link" {
			content[i] = editJSON(block, "uri", func(own string) string { return prefixedURI(server, own) })
		}
	}
}
