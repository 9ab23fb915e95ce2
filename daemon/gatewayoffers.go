package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
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
}

const (
	offersResources = "resources"
	offersPrompts   = "prompts"
	offersLogging   = "logging"
)

// offerTime bounds how long a list waits for one server.
const offerTime = 10 * time.Second

// maxOfferPages bounds the pages of one list that are read.
const maxOfferPages = 50

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

// Resources implements [gateway.Session].
func (g *gatewaySession) Resources(ctx context.Context) ([]json.RawMessage, error) {
	return g.offers(ctx, offer{offersResources, "resources/list", "resources", "uri", prefixedURI})
}

// Templates implements [gateway.Session].
func (g *gatewaySession) Templates(ctx context.Context) ([]json.RawMessage, error) {
	return g.offers(ctx, offer{offersResources, "resources/templates/list", "resourceTemplates", "uriTemplate", prefixedURI})
}

// Prompts implements [gateway.Session].
func (g *gatewaySession) Prompts(ctx context.Context) ([]json.RawMessage, error) {
	return g.offers(ctx, offer{offersPrompts, "prompts/list", "prompts", "name", prefixedPrompt})
}

// offers lists what the servers in scope offer, in the order of the servers. A
// server that does not answer is left out, and one that is not running is not
// started or waited for: the client is told when it runs.
func (g *gatewaySession) offers(ctx context.Context, o offer) ([]json.RawMessage, error) {
	w := g.server.workspace
	servers := w.ready(o.capability)
	g.mu.Lock()
	g.offered[o.capability] = strings.Join(servers, "\n")
	g.mu.Unlock()
	lists := make([][]json.RawMessage, len(servers))
	var asking sync.WaitGroup
	for i, name := range servers {
		if w.admits(name) != nil {
			continue
		}
		asking.Go(func() {
			list, err := guardServer(name, func() ([]json.RawMessage, error) { return w.listOffer(ctx, name, o) })
			if err != nil {
				g.server.log.Warn("server left out of a list", "server", name, "method", o.method, "error", err)
			}
			lists[i] = list
		})
	}
	asking.Wait()
	var all []json.RawMessage
	for _, list := range lists {
		all = append(all, list...)
	}
	return all, nil
}

// tellOffers tells the client of lists that have changed because other servers
// are running now.
func (g *gatewaySession) tellOffers() {
	for capability, method := range map[string]string{offersResources: tellResources, offersPrompts: tellPrompts} {
		servers := strings.Join(g.server.workspace.ready(capability), "\n")
		g.mu.Lock()
		before, seen := g.offered[capability]
		changed := seen && before != servers
		if changed {
			g.offered[capability] = servers
		}
		g.mu.Unlock()
		if changed {
			g.client.Tell(method, nil)
		}
	}
}

// ready returns the servers that run and declare a capability.
func (w *workspace) ready(capability string) []string {
	var names []string
	for _, s := range w.manager.Snapshot().Servers {
		var declared map[string]json.RawMessage
		if s.Status.State == upstream.Ready && json.Unmarshal(s.Capabilities, &declared) == nil && declared[capability] != nil {
			names = append(names, s.Name)
		}
	}
	return names
}

// listOffer reads a whole list of one server.
func (w *workspace) listOffer(ctx context.Context, server string, o offer) ([]json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, offerTime)
	defer cancel()
	var all []json.RawMessage
	cursor := ""
	for range maxOfferPages {
		r := upstream.Request{Server: server, Method: o.method}
		if cursor != "" {
			r.Params = json.RawMessage(mustMarshal(map[string]string{"cursor": cursor}))
		}
		raw, err := w.manager.Request(ctx, r)
		if err != nil {
			return all, err
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return all, err
		}
		var entries []json.RawMessage
		if err := json.Unmarshal(members[o.member], &entries); err != nil {
			return all, err
		}
		for _, entry := range entries {
			all = append(all, editJSON(entry, o.key, func(key string) string { return o.prefixed(server, key) }))
		}
		last := cursor
		cursor = ""
		if json.Unmarshal(members["nextCursor"], &cursor) != nil || cursor == "" || cursor == last {
			break
		}
	}
	return all, nil
}

// admits returns why a server is out of scope; nil when it is not.
func (w *workspace) admits(server string) error {
	mode, err := w.mode("")
	if err != nil {
		return err
	}
	if rule := mode.ServerRule(w.state().policy(server), server); rule != "" {
		return fail(protocol.KindOutOfScope, "Change the rule, or use another server.", "the server %q is out of scope: %s", server, rule)
	}
	if hold := w.state().hold(server); hold != "" {
		return fail(protocol.KindUnavailable, "Let it start first.", "the server %q %s", server, hold)
	}
	return nil
}

// Read implements [gateway.Session].
func (g *gatewaySession) Read(ctx context.Context, uri string) (json.RawMessage, error) {
	server, own, ok := serverOfURI(uri)
	if !ok {
		return nil, fail(protocol.KindInvalidArgument, "Take one from resources/list or resources/templates/list.",
			"%q is no resource of this server", uri)
	}
	raw, err := g.request(ctx, server, "resources/read", map[string]string{"uri": own})
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

// Prompt implements [gateway.Session].
func (g *gatewaySession) Prompt(ctx context.Context, name string, arguments map[string]string) (json.RawMessage, error) {
	server := ""
	for _, s := range g.server.workspace.manager.Snapshot().Servers {
		// A server's own name may hold the separator: the longest wins.
		if strings.HasPrefix(name, prefixedPrompt(s.Name, "")) && len(s.Name) > len(server) {
			server = s.Name
		}
	}
	if server == "" {
		return nil, fail(protocol.KindInvalidArgument, "Take one from prompts/list.", "%q is no prompt of this server", name)
	}
	return g.request(ctx, server, "prompts/get", map[string]any{
		"name": strings.TrimPrefix(name, prefixedPrompt(server, "")), "arguments": arguments,
	})
}

// request asks a server in scope.
func (g *gatewaySession) request(ctx context.Context, server, method string, params any) (json.RawMessage, error) {
	w := g.server.workspace
	if err := w.admits(server); err != nil {
		return nil, err
	}
	g.note(server)
	return w.manager.Request(ctx, upstream.Request{Server: server, Method: method, Params: json.RawMessage(mustMarshal(params))})
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
