// Package copilotcli reads the sessions of GitHub Copilot CLI: `events.jsonl` in the
// folder of a session.
//
// The format was taken only from the types that @github/copilot-sdk generates
// (session-events), because a session requires an account.
package copilotcli

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/history"
)

// Reader returns the reader of Copilot CLI's sessions.
func Reader() history.Reader {
	return history.Reader{
		ID: "copilot", Name: "Copilot CLI", Read: read, Note: "read from its types alone, never seen",
		Patterns: func(p history.Places) []string {
			return []string{filepath.Join(p.In("COPILOT_HOME", ".copilot"), "session-state", "*", "events.jsonl")}
		},
	}
}

type event struct {
	Type      string    `json:"type"`
	ID        string    `json:"id"`
	AgentID   string    `json:"agentId"`
	Timestamp time.Time `json:"timestamp"`
	Data      struct {
		SessionID string `json:"sessionId"`
		Context   struct {
			CWD string `json:"cwd"`
		} `json:"context"`
		Content                 string `json:"content"`
		IsAutopilotContinuation bool   `json:"isAutopilotContinuation"`
		MessageID               string `json:"messageId"`
		ToolRequests            []struct {
			ID     string `json:"toolCallId"`
			Name   string `json:"name"`
			Server string `json:"mcpServerName"`
			Tool   string `json:"mcpToolName"`
		} `json:"toolRequests"`
		Input      int  `json:"inputTokens"`
		CacheRead  *int `json:"cacheReadTokens"`
		CacheWrite int  `json:"cacheWriteTokens"`
		Output     int  `json:"outputTokens"`
	} `json:"data"`
}

// families are the prefixes of known kinds of events.
var families = []string{
	"session.", "user.", "assistant.", "model.", "tool.", "subagent.", "hook.", "permission.", "system.", "skill.", "abort", "pending_messages.", "tool_search.",
	"elicitation.", "user_input.", "mcp.", "command.", "external_tool.", "exit_plan_mode.", "sampling.", "factory.", "capabilities.",
}

func read(l *history.Log, path string, in io.Reader) {
	id, folder := filepath.Base(filepath.Dir(path)), ""
	agents := map[string]*history.Builder{}
	latest := map[string]string{} // id of the latest message of the model, by agent
	var order []*history.Builder
	history.Lines(l, in, func(e *event) {
		if l.Seen(e.ID) {
			return
		}
		if e.Type == "session.start" && e.Data.SessionID != "" && len(agents) == 0 {
			id, folder = e.Data.SessionID, e.Data.Context.CWD
		}
		b := agents[e.AgentID]
		if b == nil {
			b = &history.Builder{Conversation: &history.Conversation{ID: id, Folder: folder}}
			if e.AgentID != "" {
				b.ID, b.Parent = id+" "+e.AgentID, id
			}
			if e.Type == "session.start" {
				return
			}
			agents[e.AgentID], order = b, append(order, b)
		}
		switch e.Type {
		case "user.message":
			if e.Data.Content != "" && !e.Data.IsAutopilotContinuation {
				b.User(e.Timestamp, e.Data.Content, false)
			}
		case "assistant.message":
			if latest[e.AgentID] != e.Data.MessageID || e.Data.MessageID == "" {
				b.End()
				latest[e.AgentID] = e.Data.MessageID
			}
			for _, c := range e.Data.ToolRequests {
				b.Call(e.Timestamp, history.Call{ID: c.ID, Name: c.Name, Server: c.Server, Tool: c.Tool})
			}
		case "assistant.usage":
			if e.Data.CacheRead != nil {
				d := &e.Data
				b.Usage(e.Timestamp, history.Usage{
					Input: max(0, d.Input-*d.CacheRead-d.CacheWrite), CacheRead: *d.CacheRead, CacheWrite: d.CacheWrite, Output: d.Output,
				})
			}
		case "session.compaction_complete":
			b.User(e.Timestamp, "", true)
		default:
			if !slices.ContainsFunc(families, func(f string) bool { return strings.HasPrefix(e.Type, f) }) {
				l.Skip(e.Type)
			}
		}
	})
	for _, b := range order {
		l.Add(b.Conversation)
	}
}
