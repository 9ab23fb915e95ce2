// Package claudecode reads Claude Code's sessions: one file of JSON lines for each
// session in `projects` of its folder, and those of its subagents below.
//
// The format is undocumented. It was taken from sessions of @anthropic-ai/claude-code
// 2.1.197 and from its bundle. A line is a message of the user, one block of a message of
// the model, or an attachment: `deferred_tools_delta` has the tools that the model knows
// by name.
package claudecode

import (
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/history"
)

// Reader returns the reader of Claude Code's sessions.
func Reader() history.Reader {
	return history.Reader{
		ID: "claude", Name: "Claude Code", Read: read,
		Patterns: func(p history.Places) []string {
			projects := filepath.Join(p.In("CLAUDE_CONFIG_DIR", ".claude"), "projects", "*")
			return []string{filepath.Join(projects, "*.jsonl"), filepath.Join(projects, "*", "subagents", "*.jsonl")}
		},
	}
}

type record struct {
	Type             string     `json:"type"`
	Subtype          string     `json:"subtype"`
	UUID             string     `json:"uuid"`
	SessionID        string     `json:"sessionId"`
	AgentID          string     `json:"agentId"`
	CWD              string     `json:"cwd"`
	Timestamp        time.Time  `json:"timestamp"`
	IsSidechain      bool       `json:"isSidechain"`
	IsMeta           bool       `json:"isMeta"`
	IsCompactSummary bool       `json:"isCompactSummary"`
	Message          message    `json:"message"`
	Attachment       attachment `json:"attachment"`
}

type message struct {
	ID      string          `json:"id"`
	Content json.RawMessage `json:"content"`
	Usage   *struct {
		Input      int `json:"input_tokens"`
		CacheRead  int `json:"cache_read_input_tokens"`
		CacheWrite int `json:"cache_creation_input_tokens"`
		Output     int `json:"output_tokens"`
	} `json:"usage"`
}

type attachment struct {
	Type         string   `json:"type"`
	AddedNames   []string `json:"addedNames"`
	RemovedNames []string `json:"removedNames"`
}

type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// session is the conversation with the user or of a subagent.
type session struct {
	history.Builder

	message  string // id of the model's latest message
	deferred []string
}

// other are kinds of records without content of a conversation.
var other = []string{
	"queue-operation", "last-prompt", "mode", "summary", "system", "file-history-snapshot", "file-history-delta", "custom-title", "ai-title", "agent-name", "agent-color",
	"agent-setting", "tag", "pr-link", "progress", "permission-mode", "worktree-state", "content-replacement", "task-summary", "bridge-session",
}

func read(l *history.Log, path string, in io.Reader) {
	sessions := map[string]*session{}
	var order []*session
	history.Lines(l, in, func(r *record) {
		if r.Type != "user" && r.Type != "assistant" && r.Type != "attachment" {
			if !slices.Contains(other, r.Type) {
				l.Skip(r.Type)
			}
			return
		}
		if l.Seen(r.UUID) {
			return
		}
		agent := ""
		if r.IsSidechain {
			agent = "agent " + r.AgentID
		}
		s := sessions[agent]
		if s == nil {
			c := &history.Conversation{ID: r.SessionID, Folder: r.CWD}
			if agent != "" {
				c.ID, c.Parent = r.SessionID+" "+agent, r.SessionID
			}
			if r.SessionID == "" {
				c.ID = strings.TrimSuffix(filepath.Base(path), ".jsonl") + agent
			}
			s = &session{Builder: history.Builder{Conversation: c}}
			sessions[agent], order = s, append(order, s)
		}
		s.add(r)
	})
	for _, s := range order {
		l.Add(s.Conversation)
	}
}

func (s *session) add(r *record) {
	switch {
	case r.Type == "attachment":
		s.attach(r)
	case r.Type == "assistant":
		s.answer(r)
	case !r.IsMeta:
		if text := userText(r.Message.Content); text != "" {
			s.User(r.Timestamp, text, r.IsCompactSummary)
			s.message = ""
		}
	}
}

// attach applies a change of the tools that the model may search for.
func (s *session) attach(r *record) {
	if r.Attachment.Type != "deferred_tools_delta" {
		return
	}
	s.deferred = slices.DeleteFunc(slices.Clone(s.deferred), func(name string) bool {
		return slices.Contains(r.Attachment.RemovedNames, name) || slices.Contains(r.Attachment.AddedNames, name)
	})
	s.deferred = append(s.deferred, r.Attachment.AddedNames...)
	offer := history.Offer{Deferred: true}
	for _, name := range s.deferred {
		offer.Tools = append(offer.Tools, history.Tool{Name: name})
	}
	s.Offer(r.Timestamp, offer)
}

// answer adds a block of a model's message. Each of its lines has the usage of the whole
// request.
func (s *session) answer(r *record) {
	if r.Message.ID != s.message || r.Message.ID == "" {
		s.End()
		s.message = r.Message.ID
	}
	var blocks []block
	if json.Unmarshal(r.Message.Content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		if b.Type == "tool_use" {
			s.Call(r.Timestamp, history.Call{ID: b.ID, Name: b.Name})
		}
	}
	if u := r.Message.Usage; u != nil {
		s.Usage(r.Timestamp, history.Usage{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output})
	}
}

// userText returns the text of a message without results of tools. The client's commands
// and their output are not sent to a model.
func userText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) != nil {
		var blocks []block
		if json.Unmarshal(content, &blocks) != nil {
			return ""
		}
		var texts []string
		for _, b := range blocks {
			if b.Type == "text" {
				texts = append(texts, b.Text)
			}
		}
		text = strings.Join(texts, "\n")
	}
	for _, own := range []string{"<command-", "<local-command-", "[Request interrupted"} {
		if strings.HasPrefix(text, own) {
			return ""
		}
	}
	return text
}
