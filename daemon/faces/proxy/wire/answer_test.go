package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

// wholes are answers of each format that came at once: the same as in answers.
var wholes = map[Format][3]string{
	Chat: {
		`{"id":"r1","choices":[{"index":0,"message":{"role":"assistant","content":"Look. ","tool_calls":[{"id":"c1","type":"function","function":{"name":"mcp_load","arguments":"{\"query\":\"x\"}"}}]},"finish_reason":"tool_calls"}],"usage":{}}`,
		`{"id":"r2","choices":[{"index":0,"message":{"role":"assistant","content":"Found.","tool_calls":[{"id":"c2","type":"function","function":{"name":"one","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
		`{"id":"r3","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"mcp_load","arguments":"{\"query\":\"x\"}"}}, {"id":"c2","type":"function","function":{"name":"one","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
	},
	Responses: {
		`{"id":"r1","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Look. "}]},{"type":"function_call","call_id":"c1","name":"mcp_load","arguments":"{\"query\":\"x\"}"}],"usage":{}}`,
		`{"id":"r2","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Found."}]},{"type":"function_call","call_id":"c2","name":"one","arguments":"{}"}]}`,
		`{"id":"r3","output":[{"type":"function_call","call_id":"c1","name":"mcp_load","arguments":"{\"query\":\"x\"}"},{"type":"function_call","call_id":"c2","name":"one","arguments":"{}"}]}`,
	},
	Messages: {
		`{"id":"r1","content":[{"type":"text","text":"Look. "},{"type":"tool_use","id":"c1","name":"mcp_load","input":{"query":"x"}}],"stop_reason":"tool_use"}`,
		`{"id":"r2","content":[{"type":"text","text":"Found."},{"type":"tool_use","id":"c2","name":"one","input":{}}],"stop_reason":"tool_use"}`,
		`{"id":"r3","content":[{"type":"tool_use","id":"c1","name":"mcp_load","input":{"query":"x"}},{"type":"tool_use","id":"c2","name":"one","input":{}}],"stop_reason":"tool_use"}`,
	},
	Gemini: {
		`{"candidates":[{"content":{"role":"model","parts":[{"text":"Look. "},{"functionCall":{"name":"mcp_load","args":{"query":"x"}}}]},"finishReason":"STOP"}]}`,
		`{"candidates":[{"content":{"role":"model","parts":[{"text":"Found."},{"functionCall":{"name":"one","args":{}}}]},"finishReason":"STOP"}]}`,
		`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"mcp_load","args":{"query":"x"}}},{"functionCall":{"name":"one","args":{}}}]},"finishReason":"STOP"}]}`,
	},
}

func answer(t *testing.T, format Format, body string) *Answer {
	t.Helper()
	a, err := ReadAnswer(&Request{Format: format, Stored: true}, []byte(body), hidden)
	if err != nil {
		t.Fatalf("ReadAnswer(%s): %v", body, err)
	}
	return a
}

func TestReadAnswer(t *testing.T) {
	for format, bodies := range wholes {
		t.Run(string(format), func(t *testing.T) {
			first, second := answer(t, format, bodies[0]), answer(t, format, bodies[1])
			if !first.Said.Unfinished() || first.Said.Text != "Look. " || string(first.Said.Hidden[0].Arguments) != `{"query":"x"}` {
				t.Errorf("got %+v, want an unfinished answer that said \"Look. \" and called mcp_load", first.Said)
			}
			if got := string(second.Body(format)); got != bodies[1] {
				t.Errorf("got %s, want the body as it came", got)
			}
			joined := second.Body(format, first)
			if !json.Valid(joined) || strings.Contains(string(joined), "mcp_load") {
				t.Errorf("got %s, want JSON without mcp_load", joined)
			}
			all := answer(t, format, string(joined))
			if all.Said.Text != "Look. Found." || len(all.Said.Others) != 1 {
				t.Errorf("got %q and %d calls, want \"Look. Found.\" and 1: %s", all.Said.Text, len(all.Said.Others), joined)
			}
			beside := answer(t, format, bodies[2])
			if got := answer(t, format, string(beside.Body(format))).Said; beside.Said.Unfinished() || len(got.Hidden) != 0 || len(got.Others) != 1 {
				t.Errorf("got unfinished %v and %+v, want one call for the client", beside.Said.Unfinished(), got)
			}
		})
	}
}

// What was said at once is repeated as what was streamed.
func TestReadAnswer_Repeats(t *testing.T) {
	for _, format := range []Format{Chat, Messages, Gemini} {
		a := answer(t, format, wholes[format][1])
		f := filterFor(format, hidden)
		pass(t, f, answers[format][1])
		if got, want := string(a.Said.Messages[0]), string(f.Said().Messages[0]); got != want {
			t.Errorf("%s: got %s, want %s", format, got, want)
		}
	}
}

func TestReadAnswer_Refuses(t *testing.T) {
	for body, format := range map[string]Format{
		`[]`: Chat, `{"choices":[{"message":{}},{"message":{}}]}`: Chat, `{"error":{}}`: Messages, `{`: Gemini, ``: Responses,
	} {
		if a, err := ReadAnswer(&Request{Format: format}, []byte(body), hidden); err == nil {
			t.Errorf("%s %q: got %+v, want an error", format, body, a)
		}
	}
}
