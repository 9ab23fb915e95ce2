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

// offer is a list of servers other than tools.
type offer struct {
	// capability is the capability that a server must declare.
	capability string
	// method requests the list; member is the member of the result that holds it.
	method, member string
	// key is the member of an entry that identifies it. prefixed adds the server to it.
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

// resourceScheme is the prefix of the gateway's URIs. The server's name and its own URI,
// or URI template, follow.
const resourceScheme = "winnow:///"

func prefixedURI(server, uri string) string {
	return resourceScheme + url.PathEscape(server) + "/" + uri
}

// serverOfURI splits a URI of the gateway.
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

// nothing hides everything but tools: there are no rules yet for which prompts and
// resources a user may see.
type nothing struct{ Servers }

// Snapshot implements [Servers].
func (nothing) Snapshot() *upstream.Snapshot { return &upstream.Snapshot{} }

// Admits implements [Servers].
func (nothing) Admits(string) error { return noResource("") }

// ResourcesAllowed implements [Servers].
func (nothing) ResourcesAllowed(string) error { return noResource("") }

// offers implements resources and prompts for one client, under names that contain their
// server.
type offers struct {
	servers Servers
	client  mcpserver.Client
	log     *slog.Logger
	lists   *lists
	// called is called with each server that received a request.
	called func(server string)

	// mu guards listed, which maps a list that the client has read, `resources` or
	// `prompts`, to the state that it was made from.
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

// list returns the entries of all servers in scope, in the order of the servers. A server
// that is slow or stopped for being idle contributes its last known list. A server that
// fails is left out. A server that has not run yet is not started; the client is notified
// when it runs.
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
	o.note(what.capability, servers) // including the lock's decisions on the new entries
	var all []json.RawMessage
	for _, list := range lists {
		all = append(all, list...)
	}
	return all, nil
}

// note records the state from which the client's list is made.
func (o *offers) note(capability string, servers []offering) {
	made := o.madeOf(capability, servers)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.listed[capability] = made
}

// madeOf returns the state from which a list is made: the servers with their generations,
// and the lock's decisions.
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

// follow notifies the client of lists that changed because other servers run now, or
// because of a decision on the lock on tools.
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

// offering is a server that contributes to a list.
type offering struct {
	name string
	// run is the generation of the server that made the list: while the server starts
	// again, the generation before this start.
	run uint64
	// asleep: it does not run, and its last known list is used.
	asleep bool
}

// offering returns the servers that declare a capability and are ready, or that listed
// something before they were stopped for being idle.
func (o *offers) offering(capability string) []offering {
	var all []offering
	for _, one := range o.servers.Snapshot().Servers {
		s := offering{name: one.Name, run: one.Status.Generation, asleep: one.Status.State != upstream.Ready}
		switch {
		case !one.Offers(capability), s.asleep && !o.lists.listed(one.Name, capability):
			continue
		case one.Status.State == upstream.Starting:
			s.run-- // the generation before this start
		case s.asleep && one.Status.State != upstream.Known:
			continue
		}
		all = append(all, s)
	}
	return all
}

// ready returns the ready servers that declare a capability.
func ready(s Servers, capability string) []string {
	var names []string
	for _, one := range s.Snapshot().Servers {
		if one.Status.State == upstream.Ready && one.Offers(capability) {
			names = append(names, one.Name)
		}
	}
	return names
}

// listServer reads all pages of one server's list.
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

// serverOfPrompt splits a prompt name of the gateway.
func (o *offers) serverOfPrompt(name string) (server, own string, ok bool) {
	for _, s := range o.servers.Snapshot().Servers {
		// A server's name may contain the separator: the longest match wins.
		if strings.HasPrefix(name, prefixedPrompt(s.Name, "")) && len(s.Name) > len(server) {
			server = s.Name
		}
	}
	return server, strings.TrimPrefix(name, prefixedPrompt(server, "")), server != ""
}

// request makes a request to a server in scope.
func (o *offers) request(ctx context.Context, server, method string, params any) (json.RawMessage, error) {
	if err := o.servers.Admits(server); err != nil {
		return nil, err
	}
	o.called(server)
	return o.servers.Request(ctx, upstream.Request{Server: server, Method: method, Params: codec.Marshal(params)})
}

// prefixLinks prefixes the resource links in a result, so that the client can read them.
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
