package vscode

import (
	"strings"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/chats"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Answer records a model's answer as [stateless.Requests.Answer] does, and the calls that
// VS Code was given to run.
func (r *Requests) Answer(p *protocol.ConversationAnswerParams) (protocol.ConversationAnswerResult, error) {
	result, err := r.Requests.Answer(p)
	if err != nil {
		return result, err
	}
	delivered := map[string]bool{}
	for _, id := range p.Calls {
		delivered[id] = true
	}
	for _, answered := range p.Parts {
		var part protocol.MessagePart
		if !delivered[answered.Call] || codec.Unmarshal(answered.Part, &part) != nil {
			continue
		}
		if id, ok := r.runsIt(part.Name); ok {
			r.options.Handed.Begin(p.Task, calls.HandedCall{ID: chats.PlainID(answered.Call), Tool: id, Arguments: part.Input, Had: r.Had(p.Task, part.Name)})
		}
	}
	return result, nil
}

// runsIt returns the tool that a name means, if VS Code runs it itself.
func (r *Requests) runsIt(name string) (id router.ToolID, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case name == "" || r.list == nil || name == protocol.ProxyTool || router.IsMetaTool(name) || isGroup(name):
		return id, false
	case strings.HasPrefix(name, "mcp__"): // of a server that Winnow runs, which records it
		return id, false
	case r.list.isMCP(name):
		t := r.list.offered(&protocol.RequestTool{Name: name})
		if t.Tool == "" {
			t.Tool = name
		}
		return router.ToolID{Server: t.Server, Tool: t.Tool}, true
	}
	return router.ToolID{Server: builtInServer, Tool: name}, true
}

// ended records the outcomes of a task's calls, as a request reports them.
func (r *Requests) ended(task string, messages []protocol.MessageDigest) {
	r.options.Handed.End(task, func(id string) string {
		for i := len(messages) - 1; i >= 0; i-- {
			for k := range messages[i].Parts {
				if p := &messages[i].Parts[k]; p.Kind == protocol.PartResult && chats.PlainID(p.CallID) == id {
					return outcome(chats.TextOf(p.Content))
				}
			}
		}
		return journal.Unknown
	})
}

// outcome returns how a call that VS Code ran has ended, by the beginning of its result.
// A tool's error cannot be distinguished from another answer.
func outcome(text string) string {
	switch text = strings.TrimSpace(text); {
	case strings.HasPrefix(text, "The user chose to skip"):
		return journal.Skipped
	case strings.HasPrefix(text, "The user cancelled"):
		return journal.Cancelled
	case strings.HasPrefix(text, "ERROR while calling tool"), strings.HasPrefix(text, "ERROR: "), strings.Contains(text, "is currently disabled by the user"):
		return journal.Failed
	}
	return journal.Answered
}

// RareUses returns a function that records uses only of VS Code's own tools that requests
// need not carry.
func RareUses(record func(router.ToolID)) func(router.ToolID) {
	return func(id router.ToolID) {
		if id.Server == builtInServer && !isCore(id.Tool) {
			record(id)
		}
	}
}
