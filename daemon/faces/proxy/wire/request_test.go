package wire

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// requests are one request in each format: two tools of the client's own, then
// three of MCP servers, and the conversation "hi" → call → result → "more".
var requests = map[Format]string{
	Chat: `{"model":"m","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"},
 {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"mcp__a__one","arguments":"{\"x\":1}"}}]},
 {"role":"tool","tool_call_id":"c1","content":"done"},
 {"role":"user","content":[{"type":"text","text":"more"},{"type":"image_url","image_url":{"url":"data:"}}]}],
 "tools":[{"type":"function","function":{"name":"read","parameters":{"type":"object"}}}, {"type":"function","function":{"name":"edit","description":"d"}},
 {"type":"function","function":{"name":"mcp__a__one","description":"1","parameters":{"type":"object","properties":{"x":{}}}}},
 {"type":"function","function":{"name":"mcp__a__two"}},{"type":"function","function":{"name":"mcp__b__three"}}],
 "tool_choice":"auto","stream":true,"temperature":1.0,"prompt_cache_key":"k"}`,
	Responses: `{"model":"m","instructions":"be brief","input":[{"role":"user","content":"hi"},
 {"type":"reasoning","encrypted_content":"…"},
 {"type":"function_call","call_id":"c1","namespace":"mcp__a","name":"one","arguments":"{\"x\":1}"},
 {"type":"function_call_output","call_id":"c1","output":"done"},
 {"type":"message","role":"user","content":[{"type":"input_text","text":"more"}]}],
 "tools":[{"type":"function","name":"read","parameters":{"type":"object"}},{"type":"web_search"},{"type":"function","name":"edit","description":"d"},
 {"type":"namespace","name":"mcp__a","description":"A","tools":[{"type":"function","name":"one","description":"1","parameters":{"type":"object","properties":{"x":{}}}},{"type":"function","name":"two"}]},
 {"name":"mcp__b","tools":[{"name":"three","type":"function"}],"type":"namespace"}],
 "stream":true,"prompt_cache_key":"k"}`,
	Messages: `{"model":"m","system":[{"type":"text","text":"be brief","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"hi"},
 {"role":"assistant","content":[{"type":"thinking","thinking":"…","signature":"s"},{"type":"tool_use","id":"c1","name":"mcp__a__one","input":{"x":1}}]},
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"done"}]},
 {"role":"user","content":[{"type":"text","text":"more","cache_control":{"type":"ephemeral"}}]}],
 "tools":[{"name":"read","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search"},{"name":"edit","description":"d","input_schema":{}},
 {"name":"mcp__a__one","description":"1","input_schema":{"type":"object","properties":{"x":{}}}},{"name":"mcp__a__two","input_schema":{}},
 {"name":"mcp__b__three","input_schema":{},"cache_control":{"type":"ephemeral"}}],
 "stream":true,"metadata":{"user_id":"k"},"max_tokens":10}`,
	Gemini: `{"systemInstruction":{"parts":[{"text":"be brief"}]},"contents":[{"role":"user","parts":[{"text":"hi"}]},
 {"role":"model","parts":[{"text":"…","thought":true},{"functionCall":{"name":"mcp_a_one","args":{"x":1}},"thoughtSignature":"s"}]},
 {"role":"user","parts":[{"functionResponse":{"name":"mcp_a_one","response":{"output":"done"}}}]},
 {"role":"user","parts":[{"text":"more"}]}],
 "tools":[{"functionDeclarations":[{"name":"read","parametersJsonSchema":{"type":"object"}},{"name":"edit","description":"d"},
 {"name":"mcp_a_one","description":"1","parameters":{"type":"object","properties":{"x":{}}}},{"name":"mcp_a_two"},{"name":"mcp_b_three"}]},{"googleSearch":{}}],
 "generationConfig":{"temperature":1.0}}`,
}

func read(t *testing.T, format Format, body string) *Request {
	t.Helper()
	q, err := Read(format, []byte(body))
	if err != nil {
		t.Fatalf("Read(%s): %v", format, err)
	}
	return q
}

