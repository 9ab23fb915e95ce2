// Package opencode reads exports of sessions written by `opencode export`. It does not
// read opencode's SQLite database.
//
// The format is that of its server's Session.Info and MessageV2. It was taken from
// exports of opencode-ai 1.18.33.
package opencode

import (
	"io"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/history"
)

// Reader returns the reader of opencode's exports.
func Reader() history.Reader {
	return history.Reader{
		ID: "opencode", Name: "opencode", Read: read,
		Note: "run `opencode export ID > FILE` for a session of `opencode session list`, and give it with `-file opencode=FILE`",
	}
}

type export struct {
	Info struct {
		ID        string `json:"id"`
		ParentID  string `json:"parentID"`
		Directory string `json:"directory"`
	} `json:"info"`
	Messages []message `json:"messages"`
}

type message struct {
	Info struct {
		Role    string `json:"role"`
		Summary any    `json:"summary"`
		Time    struct {
			Created float64 `json:"created"`
		} `json:"time"`
		Tokens *tokens `json:"tokens"`
	} `json:"info"`
	Parts []part `json:"parts"`
}

type tokens struct {
	Input  int `json:"input"`
	Output int `json:"output"`
	Cache  struct {
		Read  int `json:"read"`
		Write int `json:"write"`
	} `json:"cache"`
}

type part struct {
	Type      string  `json:"type"`
	Text      string  `json:"text"`
	Synthetic bool    `json:"synthetic"`
	Tool      string  `json:"tool"`
	CallID    string  `json:"callID"`
	Tokens    *tokens `json:"tokens"`
}

func read(l *history.Log, _ string, in io.Reader) {
	var e export
	if !history.Value(l, in, &e) {
		return
	}
	b := history.Builder{Conversation: &history.Conversation{ID: e.Info.ID, Parent: e.Info.ParentID, Folder: e.Info.Directory}}
	for i := range e.Messages {
		m := &e.Messages[i]
		switch m.Info.Role {
		case "user":
			user(&b, m)
		case "assistant":
			answer(l, &b, m)
		default:
			l.Skip("message " + m.Info.Role)
		}
	}
	l.Add(b.Conversation)
}

// user adds a message of the user. `opencode run` quotes a message from its command line.
func user(b *history.Builder, m *message) {
	var texts []string
	for _, p := range m.Parts {
		if p.Type == "text" && !p.Synthetic {
			texts = append(texts, p.Text)
		}
	}
	text := strings.Join(texts, "\n")
	if len(text) > 1 && strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`) {
		text = text[1 : len(text)-1]
	}
	if text != "" {
		b.User(history.Millis(m.Info.Time.Created), text, false)
	}
}

// answer adds a message of the model. Each of its steps is a request.
func answer(l *history.Log, b *history.Builder, m *message) {
	at := history.Millis(m.Info.Time.Created)
	if m.Info.Summary == true { // it replaces everything before
		b.User(at, "", true)
		return
	}
	b.End()
	counted := false
	for _, p := range m.Parts {
		switch p.Type {
		case "step-start":
			b.End()
		case "tool":
			b.Call(at, history.Call{ID: p.CallID, Name: p.Tool})
		case "step-finish":
			if p.Tokens != nil {
				b.Usage(at, p.Tokens.usage())
				counted = true
			}
		case "text", "reasoning", "file", "snapshot", "patch", "agent", "subtask", "retry", "compaction":
		default:
			l.Skip("part " + p.Type)
		}
	}
	if m.Info.Tokens != nil && !counted {
		b.Usage(at, m.Info.Tokens.usage())
	}
}

func (t *tokens) usage() history.Usage {
	return history.Usage{Input: t.Input, CacheRead: t.Cache.Read, CacheWrite: t.Cache.Write, Output: t.Output}
}
