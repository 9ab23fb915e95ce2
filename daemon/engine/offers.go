package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// What servers list besides tools.
const (
	ListPrompts   = "prompts/list"
	GetPrompt     = "prompts/get"
	promptsMember = "prompts"
)

// Bounds of a list of one server.
const (
	// listTime is how long it may take.
	listTime = 10 * time.Second
	// maxListPages is how many pages of it are read.
	maxListPages = 50
)

// Offers is what servers offer besides tools, as the lock on tools lets it
// through.
type Offers struct {
	upstream *upstream.Manager
	locks    *toollock.Keeper
	modes    *workspace.Modes
}

// ListAll reads a whole list of a server: method lists it, under member. Prompts
// are as the lock on tools lets them through, and resources that it holds back are
// not there. What was read before an error is returned with it.
func (o *Offers) ListAll(ctx context.Context, server, method, member string) ([]json.RawMessage, error) {
	if method != ListPrompts && (toollock.Approvals{Keeper: o.locks}).ResourcesHeld(server).Kind != "" {
		return nil, nil
	}
	all, err := o.listed(ctx, server, method, member)
	if method == ListPrompts {
		all = o.locks.Prompts(server, all, err == nil)
	}
	return all, err
}

// RawPrompts lists the prompts of a server as the server has them.
func (o *Offers) RawPrompts(ctx context.Context, server string) ([]json.RawMessage, error) {
	return o.listed(ctx, server, ListPrompts, promptsMember)
}

func (o *Offers) listed(ctx context.Context, server, method, member string) ([]json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	var all []json.RawMessage
	cursor := ""
	for range maxListPages {
		r := upstream.Request{Server: server, Method: method}
		if cursor != "" {
			r.Params = codec.Marshal(map[string]string{"cursor": cursor})
		}
		raw, err := o.upstream.Request(ctx, r)
		if err != nil {
			return all, err
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return all, err
		}
		var entries []json.RawMessage
		if err := json.Unmarshal(members[member], &entries); err != nil {
			return all, err
		}
		all = append(all, entries...)
		last := cursor
		cursor = ""
		if json.Unmarshal(members["nextCursor"], &cursor) != nil || cursor == "" || cursor == last {
			break
		}
	}
	return all, nil
}

// PromptAllowed refuses a prompt that the lock on tools holds back. What the
// server says of one that it has not listed yet is asked for first: it may be
// something else than is locked.
func (o *Offers) PromptAllowed(ctx context.Context, server, name string) error {
	cause, listed := o.locks.PromptHeld(server, name)
	if !listed {
		if err := o.modes.Admits(server); err != nil {
			return err
		}
		if _, err := o.ListAll(ctx, server, ListPrompts, promptsMember); err != nil {
			return failure.New(protocol.KindOutOfScope, "Ask again, or see the log of the server.",
				"the prompt %q of server %q may not be used: the server cannot list its prompts, so that nobody knows whether it has changed: %v", name, server, err).OfServer(server)
		}
		cause, _ = o.locks.PromptHeld(server, name)
	}
	if cause.Kind == "" {
		return nil
	}
	err := failure.New(protocol.KindOutOfScope, "Look at it in the Servers view of Winnow, and approve it.",
		"the prompt %q of server %q may not be used: %s", name, server, reasons.Plain(cause)).OfServer(server)
	err.Rule = &cause
	return err
}
