package history_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/history"
	"github.com/winnow-mcp/winnow/daemon/history/claudecode"
	"github.com/winnow-mcp/winnow/daemon/history/codex"
	"github.com/winnow-mcp/winnow/daemon/history/copilotcli"
	"github.com/winnow-mcp/winnow/daemon/history/geminicli"
	"github.com/winnow-mcp/winnow/daemon/history/opencode"
	"github.com/winnow-mcp/winnow/daemon/history/vscode"
)

// The sessions are those of the clients, cut down to what is read.
const (
	claudeSession = `{"type":"queue-operation","operation":"enqueue","content":"remember garlic"}
{"type":"user","uuid":"u1","sessionId":"s","cwd":"/w","timestamp":"2026-11-24T05:04:49.153Z","message":{"role":"user","content":"remember garlic"}}
{"type":"attachment","uuid":"x1","sessionId":"s","attachment":{"type":"deferred_tools_delta","addedNames":["mcp__memory__create_entities","mcp__memory__read_graph"],"removedNames":[]}}
{"type":"assistant","uuid":"a1","sessionId":"s","message":{"id":"m1","content":[{"type":"text","text":"yes"}],"usage":{"input_tokens":3,"cache_creation_input_tokens":1,"cache_read_input_tokens":6,"output_tokens":1}}}
{"type":"assistant","uuid":"a2","sessionId":"s","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"mcp__memory__create_entities","input":{}}],"usage":{"input_tokens":3,"cache_creation_input_tokens":1,"cache_read_input_tokens":6,"output_tokens":9}}}
{"type":"user","uuid":"u2","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}
{"type":"assistant","uuid":"a3","sessionId":"s","message":{"id":"m2","content":[{"type":"text","text":"done"}],"usage":{"input_tokens":2,"output_tokens":1}}}
{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"remember garlic"}}
{"type":"user","uuid":"u3","sessionId":"s","isMeta":true,"message":{"role":"user","content":"a note of the client's"}}
{"type":"user","uuid":"u4","sessionId":"s","message":{"role":"user","content":"<command-name>/clear</command-name>"}}
{"type":"user","uuid":"u5","sessionId":"s","isCompactSummary":true,"message":{"role":"user","content":[{"type":"text","text":"This session is being continued"}]}}
{"type":"user","uuid":"g1","sessionId":"s","isSidechain":true,"agentId":"a7","message":{"role":"user","content":"look it up"}}
{"type":"assistant","uuid":"g2","sessionId":"s","isSidechain":true,"agentId":"a7","message":{"id":"m3","content":[{"type":"tool_use","id":"t2","name":"Grep"}]}}
{"type":"a-new-kind"}
{"type":"user","uuid":"u9","message":{"cont`
	codexSession = `{"timestamp":"2026-11-24T05:04:53.622Z","type":"session_meta","payload":{"id":"s","cwd":"/w","source":"exec"}}
{"type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"remember garlic"}]}}
{"type":"event_msg","payload":{"type":"task_started"}}
{"type":"response_item","payload":{"type":"reasoning"}}
{"type":"response_item","payload":{"type":"function_call","name":"create_entities","namespace":"mcp__memory","arguments":"{}","call_id":"c1"}}
{"type":"token_usage_record","payload":{"usage":{"input_tokens":10,"cached_input_tokens":6,"cache_write_input_tokens":0,"output_tokens":1}}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"ok"}}
{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":10,"cached_input_tokens":6,"output_tokens":1}}}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}
{"type":"token_usage_record","payload":{"usage":{"input_tokens":20,"cached_input_tokens":16,"output_tokens":1}}}
{"type":"compacted","payload":{"message":"what was said"}}
{"type":"a-new-kind","payload":{}}
`
	geminiSession = `{"sessionId":"s","startTime":"2026-11-24T05:04:58.576Z","kind":"main"}
{"$set":{"messages":[{"id":"1","type":"user","content":[{"text":"<session_context>the client's</session_context>"}]}]}}
{"id":"2","timestamp":"2026-11-24T05:04:58.593Z","type":"user","content":[{"text":"remember garlic"}]}
{"$set":{"lastUpdated":"2026-11-24T05:04:58.593Z"}}
{"id":"3","type":"gemini","content":"","tokens":{"input":10,"output":1,"cached":6}}
{"id":"3","type":"gemini","content":"","tokens":{"input":10,"output":1,"cached":6},"toolCalls":[{"id":"c1","name":"mcp_memory_create_entities"}]}
{"id":"4","type":"user","content":[{"functionResponse":{"id":"c1"}}]}
{"id":"5","type":"gemini","content":"done","tokens":{"input":20,"output":1,"cached":0}}
{"id":"7","type":"gemini","content":[{"functionCall":{"id":"c2","name":"mcp_memory_read_graph"}}]}
{"id":"6","type":"a-new-kind"}
`
	opencodeSession = `{"info":{"id":"s","directory":"/w"},"messages":[
 {"info":{"role":"user","time":{"created":1795496706738},"summary":{"diffs":[]}},"parts":[{"type":"text","text":"\"remember garlic\""},{"type":"text","text":"a file","synthetic":true}]},
 {"info":{"role":"assistant","tokens":{"input":4}},"parts":[{"type":"step-start"},{"type":"tool","tool":"memory_create_entities","callID":"c1"},
  {"type":"step-finish","tokens":{"input":4,"output":1,"cache":{"read":6,"write":2}}}]},
 {"info":{"role":"assistant"},"parts":[{"type":"text","text":"done"},{"type":"a-new-kind"}]}]}`
	copilotSession = `{"type":"session.start","id":"1","timestamp":"2026-11-24T05:04:58.576Z","data":{"sessionId":"s","context":{"cwd":"/w"}}}
{"type":"user.message","id":"2","timestamp":"2026-11-24T05:04:58.576Z","data":{"content":"remember garlic"}}
{"type":"assistant.message","id":"3","data":{"messageId":"m1","content":"","toolRequests":[{"toolCallId":"c1","name":"memory-create_entities","mcpServerName":"memory","mcpToolName":"create_entities"}]}}
{"type":"assistant.usage","id":"4","data":{"inputTokens":10,"cacheReadTokens":6,"cacheWriteTokens":1,"outputTokens":1}}
{"type":"tool.execution_complete","id":"5","data":{}}
{"type":"user.message","id":"6","agentId":"a","data":{"content":"look it up"}}
{"type":"assistant.message","id":"7","agentId":"a","data":{"messageId":"m2","toolRequests":[{"toolCallId":"c2","name":"view"}]}}
{"type":"a-new-kind","id":"8"}
`
	vscodeSession = `{"kind":0,"v":{"version":3,"sessionId":"s","requests":[]}}
{"kind":2,"k":["requests"],"v":[{"requestId":"r1","timestamp":1795496706738,"message":{"text":"remember garlic"},"response":[]}]}
{"kind":2,"k":["requests",0,"response"],"v":[{"value":"I will"},{"kind":"toolInvocationSerialized","toolCallId":"c1__vscode-1","toolId":"mcp_memory_create_entities"}]}
{"kind":2,"k":["requests",0,"response"],"i":2,"v":[{"kind":"toolInvocationSerialized","toolCallId":"c2","toolId":"runSubagent","toolSpecificData":{"kind":"subagent","prompt":"look it up"}},
{"kind":2,"k":["requests",0,"response"],"i":2,"v":[{"kind":"toolInvocationSerialized","toolCallId":"c2","toolId":"runSubagent","toolSpecificData":{"kind":"subagent","prompt":"look it up"}},{"kind":"toolInvocationSerialized","toolCallId":"c3","toolId":"grep","subAgentInvocationId":"c2"}]}
{"kind":1,"k":["requests",0,"result"],"v":{"metadata":{"toolCallRounds":[{"toolCalls":[{"id":"c1","name":"mcp_memory_create_entities"}]},{"toolCalls":[]}]}}}
{"kind":1,"k":["requests",9,"result"],"v":{}}
{"kind":3,"k":["customTitle"]}
{"kind":7}
`
)

