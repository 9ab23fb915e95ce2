// Package geminicli reads Gemini CLI's chats: one file for each session in `chats` of its
// folder for a project.
//
// The format is that of packages/core/src/services/chatRecordingService of
// google-gemini/gemini-cli. It was taken from sessions of @google/gemini-cli 0.61.0. A
// line is the session, a message that is added or replaces the one with its id, or `$set`
// with all messages. Earlier versions write one JSON value.
package geminicli

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/history"
)

// Reader returns the reader of Gemini CLI's chats.
func Reader() history.Reader {
	return history.Reader{
		ID: "gemini", Name: "Gemini CLI", Read: read,
		Patterns: func(p history.Places) []string {
			chats := filepath.Join(p.In("GEMINI_CLI_HOME"), ".gemini", "tmp", "*", "chats")
			return []string{
				filepath.Join(chats, "session-*.json*"), filepath.Join(chats, "*", "*.json*"),
			}
		},
	}
}

type record struct {
	SessionID       string    `json:"sessionId"`
	ParentSessionID string    `json:"parentSessionId"`
	Messages        []message `json:"messages"`
	Set             *struct {
		SessionID string     `json:"sessionId"`
		Messages  *[]message `json:"messages"`
	} `json:"$set"`
	RewindTo string `json:"$rewindTo"`
	message
}

type message struct {
	ID        string          `json:"id"`
	Timestamp time.Time       `json:"timestamp"`
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"`
	Tokens    *tokens         `json:"tokens"`
	ToolCalls []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"toolCalls"`
}

type tokens struct {
	Input  int `json:"input"`
	Cached int `json:"cached"`
	Output int `json:"output"`
}

type part struct {
	Text string `json:"text"`
	Call *struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"functionCall"`
}

func read(l *history.Log, path string, in io.Reader) {
	var messages []message
	cost := map[string]*tokens{}
	c := &history.Conversation{ID: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), Folder: folderOf(path)}
	add := func(r *record) {
		switch {
		case r.Set != nil:
			if r.Set.Messages != nil {
				messages = anew(messages, *r.Set.Messages, cost)
			}
		case r.SessionID != "":
			c.ID, c.Parent = r.SessionID, r.ParentSessionID
			if len(r.Messages) > 0 {
				messages = r.Messages
			}
		case r.RewindTo != "":
			if i := slices.IndexFunc(messages, func(m message) bool { return m.ID == r.RewindTo }); i >= 0 {
				messages = messages[:i]
			}
		case r.ID != "":
			messages = upsert(messages, r.message)
		default:
			l.Skip(r.Type)
		}
	}
	if filepath.Ext(path) == ".json" {
		var whole record
		if history.Value(l, in, &whole) {
			add(&whole)
		}
	} else {
		history.Lines(l, in, add)
	}
	b := history.Builder{Conversation: c}
	for i := range messages {
		write(l, &b, &messages[i])
	}
	l.Add(c)
}

// anew returns the messages of a `$set`. A resumed session lacks their tokens, which are
// taken from before.
func anew(before, messages []message, known map[string]*tokens) []message {
	for _, m := range before {
		if m.Tokens != nil {
			known[m.ID] = m.Tokens
		}
	}
	for i := range messages {
		if m := &messages[i]; m.Tokens == nil && m.Type == "gemini" {
			m.Tokens = known[m.ID]
		}
	}
	return messages
}

// upsert adds a message or replaces the one with its id, which is one of the latest.
func upsert(messages []message, m message) []message {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].ID == m.ID {
			messages[i] = m
			return messages
		}
	}
	return append(messages, m)
}

func write(l *history.Log, b *history.Builder, m *message) {
	switch m.Type {
	case "user":
		if text := textOf(m.Content); text != "" {
			b.User(m.Timestamp, text, false)
		}
	case "gemini":
		b.End()
		for _, c := range m.ToolCalls {
			b.Call(m.Timestamp, history.Call{ID: c.ID, Name: c.Name})
		}
		var parts []part
		if m.ToolCalls == nil && json.Unmarshal(m.Content, &parts) == nil { // the form in a resumed session
			for _, p := range parts {
				if p.Call != nil {
					b.Call(m.Timestamp, history.Call{ID: p.Call.ID, Name: p.Call.Name})
				}
			}
		}
		if t := m.Tokens; t != nil {
			b.Usage(m.Timestamp, history.Usage{Input: max(0, t.Input-t.Cached), CacheRead: t.Cached, Output: t.Output})
		}
	case "info", "error", "warning":
	default:
		l.Skip("message " + m.Type)
	}
}

// textOf returns the text of a content; "" for results of tools.
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []part
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// folderOf returns the folder of a chat's project, from the file beside the chats.
func folderOf(path string) string {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) == "chats" {
			root, err := os.ReadFile(filepath.Join(filepath.Dir(dir), ".project_root"))
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(root))
		}
	}
	return ""
}