func TestRead(t *testing.T) {
	for format, body := range requests {
		t.Run(string(format), func(t *testing.T) {
			q := read(t, format, body)
			var tools []string
			for _, tool := range q.Tools {
				tools = append(tools, strings.TrimPrefix(tool.Namespace+"/"+tool.Name, "/"))
			}
			want := map[Format]string{
				Chat: "read edit mcp__a__one mcp__a__two mcp__b__three", Messages: "read edit mcp__a__one mcp__a__two mcp__b__three",
				Responses: "read edit mcp__a/one mcp__a/two mcp__b/three", Gemini: "read edit mcp_a_one mcp_a_two mcp_b_three",
			}[format]
			if got := strings.Join(tools, " "); got != want {
				t.Errorf("tools: got %s, want %s", got, want)
			}
			if got, want := string(q.Tools[2].Schema), `{"type":"object","properties":{"x":{}}}`; got != want {
				t.Errorf("schema: got %s, want %s", got, want)
			}
			if format != Gemini && q.Conversation != "k" {
				t.Errorf("got conversation %q, want k", q.Conversation)
			}
			var messages []string
			var calls []Call
			for i := range q.Messages {
				m := &q.Messages[i]
				messages = append(messages, fmt.Sprintf("%s:%s", m.Role, m.Text))
				calls = append(calls, m.Calls...)
			}
			wantMessages := map[Format]string{
				Chat:      "system:be brief user:hi assistant: tool:done user:more",
				Responses: "user:hi assistant: assistant: tool: user:more",
				Messages:  "user:hi assistant: tool: user:more", Gemini: "user:hi assistant: tool: user:more",
			}[format]
			if got := strings.Join(messages, " "); got != wantMessages {
				t.Errorf("messages: got %s, want %s", got, wantMessages)
			}
			wantCall := map[Format]Call{
				Chat: {"c1", "mcp__a__one", "", []byte(`{"x":1}`)}, Responses: {"c1", "one", "mcp__a", []byte(`{"x":1}`)},
				Messages: {"c1", "mcp__a__one", "", []byte(`{"x":1}`)}, Gemini: {"", "mcp_a_one", "", []byte(`{"x":1}`)},
			}[format]
			if !reflect.DeepEqual(calls, []Call{wantCall}) {
				t.Errorf("calls: got %q, want %q", calls, wantCall)
			}
		})
	}
}

// The signature of an empty text, which clients keep or leave out, is no part of
// what a message is known by.
func TestRead_EmptySigned(t *testing.T) {
	q := read(t, Gemini, `{"contents":[{"role":"model","parts":[{"text":"Look."},{"text":"","thoughtSignature":"s"}]}]}`)
	if said := q.Messages[0].Said; len(said) != 1 || said[0].Text != "Look." {
		t.Errorf("got %+v, want the text alone", said)
	}
}

// A body that is not understood has to be passed on as it is, so it must not
// be taken for one that is.
func TestRead_Refuses(t *testing.T) {
	for name, tt := range map[string]struct {
		format Format
		body   string
	}{
		"no object":       {Chat, `[]`},
		"broken":          {Chat, `{"tools":[{"type":"function"`},
		"two values":      {Chat, `{} {}`},
		"repeated key":    {Messages, `{"tools":[],"tools":[]}`},
		"invalid UTF-8":   {Messages, "{\"model\":\"\xff\"}"},
		"old functions":   {Chat, `{"functions":[]}`},
		"too deep":        {Gemini, `{"contents":` + strings.Repeat(`[{"parts":`, 6000)},
		"unknown format":  {"soap", `{}`},
		"nothing":         {Chat, ``},
		"literal garbage": {Responses, `{"input":nope}`},
	} {
		t.Run(name, func(t *testing.T) {
			if q, err := Read(tt.format, []byte(tt.body)); err == nil {
				t.Errorf("got %+v, want an error", q)
			}
		})
	}
	if _, err := Read("soap", []byte(`{}`)); !errors.Is(err, ErrUnknown) {
		t.Errorf("got %v, want ErrUnknown", err)
	}
}

func TestRead_Required(t *testing.T) {
	for name, tt := range map[string]struct {
		format Format
		choice string
		want   []string
	}{
		"chat function":   {Chat, `{"tool_choice":{"type":"function","function":{"name":"a"}}}`, []string{"a"}},
		"chat allowed":    {Chat, `{"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}]}}}`, []string{"a", "b"}},
		"chat auto":       {Chat, `{"tool_choice":"auto"}`, nil},
		"responses":       {Responses, `{"tool_choice":{"type":"function","name":"a"}}`, []string{"a"}},
		"responses many":  {Responses, `{"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"a"}]}}`, []string{"a"}},
		"messages":        {Messages, `{"tool_choice":{"type":"tool","name":"a"}}`, []string{"a"}},
		"gemini":          {Gemini, `{"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["a","b"]}}}`, []string{"a", "b"}},
		"gemini in snake": {Gemini, `{"tool_config":{"function_calling_config":{"allowed_function_names":["a"]}}}`, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(t, tt.format, tt.choice).Required; !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// A conversation that the provider keeps cannot be followed by its messages.
func TestRead_Continues(t *testing.T) {
	for body, want := range map[string]bool{
		`{"previous_response_id":"r1","input":"hi"}`: true,
		`{"previous_response_id":null,"input":"hi"}`: false,
		`{"conversation":{"id":"c"},"input":"hi"}`:   true,
		`{"input":"hi"}`: false,
	} {
		q := read(t, Responses, body)
		if q.Continues != want || len(q.Messages) != 1 || q.Messages[0].Text != "hi" {
			t.Errorf("%s: got continues %v, messages %+v; want %v", body, q.Continues, q.Messages, want)
		}
	}
}
