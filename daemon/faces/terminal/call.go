package terminal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
)

// Confirmation describes a call to be confirmed.
type Confirmation struct {
	// Call is the tool with its arguments, in one line.
	Call string
	// SaysItReads: the server says that the tool only reads, which the user has not
	// approved.
	SaysItReads bool
}

// ErrToolFailed is returned by [Call] if the tool ran and reported a failure. Its result
// is written.
var ErrToolFailed = errors.New("the tool reports an error")

// Call runs a tool, named `server/tool` or as models see it, and writes its result.
// arguments is a JSON object or empty. A tool that may write is confirmed first.
func Call(ctx context.Context, eo engine.Options, o *Options, name string, arguments json.RawMessage) error {
	if arguments = bytes.TrimSpace(arguments); len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	if !json.Valid(arguments) || arguments[0] != '{' {
		return fmt.Errorf("the arguments are not a JSON object: %.80s", arguments)
	}
	eo.Asleep = true
	return with(ctx, eo, o, func(ctx context.Context, s *session) error {
		result, err := s.call(ctx, name, arguments)
		if err != nil {
			return err
		}
		if err := s.printResult(result); err != nil {
			return err
		}
		if result.IsError {
			return ErrToolFailed
		}
		return nil
	})
}

func (s *session) call(ctx context.Context, name string, arguments json.RawMessage) (*protocol.TaskCallResult, error) {
	tool, err := s.wake(ctx, name)
	if err != nil {
		return nil, err
	}
	// The task has the tool attached from the start.
	open, err := s.engine.Turns.Open(ctx, &protocol.TaskOpenParams{Choices: protocol.TaskChoices{
		Pinned: []protocol.ToolRef{{Server: tool.Server, Tool: tool.Tool}},
	}})
	if err != nil {
		return nil, err
	}
	a, err := open()
	if err != nil {
		return nil, err
	}
	e, err := s.engine.Tasks.Get(principal.Local, a.Task)
	if err != nil {
		return nil, err
	}
	described, err := s.engine.Calls.Describe(e, &protocol.TaskDescribeCallParams{Task: a.Task, Name: tool.Name, Arguments: arguments})
	if err != nil {
		return nil, err
	}
	made := calls.Call{Name: tool.Name, Arguments: arguments}
	if described.Confirm {
		call := Confirmation{Call: hiddentext.Printable(fmt.Sprintf("%s/%s %s", described.Server, described.Tool, described.Arguments)), SaysItReads: described.ReadOnly}
		if err := s.Confirm(call); err != nil {
			return nil, err
		}
		made.Consent = protocol.ConsentOnce
	}
	return s.engine.Calls.Invoke(ctx, e, made)()
}

// wake starts the server of a tool, and returns the tool. If the name does not tell the
// server, all unknown servers are started.
func (s *session) wake(ctx context.Context, name string) (*protocol.ToolInfo, error) {
	server, _, _ := strings.Cut(name, "/")
	wanted := []string{server}
	if _, known := s.engine.Workspace.Configuration().Server(server); !known {
		if tool, err := s.find(name); err == nil {
			wanted = []string{tool.Server}
		} else if list, err := s.known(ctx); err == nil {
			wanted = unknown(list)
		}
	}
	for _, one := range wanted {
		_ = s.engine.Upstream.Restart(one) // find reports a missing server
	}
	if _, err := s.await(ctx, func(name string) bool { return slices.Contains(wanted, name) }); err != nil {
		return nil, err
	}
	return s.find(name)
}

// find returns the tool with a name.
func (s *session) find(name string) (*protocol.ToolInfo, error) {
	list, err := s.engine.Catalog.List(&protocol.CatalogListParams{})
	if err != nil {
		return nil, err
	}
	for i := range list.Tools {
		if t := &list.Tools[i]; t.Name == name || t.Server+"/"+t.Tool == name {
			return t, nil
		}
	}
	server, tool, cut := strings.Cut(name, "/")
	for i := range list.Servers {
		info := &list.Servers[i]
		if !cut || info.Name != server {
			continue
		}
		if info.State != protocol.ServerReady {
			return nil, fmt.Errorf("server %q is %s: %s", server, info.State, trouble(info))
		}
		return nil, fmt.Errorf("server %q has no tool %q; winnowd servers -tools %s lists those it has", server, tool, server)
	}
	return nil, fmt.Errorf("no tool is called %q; write SERVER/TOOL, as winnowd servers -tools lists them", name)
}

// printResult writes the text of a result, and its other content as JSON.
func (s *session) printResult(r *protocol.TaskCallResult) error {
	if s.JSON {
		return codec.Write(s.Out, r)
	}
	p := printer{w: s.Out}
	for _, block := range r.Content {
		var content struct {
			Type, Text string
		}
		if json.Unmarshal(block, &content) == nil && content.Type == "text" {
			p.line("%s", content.Text)
		} else {
			p.line("%s", block)
		}
	}
	return p.err
}
