package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy"
	"github.com/winnow-mcp/winnow/protocol"
)

// shapedClient is a client as recorded: it writes what is newest in a request
// otherwise than the same once it is history.
type shapedClient struct {
	wire *clientWire
	// body puts a request together; its number makes what differs each time.
	body func(n int, tools, messages []string) string
	// The messages, as the newest and as history. Those in which the client
	// says something itself come with the number of the request.
	user, said     func(n int, text string, newest bool) string
	call, callDone func(n int, id string, newest bool) string
	// summary is what the client puts in place of what was said.
	summary string
}

// each returns a text that is one thing while it is newest and another later.
func each(newest bool, now, later string) string {
	if newest {
		return now
	}
	return later
}

var shapedClients = map[string]shapedClient{
	"Claude Code": {
		summary: "This session is being continued from a previous conversation that ran out of context. It was about the garden.",
		wire:    &messagesClient,
		body: func(n int, tools, messages []string) string {
			return fmt.Sprintf(`{"model":"m","max_tokens":100,"metadata":{"user_id":"session-1"},"system":"It is %d o'clock.","messages":[%s],"tools":[%s]}`,
				n, strings.Join(messages, ","), strings.Join(tools, ","))
		},
		user: func(n int, text string, newest bool) string {
			return each(newest,
				fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"<system-reminder>todo list %d</system-reminder>"},{"type":"text","text":%q,"cache_control":{"type":"ephemeral"}}]}`, n, text),
				fmt.Sprintf(`{"role":"user","content":%q}`, text))
		},
		said: func(_ int, text string, newest bool) string {
			return each(newest,
				fmt.Sprintf(`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":%q,"cache_control":{"type":"ephemeral"}}]}`, text),
				fmt.Sprintf(`{"content":[{"text":%q,"type":"text"}],"role":"assistant"}`, text))
		},
		call: func(_ int, id string, newest bool) string {
			return each(newest,
				fmt.Sprintf(`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"tool_use","id":%q,"name":"bash","input":{"a":1,"b":2}}]}`, id),
				fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"bash","input":{"b":2,"a":1}}]}`, id))
		},
		callDone: func(_ int, id string, newest bool) string {
			return each(newest,
				fmt.Sprintf(`{"role":"user","content":[{"tool_use_id":%q,"type":"tool_result","content":"done","cache_control":{"type":"ephemeral"}}]}`, id),
				fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"done"}],"tool_use_id":%q}]}`, id))
		},
	},
	"Codex": {
		summary: "Another language model started to solve this problem and produced a summary of its thinking process. It was about the garden.",
		wire:    &responsesClient,
		body: func(n int, tools, messages []string) string {
			context := fmt.Sprintf(`{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n  <cwd>/x</cwd>\n  <now>%d</now>\n</environment_context>"}]}`, n)
			return fmt.Sprintf(`{"model":"m","store":false,"prompt_cache_key":"session-1","instructions":"You are an agent.","input":[%s,%s],"tools":[%s]}`,
				context, strings.Join(messages, ","), strings.Join(tools, ","))
		},
		user: func(_ int, text string, newest bool) string {
			return each(newest, fmt.Sprintf(`{"role":"user","content":%q}`, text),
				fmt.Sprintf(`{"type":"message","role":"user","content":[{"type":"input_text","text":%q}]}`, text))
		},
		said: func(n int, text string, newest bool) string {
			return each(newest,
				fmt.Sprintf(`{"type":"reasoning","id":"rs_%d","summary":[],"encrypted_content":"x"},{"type":"message","id":"msg_%d","status":"completed","role":"assistant","content":[{"type":"output_text","text":%q,"annotations":[]}]}`, n, n, text),
				fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":%q}]}`, text))
		},
		call: func(n int, id string, newest bool) string {
			return each(newest,
				fmt.Sprintf(`{"type":"reasoning","id":"rs_%d","summary":[],"encrypted_content":"x"},{"type":"function_call","id":"fc_%d","call_id":%q,"name":"bash","arguments":"{\"a\": 1, \"b\": 2}"}`, n, n, id),
				fmt.Sprintf(`{"type":"function_call","call_id":%q,"name":"bash","arguments":"{\"b\":2,\"a\":1}"}`, id))
		},
		callDone: func(_ int, id string, newest bool) string {
			return each(newest, fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":"done"}`, id),
				fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":[{"type":"input_text","text":"done"}]}`, id))
		},
	},
	"opencode and Qwen Code": {
		summary: "What did we do so far?",
		wire:    &chatClient,
		body:    func(_ int, tools, messages []string) string { return chatClient.body(tools, messages) },
		user: func(_ int, text string, newest bool) string {
			return each(newest, fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":%q,"cache_control":{"type":"ephemeral"}}]}`, text),
				fmt.Sprintf(`{"role":"user","content":%q}`, text))
		},
		said: func(_ int, text string, newest bool) string {
			return each(newest, fmt.Sprintf(`{"role":"assistant","content":%q,"reasoning_content":"hm"}`, text),
				fmt.Sprintf(`{"role":"assistant","content":%q}`, text))
		},
		call: func(_ int, id string, newest bool) string {
			return each(newest,
				fmt.Sprintf(`{"role":"assistant","content":"","reasoning_content":"hm","tool_calls":[{"index":0,"id":%q,"type":"function","function":{"name":"bash","arguments":"{\"a\": 1, \"b\": 2}"}}]}`, id),
				fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"arguments":"{\"b\":2,\"a\":1}","name":"bash"}}]}`, id))
		},
		callDone: func(_ int, id string, newest bool) string {
			return each(newest, fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":[{"type":"text","text":"done"}]}`, id),
				fmt.Sprintf(`{"role":"tool","content":"done","tool_call_id":%q}`, id))
		},
	},
	"Gemini CLI": {
		summary: "<state_snapshot>It was about the garden.</state_snapshot>",
		wire:    &geminiClient,
		body: func(n int, tools, messages []string) string {
			context := fmt.Sprintf(`{"role":"user","parts":[{"text":"<session_context>\nThis is the Gemini CLI. It is %d.\n</session_context>"}]}`, n)
			return geminiClient.body(tools, append([]string{context}, messages...))
		},
		user: func(_ int, text string, _ bool) string { return geminiClient.user(text) },
		said: func(_ int, text string, newest bool) string {
			return each(newest, fmt.Sprintf(`{"role":"model","parts":[{"text":"hm","thought":true},{"text":%q,"thoughtSignature":"s"}]}`, text), geminiClient.text("", text))
		},
		call: func(n int, _ string, newest bool) string { // with an id that it makes anew for each request
			return each(newest, `{"role":"model","parts":[{"functionCall":{"name":"bash","args":{"a":1,"b":2}}}]}`,
				fmt.Sprintf(`{"role":"model","parts":[{"functionCall":{"id":"bash-%d","args":{"b":2,"a":1},"name":"bash"},"thoughtSignature":"s"}]}`, n))
		},
		callDone: func(n int, _ string, _ bool) string {
			return fmt.Sprintf(`{"role":"user","parts":[{"functionResponse":{"id":"bash-%d","name":"bash","response":{"output":"done"}}}]}`, n)
		},
	},
	"VS Code": {
		summary: "<conversation-summary>It was about the garden.</conversation-summary>",
		wire:    &chatClient,
		body:    func(_ int, tools, messages []string) string { return chatClient.body(tools, messages) },
		user: func(n int, text string, newest bool) string {
			return each(newest,
				fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"<context>\nIt is %d o'clock.\n</context>\n<userRequest>\n%s\n</userRequest>","cache_control":{"type":"ephemeral"}}]}`, n, text),
				fmt.Sprintf(`{"role":"user","content":"<context>\nIt is another hour.\n</context>\n<userRequest>\n%s\n</userRequest>"}`, text))
		},
		said: func(_ int, text string, _ bool) string { return chatClient.text("", text) },
		call: func(n int, id string, _ bool) string {
			return fmt.Sprintf(`{"role":"assistant","content":"","tool_calls":[{"id":"%s__vscode-%d","type":"function","function":{"name":"bash","arguments":"{\"a\":1,\"b\":2}"}}]}`, id, n)
		},
		callDone: func(n int, id string, _ bool) string {
			return fmt.Sprintf(`{"role":"tool","tool_call_id":"%s__vscode-%d","content":"done"}`, id, n)
		},
	},
}

// shapedChat is a client's side of a proxy.
type shapedChat struct {
	shapedClient
	model *recordedModel
	url   string
	tools []string
}

// startShaped starts a proxy for a client with 120 tools of MCP's.
func (c shapedClient) start(t *testing.T, settings string) *shapedChat {
	t.Helper()
	s := &shapedChat{shapedClient: c, model: &recordedModel{next: func(int) string { return "{}" }}}
	server := httptest.NewServer(s.model)
	t.Cleanup(server.Close)
	p := proxy.Alone{Initialize: protocol.InitializeParams{Settings: json.RawMessage(settings)}}
	s.url = strings.TrimSuffix(startProxyWith(t, t.TempDir(), server.URL, p).url, "/chat/completions") + c.wire.path
	schema := json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)
	s.tools = []string{c.wire.tool("bash", "Runs a command.", schema)}
	for _, server := range []string{"mail", "garden", "kitchen", "garage"} {
		for i := range 30 {
			s.tools = append(s.tools, c.wire.tool(fmt.Sprintf("mcp__%s__tool_%d", server, i), fmt.Sprintf("Does thing %d of the %s.", i, server), schema))
		}
	}
	return s
}

var sentName = regexp.MustCompile(`"(mcp__\w+__tool_\d+)"`)

// write returns the client's request number n of a conversation. It is given as
// "u:words", "a:words", "c:id", which is a call with its result, and "s:", the
// client's summary of what was before.
func (s *shapedChat) write(n int, said ...string) string {
	var messages []string
	for i, m := range said {
		newest := i >= len(said)-2 // what the client has just got, and what it says now
		text := m[2:]
		switch m[0] {
		case 's':
			messages = append(messages, s.user(n, s.summary, newest))
		case 'u':
			messages = append(messages, s.user(n, text, newest))
		case 'a':
			messages = append(messages, s.said(n, text, newest))
		default:
			messages = append(messages, s.call(n, text, newest), s.callDone(n, text, newest))
		}
	}
	return s.body(n, s.tools, messages)
}

// ask sends a conversation as [shapedChat.write] has it, and returns the names of
// MCP's tools that the provider got.
func (s *shapedChat) ask(t *testing.T, said ...string) []string {
	t.Helper()
	s.model.mu.Lock()
	n := len(s.model.bodies)
	s.model.mu.Unlock()
	body := s.write(n, said...)
	resp, err := http.Post(s.url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("got %d %s (%v)", resp.StatusCode, got, err)
	}
	s.model.mu.Lock()
	defer s.model.mu.Unlock()
	var got struct{ Tools json.RawMessage }
	if err := json.Unmarshal(s.model.bodies[n], &got); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, found := range sentName.FindAllSubmatch(got.Tools, -1) {
		names = append(names, string(found[1]))
	}
	return names
}

// A message is the same one in whatever shape its client writes it: over six
// turns of each client the provider gets the tools of the turn before, in their
// order, and more at most behind them.
func TestAlone_shapes(t *testing.T) {
	t.Parallel()
	for name, client := range shapedClients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := client.start(t, `{"initialK":5,"searchK":2,"proxy":{"appendAfterMinutes":0}}`)
			var said, before []string
			for turn, words := range []string{
				"do thing 3 of the garden", "and thing 4 of the kitchen", "now thing 5 of the garage",
				"what about thing 6 of the mail?", "thing 7 of the garden", "thing 8 of the kitchen",
			} {
				said = append(said, "u:"+words)
				for step, next := range []string{fmt.Sprintf("c:c%d", turn), fmt.Sprintf("a:That was number %d.", turn)} {
					names := s.ask(t, said...)
					if len(names) == 0 || len(names) > 20 || len(names) < len(before) || !slices.Equal(names[:len(before)], before) {
						t.Fatalf("turn %d, step %d: the provider got %q, want those before, %q, and few more", turn, step, names, before)
					}
					before = names
					said = append(said, next)
				}
			}
			if len(before) < 8 {
				t.Errorf("after six turns there are %q, want the five of the first message and more of the next", before)
			}
		})
	}
}

// Whatever a client changes in a history, the provider gets the tools that the
// conversation had, in their order; branches do not change each other, and only
// what the client has summarized is chosen for anew.
func TestAlone_edits(t *testing.T) {
	t.Parallel()
	for name, client := range shapedClients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := client.start(t, `{"initialK":5,"searchK":3,"proxy":{"appendAfterMinutes":0}}`)
			begin := func(before []string, step string, said ...string) []string {
				t.Helper()
				names := s.ask(t, said...)
				if len(names) < len(before) || !slices.Equal(names[:len(before)], before) {
					t.Errorf("%s: the provider got %q, want %q and more at most", step, names, before)
				}
				return names
			}
			first := []string{"u:do thing 3 of the garden", "c:c1", "a:Done."}
			on := func(more ...string) []string { return slices.Concat(first, more) }
			had := begin(nil, "the first message", first[:1]...)
			had = begin(had, "after the call", first[:2]...)
			had = begin(had, "the second message", on("u:and thing 4 of the kitchen")...)
			if again := begin(had, "the answer again", on("u:and thing 4 of the kitchen")...); len(again) != len(had) {
				t.Errorf("the answer again: got %d tools, want the same %d", len(again), len(had))
			}
			had = begin(had, "the third message", on("u:and thing 4 of the kitchen", "a:It is.", "u:then thing 5 of the garage")...)
			if again := begin(had, "an earlier answer again", on("u:and thing 4 of the kitchen")...); len(again) != len(had) {
				t.Errorf("an earlier answer again: got %d tools, want the same %d", len(again), len(had))
			}
			edited := begin(had, "a message edited", on("u:no, thing 6 of the mail")...)
			edited = begin(edited, "the branch that was edited", on("u:no, thing 6 of the mail", "a:Yes.", "u:and thing 7 of the mail")...)
			main := on("u:and thing 4 of the kitchen", "a:It is.", "u:then thing 5 of the garage")
			if back := begin(had, "the first branch", append(main, "c:c2")...); len(back) != len(had) {
				t.Errorf("the first branch: got %q, want %q as if there were no other", back, had)
			}
			begin(edited, "the other branch", on("u:no, thing 6 of the mail", "a:Yes.", "u:and thing 7 of the mail", "c:c3")...)
			compacted := s.ask(t, "u:"+client.summary, "a:We did thing 3.", "u:do thing 8 of the garage")
			if len(compacted) == 0 || len(compacted) >= len(edited) {
				t.Errorf("summarized: got %d tools, want fewer than %d", len(compacted), len(edited))
			}
		})
	}
}
