// Package codex reads Codex's rollouts: one file of JSON lines for each session, by day,
// in `sessions` of its folder.
//
// The format is that of RolloutItem in codex-rs/protocol of openai/codex. It was taken
// from there and from sessions of @openai/codex 0.169.0. A request ends with the record
// of its tokens.
package codex

import (
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/history"
)

// Reader returns the reader of Codex's rollouts.
func Reader() history.Reader {
	return history.Reader{
		ID: "codex", Name: "Codex", Read: read,
		Patterns: func(p history.Places) []string {
			home := p.In("CODEX_HOME", ".codex")
			return []string{
				filepath.Join(home, "sessions", "*", "*", "*", "rollout-*.jsonl"), filepath.Join(home, "archived_sessions", "rollout-*.jsonl"),
			}
		},
	}
}

type record struct {
	Timestamp time.Time       `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

type meta struct {
	ID     string          `json:"id"`
	CWD    string          `json:"cwd"`
	Source json.RawMessage `json:"source"`
}

type item struct {
	Type      string `json:"type"`
	Role      string `json:"role"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	CallID    string `json:"call_id"`
	Content   []struct {
		Text string `json:"text"`
	} `json:"content"`
}

type usage struct {
	Input      int `json:"input_tokens"`
	CacheRead  int `json:"cached_input_tokens"`
	CacheWrite int `json:"cache_write_input_tokens"`
	Output     int `json:"output_tokens"`
}

// other are kinds of records without content of a conversation.
var other = []string{"turn_context", "world_state", "inter_agent_communication_metadata"}

type rollout struct {
	history.Builder

	log     *history.Log
	records bool // the tokens have their own records
}

func read(l *history.Log, path string, in io.Reader) {
	id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	s := &rollout{Builder: history.Builder{Conversation: &history.Conversation{ID: id}}, log: l}
	history.Lines(l, in, s.add)
	l.Add(s.Conversation)
}

func (s *rollout) add(r *record) {
	switch r.Type {
	case "session_meta":
		var m meta
		if json.Unmarshal(r.Payload, &m) == nil && s.Folder == "" && len(s.Turns) == 0 {
			s.ID, s.Folder, s.Parent = m.ID, m.CWD, parent(m.Source)
		}
	case "response_item":
		s.item(r)
	case "compacted":
		s.User(r.Timestamp, "", true)
	case "token_usage_record":
		var p struct {
			Usage usage `json:"usage"`
		}
		s.records = true
		s.usage(r, json.Unmarshal(r.Payload, &p), p.Usage)
	case "event_msg":
		var p struct {
			Type string `json:"type"`
			Info *struct {
				Last usage `json:"last_token_usage"`
			} `json:"info"`
		}
		if err := json.Unmarshal(r.Payload, &p); p.Type == "token_count" && p.Info != nil && !s.records {
			s.usage(r, err, p.Info.Last)
		}
	default:
		if !slices.Contains(other, r.Type) {
			s.log.Skip(r.Type)
		}
	}
}

// usage ends the request. The input count includes cached tokens.
func (s *rollout) usage(r *record, err error, u usage) {
	if err != nil {
		return
	}
	s.Usage(r.Timestamp, history.Usage{
		Input: max(0, u.Input-u.CacheRead-u.CacheWrite), CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output,
	})
	s.End()
}

func (s *rollout) item(r *record) {
	var i item
	if json.Unmarshal(r.Payload, &i) != nil && i.Type == "" {
		s.log.Damaged++
		return
	}
	switch i.Type {
	case "message":
		var texts []string
		for _, part := range i.Content {
			texts = append(texts, part.Text)
		}
		if text := strings.Join(texts, "\n"); i.Role == "user" && text != "" {
			s.User(r.Timestamp, text, false)
		}
	case "function_call", "custom_tool_call":
		s.Call(r.Timestamp, history.Call{ID: i.CallID, Namespace: i.Namespace, Name: i.Name})
	case "function_call_output", "custom_tool_call_output", "reasoning", "local_shell_call", "web_search_call", "tool_search_call", "tool_search_output",
		"image_generation_call", "ghost_snapshot", "compaction", "compaction_trigger", "context_compaction", "agent_message", "additional_tools":
	default:
		s.log.Skip("response_item " + i.Type)
	}
}

// parent returns the thread that started a subagent's thread; "" for the user's.
func parent(source json.RawMessage) string {
	var s struct {
		Subagent struct {
			Spawn struct {
				Parent string `json:"parent_thread_id"`
			} `json:"thread_spawn"`
		} `json:"subagent"`
	}
	_ = json.Unmarshal(source, &s) // for the user's thread it is a string
	return s.Subagent.Spawn.Parent
}
