// Package vscode reads VS Code's chats: one file for each in `chatSessions` of a
// workspace's storage, and the debug logs of the Copilot extension, if enabled, which
// have the tools of requests.
//
// A chat's file is a log of changes to one JSON value (objectMutationLog.ts and
// chatSessionOperationLog.ts in microsoft/vscode). Earlier versions write the value
// itself. The Copilot extension adds rounds to the results of its responses, which assign
// calls to requests.
package vscode

import (
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/history"
	"github.com/winnow-mcp/winnow/protocol"
)

// Reader returns the reader of the chats of VS Code and its derivatives.
func Reader() history.Reader {
	return history.Reader{ID: history.VSCode, Name: "VS Code", Read: read, Patterns: patterns}
}

func patterns(p history.Places) []string {
	users := slices.Clone(p.VSCode)
	for _, product := range []string{"Code", "Code - Insiders", "VSCodium"} {
		users = append(users, filepath.Join(p.Config, product, "User"))
	}
	for _, server := range []string{".vscode-server", ".vscode-server-insiders", ".local/share/code-server"} {
		users = append(users, filepath.Join(p.Home, filepath.FromSlash(server), "data", "User"), filepath.Join(p.Home, filepath.FromSlash(server), "User"))
	}
	slices.Sort(users)
	var all []string
	for _, user := range slices.Compact(users) {
		all = append(all,
			filepath.Join(user, "workspaceStorage", "*", "chatSessions", "*.json*"),
			filepath.Join(user, "globalStorage", "emptyWindowChatSessions", "*.json*"))
	}
	return all
}

// chat holds the used members of a chat.
type chat struct {
	SessionID string    `json:"sessionId"`
	Requests  []request `json:"requests"`
}

type request struct {
	ID        string  `json:"requestId"`
	Timestamp float64 `json:"timestamp"`
	Message   struct {
		Text string `json:"text"`
	} `json:"message"`
	Response []json.RawMessage `json:"response"`
	Result   struct {
		Metadata struct {
			Rounds []round `json:"toolCallRounds"`
		} `json:"metadata"`
	} `json:"result"`
}

type round struct {
	Calls []struct {
		ID        string `json:"id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"toolCalls"`
}

// invocation is a part of a response that is a call.
type invocation struct {
	Kind     string `json:"kind"`
	CallID   string `json:"toolCallId"`
	Tool     string `json:"toolId"`
	Subagent string `json:"subAgentInvocationId"`
	Source   struct {
		Type string `json:"type"`
		// Label is the server's name in the configuration, ServerLabel the server's own.
		Label       string `json:"label"`
		ServerLabel string `json:"serverLabel"`
	} `json:"source"`
	Specific struct {
		Kind   string `json:"kind"`
		Prompt string `json:"prompt"`
	} `json:"toolSpecificData"`
}

func read(l *history.Log, path string, in io.Reader) {
	var c chat
	if !value(l, path, in, &c) {
		return
	}
	if c.SessionID == "" {
		c.SessionID = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	storage := filepath.Dir(filepath.Dir(path))
	main := &history.Builder{Conversation: &history.Conversation{ID: c.SessionID, Folder: folderOf(storage)}}
	agents := agents{of: main.Conversation, known: map[string]*history.Builder{}}
	for i := range c.Requests {
		r := &c.Requests[i]
		main.User(history.Millis(r.Timestamp), r.Message.Text, false)
		agents.add(main, r)
	}
	if len(c.Requests) > 0 {
		addDebugLog(l, main.Conversation, filepath.Join(storage, "GitHub.copilot-chat", "debug-logs", filepath.Base(c.SessionID)))
	}
	l.Add(main.Conversation)
	for _, b := range agents.order {
		l.Add(b.Conversation)
	}
}

// agents are the subagents of a chat. Their calls are among those of the response that
// started them.
type agents struct {
	of    *history.Conversation
	known map[string]*history.Builder
	order []*history.Builder
}

// add adds the calls of one response.
func (a *agents) add(main *history.Builder, r *request) {
	at := history.Millis(r.Timestamp)
	parts := map[string]*invocation{}
	var order []*invocation
	for _, raw := range r.Response {
		part := new(invocation)
		if json.Unmarshal(raw, part) == nil && part.Kind == "toolInvocationSerialized" {
			parts[plainID(part.CallID)] = part
			order = append(order, part)
		}
	}
	told := map[string]bool{}
	for _, one := range r.Result.Metadata.Rounds {
		main.End()
		main.Request(at) // the last round of a response has no calls
		for _, c := range one.Calls {
			call := history.Call{ID: c.ID, Name: c.Name}
			if part := parts[plainID(c.ID)]; part != nil {
				call.Server, call.Tool = part.server(c.Name)
			}
			if c.Name == protocol.ProxyTool { // it calls a tool that Winnow runs
				var of struct {
					Tool string `json:"tool"`
				}
				_ = json.Unmarshal([]byte(c.Arguments), &of) // on an error the name stays empty
				call.Name = of.Tool
			}
			main.Call(at, call)
			told[plainID(c.ID)] = true
		}
	}
	main.End()
	for _, part := range order {
		if part.Specific.Kind == "subagent" {
			a.begin(part.CallID).User(at, part.Specific.Prompt, false)
		}
		call := history.Call{ID: part.CallID, Name: part.Tool}
		call.Server, call.Tool = part.server(part.Tool)
		switch {
		case part.Subagent != "":
			a.begin(part.Subagent).Call(at, call)
		case !told[plainID(part.CallID)]: // the log does not assign it to a request
			main.Call(at, call)
			main.End()
		}
	}
}

// unusual matches characters that VS Code replaces in server names.
var unusual = regexp.MustCompile(`[^a-z0-9_-]+`)

// server returns the server and tool of a call, if VS Code logs them. The tool's name has
// a prefix with the server's own name, truncated.
func (i *invocation) server(name string) (server, tool string) {
	rest, ok := strings.CutPrefix(name, "mcp_")
	if i.Source.Type != "mcp" || !ok {
		return "", ""
	}
	for _, label := range []string{i.Source.ServerLabel, i.Source.Label} {
		spelled := unusual.ReplaceAllString(strings.ToLower(label), "_")
		for n := min(len(spelled), len(rest)); n > 0; n-- {
			behind, ok := strings.CutPrefix(rest, spelled[:n])
			if tool, found := strings.CutPrefix(strings.TrimLeft(behind, "0123456789"), "_"); ok && found && tool != "" {
				return i.Source.Label, tool
			}
		}
	}
	return "", ""
}

func (a *agents) begin(id string) *history.Builder {
	b := a.known[id]
	if b == nil {
		b = &history.Builder{Conversation: &history.Conversation{ID: a.of.ID + " " + id, Parent: a.of.ID, Folder: a.of.Folder}}
		a.known[id], a.order = b, append(a.order, b)
	}
	return b
}

// plainID returns the id of a call without VS Code's suffix.
func plainID(id string) string {
	id, _, _ = strings.Cut(id, "__vscode-")
	return id
}

// folderOf returns the folder of a workspace's storage; "" if it is not a local one.
func folderOf(storage string) string {
	raw, err := os.ReadFile(filepath.Join(storage, "workspace.json"))
	if err != nil {
		return ""
	}
	var w struct {
		Folder string `json:"folder"`
	}
	if json.Unmarshal(raw, &w) != nil {
		return ""
	}
	u, err := url.Parse(w.Folder)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	return filepath.FromSlash(u.Path)
}
