package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
)

// Names of MCP for single resources and arguments.
const (
	resourceUpdated   = "notifications/resources/updated"
	elicitationDone   = "notifications/elicitation/complete"
	offersCompletions = "completions"
)

// subscriber is one subscription of a client to a resource. It identifies the
// subscription at the servers' side.
type subscriber struct {
	uri     string // the server's own URI
	updated func(uri string)
}

// Subscribe implements [mcpserver.Session].
func (o *offers) Subscribe(ctx context.Context, uri string, updated func(uri string)) (end func(context.Context), err error) {
	server, own, ok := serverOfURI(uri)
	if !ok {
		return nil, noResource(uri)
	}
	if err := o.servers.Admits(server); err != nil {
		return nil, err
	}
	if err := o.servers.ResourcesAllowed(server); err != nil {
		return nil, err
	}
	one := &subscriber{own, updated}
	if err := o.servers.Subscribe(ctx, server, own, one); err != nil {
		return nil, err
	}
	return func(ctx context.Context) {
		if err := o.servers.Unsubscribe(ctx, server, own, one); err != nil {
			o.log.Debug("a subscription was not ended", "server", server, "error", err)
		}
	}, nil
}

// updated notifies the subscribers of a resource of an update.
func updated(a upstream.Announcement) {
	var params struct {
		URI string `json:"uri"`
	}
	if json.Unmarshal(a.Params, &params) != nil {
		return
	}
	for _, session := range a.Sessions {
		if one, ok := session.(*subscriber); ok {
			one.updated(prefixedURI(a.Server, params.URI))
		}
	}
}

// elicited notifies the clients that have called a server of a completed URL elicitation.
func (f *Face) elicited(a upstream.Announcement) {
	var params map[string]any
	if json.Unmarshal(a.Params, &params) != nil {
		return
	}
	for _, s := range f.clients.all() {
		if _, used := s.logs.at(a.Server); used && !s.client.Shared {
			s.client.Notify(a.Method, params)
		}
	}
}

// Complete implements [mcpserver.Session]. A server without completions gives an empty
// list.
func (o *offers) Complete(ctx context.Context, c mcpserver.Completing) (json.RawMessage, error) {
	type reference struct {
		Type string `json:"type"`
		Name string `json:"name,omitempty"`
		URI  string `json:"uri,omitempty"`
	}
	var server string
	var ref reference
	if c.Prompt != "" {
		name, own, ok := o.serverOfPrompt(c.Prompt)
		if !ok {
			return nil, noPrompt(c.Prompt)
		}
		if err := o.servers.PromptAllowed(ctx, name, own); err != nil {
			return nil, err
		}
		server, ref = name, reference{Type: "ref/prompt", Name: own}
	} else {
		name, own, ok := serverOfURI(c.URI)
		if !ok {
			return nil, noResource(c.URI)
		}
		if err := o.servers.ResourcesAllowed(name); err != nil {
			return nil, err
		}
		server, ref = name, reference{Type: "ref/resource", URI: own}
	}
	if !slices.Contains(ready(o.servers, offersCompletions), server) {
		return json.RawMessage(`{"values":[]}`), o.servers.Admits(server)
	}
	type argument struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	type chosen struct {
		Arguments map[string]string `json:"arguments,omitempty"`
	}
	raw, err := o.request(ctx, server, "completion/complete", struct {
		Ref      reference `json:"ref"`
		Argument argument  `json:"argument"`
		Context  chosen    `json:"context"`
	}{ref, argument{c.Argument, c.Value}, chosen{c.Chosen}})
	if err != nil {
		return nil, err
	}
	var result struct {
		Completion json.RawMessage `json:"completion"`
	}
	if err := json.Unmarshal(raw, &result); err != nil || len(result.Completion) == 0 {
		return nil, fmt.Errorf("MCP server %q answered something that is no completion", server)
	}
	return result.Completion, nil
}

func noResource(uri string) error {
	return failure.New(protocol.KindInvalidArgument, "Take one from resources/list or resources/templates/list.",
		"%q is no resource of this server", uri)
}

func noPrompt(name string) error {
	return failure.New(protocol.KindInvalidArgument, "Take one from prompts/list.", "%q is no prompt of this server", name)
}
