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

// Methods for what servers offer besides tools.
const (
	ListPrompts   = "prompts/list"
	GetPrompt     = "prompts/get"
	promptsMember = "prompts"
)

// Limits on the list of one server.
const (
	// listTime is how long listing may take.
	listTime = 10 * time.Second
	// maxListPages is how many pages are read.
	maxListPages = 50
)

// Offers is what servers offer besides tools, filtered by the lock on tools.
type Offers struct {
	upstream *upstream.Manager
	locks    *toollock.Keeper
	modes    *workspace.Modes
}

// ListAll reads a whole list of a server: method lists it, under member. Prompts are
// filtered by the lock on tools, and locked resources are omitted. On an error, it also
// returns what was read before.
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

// RawPrompts lists the prompts of a server unfiltered.
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

// PromptAllowed returns an error if the lock on tools holds a prompt back. It lists an
// unlisted prompt first, because its content may differ from the locked one.
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