// told writes conversations in one line each.
func told(l *history.Log) string {
	var lines []string
	for _, c := range l.Conversations {
		line := c.ID
		if c.Parent != "" {
			line += " of " + c.Parent
		}
		if c.Folder != "" {
			line += " in " + c.Folder
		}
		for _, t := range c.Turns {
			line += fmt.Sprintf(" | %q", t.Message)
			if t.Summary {
				line += " sum"
			}
			if t.Offered != nil {
				line += fmt.Sprintf(" offers %d", len(t.Offered.Tools))
			}
			for _, r := range t.Requests {
				line += " ("
				for _, call := range r.Calls {
					line += strings.Trim(call.Namespace+"/"+call.Name, "/")
				}
				if u := r.Usage; u != nil {
					line += fmt.Sprintf(" %d+%d+%d", u.Input, u.CacheRead, u.CacheWrite)
				}
				line += ")"
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(append(lines, fmt.Sprintf("%d damaged, unknown %q", l.Damaged, slices.Sorted(maps.Keys(l.Unknown)))), "\n")
}

func TestReaders(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		reader        history.Reader
		content, want string
	}{
		{claudecode.Reader(), claudeSession, `s in /w | "remember garlic" offers 2 (mcp__memory__create_entities 3+6+1) ( 2+0+0) | "This session is being continued" sum
s agent a7 of s | "look it up" (Grep)
1 damaged, unknown ["claude: a-new-kind"]`},
		{codex.Reader(), codexSession, `s in /w | "remember garlic" (mcp__memory/create_entities 4+6+0) ( 4+16+0) | "" sum
0 damaged, unknown ["codex: a-new-kind"]`},
		{geminicli.Reader(), geminiSession, `s | "<session_context>the client's</session_context>" | "remember garlic" (mcp_memory_create_entities 4+6+0) ( 20+0+0) (mcp_memory_read_graph)
0 damaged, unknown ["gemini: message a-new-kind"]`},
		{opencode.Reader(), opencodeSession, `s in /w | "remember garlic" (memory_create_entities 4+6+2)
0 damaged, unknown ["opencode: part a-new-kind"]`},
		{copilotcli.Reader(), copilotSession, `s in /w | "remember garlic" (memory-create_entities 3+6+1)
s a of s in /w | "look it up" (view)
0 damaged, unknown ["copilot: a-new-kind"]`},
		{vscode.Reader(), vscodeSession, `s | "remember garlic" (mcp_memory_create_entities) () (runSubagent)
s c2 of s | "look it up" (grep)
2 damaged, unknown ["vscode: change"]`},
	} {
		t.Run(tc.reader.ID, func(t *testing.T) {
			t.Parallel()
			l := &history.Log{}
			l.Read(tc.reader, "session.jsonl", strings.NewReader(tc.content))
			if got := told(l); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
			// What is half written is read to there.
			for cut := range len(tc.content) {
				l := &history.Log{}
				l.Read(tc.reader, "session.jsonl", strings.NewReader(tc.content[:cut]))
				if l.Damaged > 4 {
					t.Fatalf("%d bytes: %d damaged", cut, l.Damaged)
				}
			}
		})
	}
}

// TestVSCode_debugLog: what the log of requests has is added to the chat.
func TestVSCode_debugLog(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	for name, content := range map[string]string{
		"workspace.json":             `{"folder":"file:///w%20x"}`,
		"chatSessions/s.jsonl":       vscodeSession,
		"GitHub.copilot-chat/x":      "",
		debugLogs + "/main.jsonl":    `{"type":"llm_request","ts":1795496706900,"attrs":{"toolsFile":"tools_0.json","inputTokens":10,"cachedTokens":7}}` + "\n",
		debugLogs + "/tools_0.json":  `{"content":"[{\"type\":\"function\",\"name\":\"mcp_memory_create_entities\",\"description\":\"d\",\"parameters\":{}}]"}`,
		debugLogs + "/tools_1.json":  `[{"type":"function","function":{"name":"mcp_memory_create_entities","description":"d","parameters":{}}},{"name":"b"}]`,
		debugLogs + "/not/tools.txt": "",
	} {
		path := filepath.Join(storage, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := &history.Log{}
	if err := l.ReadAll(vscode.Reader(), history.Places{}, []string{filepath.Join(storage, "chatSessions", "s.jsonl")}); err != nil {
		t.Fatal(err)
	}
	if got, want := told(l), `s in /w x | "remember garlic" offers 2 (mcp_memory_create_entities 3+7+0) () (runSubagent)`; !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestVSCode_names: whose tool a call is of, VS Code says beside its own name for it;
// winnow_call stands for the tool that it calls.
func TestVSCode_names(t *testing.T) {
	t.Parallel()
	const chat = `{"sessionId":"s","requests":[{"message":{"text":"write beans"},"response":[
{"kind":"toolInvocationSerialized","source":{"type":"mcp","serverLabel":"secure-filesystem-server","label":"filesystem"},"toolCallId":"call-3-1","toolId":"mcp_secure-filesy_write_file"},
{"kind":"toolInvocationSerialized","source":{"type":"extension","label":"Winnow"},"toolCallId":"call-4-1","toolId":"winnow_call"},
{"kind":"toolInvocationSerialized","source":{"type":"mcp","serverLabel":"everything","label":"every"},"toolCallId":"call-5-1","toolId":"mcp_everything2_get_sum"}],
"result":{"metadata":{"toolCallRounds":[{"toolCalls":[{"name":"mcp_secure-filesy_write_file","arguments":"{}","id":"call-3-1__vscode-17"},
{"name":"winnow_call","arguments":"{\"tool\":\"mcp__ours__read_text_file\",\"input\":{}}","id":"call-4-1__vscode-18"}]}]}}}]}`
	l := &history.Log{}
	l.Read(vscode.Reader(), "s.json", strings.NewReader(chat))
	var got []string
	for _, r := range l.Conversations[0].Turns[0].Requests {
		for _, c := range r.Calls {
			got = append(got, fmt.Sprintf("%s: %s/%s", c.Name, c.Server, c.Tool))
		}
	}
	want := "mcp_secure-filesy_write_file: filesystem/write_file, mcp__ours__read_text_file: /, mcp_everything2_get_sum: every/get_sum"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, ", "), want)
	}
}

const debugLogs = "GitHub.copilot-chat/debug-logs/s"

// TestReadAll_places: each reader looks where its client keeps its files.
func TestReadAll_places(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for path, content := range map[string]string{
		".claude/projects/-w/s.jsonl":                                          claudeSession,
		".codex/sessions/2026/11/24/rollout-1.jsonl":                           codexSession,
		".gemini/tmp/w/chats/session-1.jsonl":                                  geminiSession,
		".copilot/session-state/s/events.jsonl":                                copilotSession,
		".config/Code/User/workspaceStorage/x/chatSessions/s.jsonl":            vscodeSession,
		".local/share/code-server/User/workspaceStorage/x/chatSessions/s.json": `{"requests":[{"message":{"text":"hi"}}]}`,
	} {
		path = filepath.Join(home, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := history.Places{Home: home, Config: filepath.Join(home, ".config"), Getenv: func(string) string { return "" }}
	for r, want := range map[string]int{"claude": 1, "codex": 1, "gemini": 1, "copilot": 1, "vscode": 2, "opencode": 0} {
		l := &history.Log{}
		if err := l.ReadAll(readers()[r], p, nil); err != nil || l.Files != want {
			t.Errorf("%s: got %d files, %v, want %d", r, l.Files, err, want)
		}
	}
	if err := (&history.Log{}).ReadAll(codex.Reader(), p, []string{filepath.Join(home, "none")}); err == nil {
		t.Error("nothing is said of a file that is not there")
	}
}

func readers() map[string]history.Reader {
	all := map[string]history.Reader{}
	for _, r := range []history.Reader{claudecode.Reader(), codex.Reader(), vscode.Reader(), geminicli.Reader(), opencode.Reader(), copilotcli.Reader()} {
		all[r.ID] = r
	}
	return all
}

// BenchmarkReaders reads ten thousand turns, a year of work.
func BenchmarkReaders(b *testing.B) {
	const sessions, turns = 100, 100
	result := strings.Repeat("what a tool answered ", 200)
	var files [sessions][]byte
	for s := range sessions {
		var file bytes.Buffer
		for n := range turns {
			fmt.Fprintf(&file, `{"type":"user","uuid":"u%d-%d","sessionId":"s%d","message":{"content":"message %d"}}`+"\n", s, n, s, n)
			fmt.Fprintf(&file, `{"type":"assistant","uuid":"a%d-%d","sessionId":"s%d","message":{"id":"m%d","content":[{"type":"tool_use","id":"t","name":"mcp__a__b"}]}}`+"\n", s, n, s, n)
			fmt.Fprintf(&file, `{"type":"user","uuid":"r%d-%d","sessionId":"s%d","message":{"content":[{"type":"tool_result","content":%q}]}}`+"\n", s, n, s, result)
		}
		files[s] = file.Bytes()
	}
	for b.Loop() {
		l := &history.Log{}
		for _, file := range files {
			l.Read(claudecode.Reader(), "s.jsonl", bytes.NewReader(file))
		}
		if len(l.Conversations) != sessions || len(l.Conversations[0].Turns) != turns {
			b.Fatalf("got %d conversations", len(l.Conversations))
		}
	}
}

func fuzz(f *testing.F, reader, session string) {
	f.Helper()
	f.Add([]byte(session))
	for line := range strings.Lines(session) {
		f.Add([]byte(line))
	}
	r := readers()[reader]
	f.Fuzz(func(t *testing.T, data []byte) {
		l := &history.Log{}
		l.Read(r, "session.jsonl", bytes.NewReader(data))
		for _, c := range l.Conversations {
			if c.Client != reader || len(c.Turns) == 0 {
				t.Errorf("got %+v", c)
			}
		}
	})
}

func FuzzClaudeCode(f *testing.F) { fuzz(f, "claude", claudeSession) }
func FuzzCodex(f *testing.F)      { fuzz(f, "codex", codexSession) }
func FuzzGeminiCLI(f *testing.F)  { fuzz(f, "gemini", geminiSession) }
func FuzzOpencode(f *testing.F)   { fuzz(f, "opencode", opencodeSession) }
func FuzzCopilotCLI(f *testing.F) { fuzz(f, "copilot", copilotSession) }
func FuzzVSCode(f *testing.F)     { fuzz(f, "vscode", vscodeSession) }
