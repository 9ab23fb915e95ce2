package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func hidden(name string) bool { return name == "mcp_load" }

// answers are streams of each format, an event a line. The first says "Look. "
// and calls mcp_load; the second says "Found." and calls one; the third calls
// mcp_load and then one.
var answers = map[Format][3]string{
	Chat: {
		`{"id":"r1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}
{"id":"r1","choices":[{"index":0,"delta":{"content":"Look. "},"finish_reason":null}]}
{"id":"r1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"mcp_load","arguments":""},"extra":{"sign":"s"}}]},"finish_reason":null}]}
{"id":"r1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"query\":"}}]}}]}
{"id":"r1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"x\"}"}}]}}]}
{"id":"r1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
{"id":"r1","choices":[],"usage":{"total_tokens":9}}
[DONE]`,
		`{"id":"r2","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}
{"id":"r2","choices":[{"index":0,"delta":{"content":"Found."}}]}
{"id":"r2","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c2","type":"function","function":{"name":"one","arguments":"{}"}}]}}]}
{"id":"r2","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
[DONE]`,
		`{"id":"r3","choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"mcp_load","arguments":"{\"query\":\"x\"}"}},{"index":1,"id":"c2","type":"function","function":{"name":"one","arguments":""}}]}}]}
{"id":"r3","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}}]}
{"id":"r3","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
[DONE]`,
	},
	Responses: {
		`{"type":"response.created","sequence_number":0,"response":{"id":"r1","output":[]}}
{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"message","id":"m1","content":[]}}
{"type":"response.output_text.delta","sequence_number":2,"output_index":0,"item_id":"m1","content_index":0,"delta":"Look. "}
{"type":"response.output_item.done","sequence_number":3,"output_index":0,"item":{"type":"message","id":"m1","role":"assistant","content":[{"type":"output_text","text":"Look. "}]}}
{"type":"response.output_item.added","sequence_number":4,"output_index":1,"item":{"type":"function_call","id":"f1","call_id":"c1","name":"mcp_load","arguments":""}}
{"type":"response.function_call_arguments.delta","sequence_number":5,"output_index":1,"item_id":"f1","delta":"{\"query\":\"x\"}"}
{"type":"response.output_item.done","sequence_number":6,"output_index":1,"item":{"type":"function_call","id":"f1","call_id":"c1","name":"mcp_load","arguments":"{\"query\":\"x\"}"}}
{"type":"response.completed","sequence_number":7,"response":{"id":"r1","output":[{"type":"message","id":"m1"},{"type":"function_call"}],"usage":{}}}`,
		`{"type":"response.created","sequence_number":0,"response":{"id":"r2","output":[]}}
{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"message","id":"m2","content":[]}}
{"type":"response.output_text.delta","sequence_number":2,"output_index":0,"item_id":"m2","content_index":0,"delta":"Found."}
{"type":"response.output_item.done","sequence_number":3,"output_index":0,"item":{"type":"message","id":"m2","role":"assistant","content":[{"type":"output_text","text":"Found."}]}}
{"type":"response.output_item.added","sequence_number":4,"output_index":1,"item":{"type":"function_call","id":"f2","call_id":"c2","name":"one","arguments":""}}
{"type":"response.output_item.done","sequence_number":5,"output_index":1,"item":{"type":"function_call","id":"f2","call_id":"c2","name":"one","arguments":"{}"}}
{"type":"response.completed","sequence_number":6,"response":{"id":"r2","output":[{"type":"message","id":"m2"},{"type":"function_call"}],"usage":{}}}`,
		`{"type":"response.created","sequence_number":0,"response":{"id":"r3","output":[]}}
{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"function_call","id":"f1","call_id":"c1","name":"mcp_load","arguments":""}}
{"type":"response.output_item.done","sequence_number":2,"output_index":0,"item":{"type":"function_call","id":"f1","call_id":"c1","name":"mcp_load","arguments":"{\"query\":\"x\"}"}}
{"type":"response.output_item.added","sequence_number":3,"output_index":1,"item":{"type":"function_call","id":"f2","call_id":"c2","name":"one","arguments":""}}
{"type":"response.output_item.done","sequence_number":4,"output_index":1,"item":{"type":"function_call","id":"f2","call_id":"c2","name":"one","arguments":"{}"}}
{"type":"response.completed","sequence_number":5,"response":{"id":"r3","output":[{"type":"function_call"},{"type":"function_call"}],"usage":{}}}`,
	},
	Messages: {
		`{"type":"message_start","message":{"id":"r1","role":"assistant","content":[]}}
{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}
{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig"}}
{"type":"content_block_stop","index":0}
{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}
{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Look. "}}
{"type":"content_block_stop","index":1}
{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c1","name":"mcp_load","input":{}}}
{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"query\":"}}
{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\"x\"}"}}
{"type":"content_block_stop","index":2}
{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}
{"type":"message_stop"}`,
		`{"type":"message_start","message":{"id":"r2","role":"assistant","content":[]}}
{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Found."}}
{"type":"content_block_stop","index":0}
{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c2","name":"one","input":{}}}
{"type":"content_block_stop","index":1}
{"type":"message_delta","delta":{"stop_reason":"tool_use"}}
{"type":"message_stop"}`,
		`{"type":"message_start","message":{"id":"r3","role":"assistant","content":[]}}
{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"mcp_load","input":{}}}
{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}}
{"type":"content_block_stop","index":0}
{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c2","name":"one","input":{}}}
{"type":"content_block_stop","index":1}
{"type":"message_delta","delta":{"stop_reason":"tool_use"}}
{"type":"message_stop"}`,
	},
	Gemini: {
		`{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}],"role":"model"},"index":0}]}
{"candidates":[{"content":{"parts":[{"text":"Look. "}],"role":"model"},"index":0}]}
{"candidates":[{"content":{"parts":[{"functionCall":{"name":"mcp_load","args":{"query":"x"}},"thoughtSignature":"s"}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{}}`,
		`{"candidates":[{"content":{"parts":[{"text":"Found."}],"role":"model"},"index":0}]}
{"candidates":[{"content":{"parts":[{"functionCall":{"name":"one","args":{}}}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{}}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"mcp_load","args":{"query":"x"}},"thoughtSignature":"s"},{"functionCall":{"name":"one","args":{}}}],"role":"model"},"finishReason":"STOP","index":0}]}`,
	},
}

// pass feeds a stream to a filter and returns what the client gets.
func pass(t *testing.T, f Filter, stream string) []Event {
	t.Helper()
	var out []Event
	for line := range strings.Lines(stream) {
		events, err := f.Pass(Event{Data: []byte(strings.TrimSpace(line))})
		if err != nil {
			t.Fatalf("Pass(%s): %v", line, err)
		}
		out = append(out, events...)
	}
	return out
}

func filterFor(format Format, hidden func(string) bool) Filter {
	return NewFilter(&Request{Format: format, Stored: true}, hidden)
}

// clientSaw returns what a client makes of events: that of a filter which
// hides nothing.
func clientSaw(t *testing.T, format Format, events []Event) Said {
	t.Helper()
	f := filterFor(format, func(string) bool { return false })
	for _, e := range events {
		if !bytes.Equal(e.Data, done) && !json.Valid(e.Data) {
			t.Fatalf("%s: no JSON: %s", format, e.Data)
		}
		if _, err := f.Pass(e); err != nil {
			t.Fatalf("%s: the client cannot read %s: %v", format, e.Data, err)
		}
	}
	return f.Said()
}

func text(events []Event) string {
	var b strings.Builder
	for _, e := range events {
		b.Write(e.Data)
		b.WriteByte('\n')
	}
	return b.String()
}

// Nothing hidden in it: the stream is the provider's, byte for byte.
func TestFilter_PassesBytes(t *testing.T) {
	for format, streams := range answers {
		if got, want := text(pass(t, filterFor(format, hidden), streams[1])), streams[1]+"\n"; got != want {
			t.Errorf("%s: got %s, want %s", format, got, want)
		}
	}
}

// An answer that ends with a hidden call alone goes on with the next one: the
// client sees one answer.
func TestFilter_HiddenCallAlone(t *testing.T) {
	for format, streams := range answers {
		t.Run(string(format), func(t *testing.T) {
			f := filterFor(format, hidden)
			out := pass(t, f, streams[0])
			said := f.Said()
			if !said.Unfinished() || len(f.Withheld()) == 0 {
				t.Fatalf("got unfinished %v, %d events withheld; want true and some", said.Unfinished(), len(f.Withheld()))
			}
			if len(said.Hidden) != 1 || said.Hidden[0].Name != "mcp_load" || string(said.Hidden[0].Arguments) != `{"query":"x"}` || said.Text != "Look. " {
				t.Errorf("got %q and text %q, want mcp_load {\"query\":\"x\"} and \"Look. \"", said.Hidden, said.Text)
			}
			f.Resume()
			out = append(out, pass(t, f, streams[1])...)
			if strings.Contains(text(out), "mcp_load") {
				t.Errorf("the client got the hidden call: %s", text(out))
			}
			saw := clientSaw(t, format, out)
			if saw.Text != "Look. Found." || len(saw.Others) != 1 {
				t.Errorf("the client saw %q and %d calls, want \"Look. Found.\" and 1:\n%s", saw.Text, len(saw.Others), text(out))
			}
			if format == Chat && strings.Contains(text(out), "r2") {
				t.Errorf("got the second answer's id: %s", text(out))
			}
			checkNumbers(t, format, out)
		})
	}
}

// checkNumbers checks that what is numbered is so without a gap.
func checkNumbers(t *testing.T, format Format, events []Event) {
	t.Helper()
	seen, next := map[string]bool{}, 0
	for i, e := range events {
		var in struct {
			Type     string
			Index    *int
			Output   *int `json:"output_index"`
			Sequence *int `json:"sequence_number"`
		}
		if bytes.Equal(e.Data, done) {
			continue
		}
		if err := json.Unmarshal(e.Data, &in); err != nil {
			t.Fatal(err)
		}
		if in.Sequence != nil && *in.Sequence != i {
			t.Errorf("%s: got sequence_number %d, want %d", format, *in.Sequence, i)
		}
		if begins := in.Type == "content_block_start" || in.Type == "response.output_item.added"; begins {
			at := in.Index
			if at == nil {
				at = in.Output
			}
			if *at != next || seen[fmt.Sprint(*at)] {
				t.Errorf("%s: got block %d, want %d", format, *at, next)
			}
			next++
		}
	}
}

// With calls for the client beside it, a hidden call is withheld and the answer
// ends.
func TestFilter_HiddenCallBeside(t *testing.T) {
	for format, streams := range answers {
		f := filterFor(format, hidden)
		out := pass(t, f, streams[2])
		said := f.Said()
		if said.Unfinished() || len(said.Hidden) != 1 || len(said.Others) != 1 || len(f.Withheld()) != 0 {
			t.Errorf("%s: got %+v with %d withheld; want one hidden call, one other, nothing withheld", format, said, len(f.Withheld()))
		}
		if strings.Contains(text(out), "mcp_load") {
			t.Errorf("%s: the client got the hidden call: %s", format, text(out))
		}
		if saw := clientSaw(t, format, out); len(saw.Others) != 1 {
			t.Errorf("%s: the client saw %d calls, want 1: %s", format, len(saw.Others), text(out))
		}
		checkNumbers(t, format, out)
		if format == Chat && !strings.Contains(text(out), `"tool_calls":[{"index":0,"id":"c2"`) {
			t.Errorf("the client's call has not moved up: %s", text(out))
		}
	}
}

// conversation returns a request whose client keeps what it saw as its answer.
func conversation(t *testing.T, format Format, messages ...[]byte) *Request {
	t.Helper()
	key := map[Format]string{Chat: "messages", Messages: "messages", Responses: "input", Gemini: "contents"}[format]
	return read(t, format, fmt.Sprintf(`{%q:[%s]}`, key, bytes.Join(messages, []byte(","))))
}

// The provider sees again what it has had: put back, the rounds stand byte for
// byte where they were, whatever the client made of the answer.
func TestPutBack(t *testing.T) {
	user := map[Format][]byte{
		Chat: []byte(`{"role":"user","content":"hi"}`), Messages: []byte(`{"role":"user","content":"hi"}`),
		Responses: []byte(`{"role":"user","content":"hi"}`), Gemini: []byte(`{"role":"user","parts":[{"text":"hi"}]}`),
	}
	for format, streams := range answers {
		t.Run(string(format), func(t *testing.T) {
			f := filterFor(format, hidden)
			out := pass(t, f, streams[0])
			round := Round{Said: f.Said()}
			round.Results = []Result{{Call: round.Said.Hidden[0], Text: "loaded"}}
			f.Resume()
			out = append(out, pass(t, f, streams[1])...)
			second := f.Said()

			saw := clientSaw(t, format, out)
			q := conversation(t, format, append([][]byte{user[format]}, saw.Messages...)...)
			got := q.Apply(&Edit{Inserted: q.PutBack(1, []Round{round})})
			// What the provider had: the first answer, the results, the second.
			want := conversation(t, format, append(append([][]byte{user[format]}, round.Continue(format)...), second.Messages...)...)
			if string(got) != string(want.Body) {
				t.Errorf("got  %s\nwant %s", got, want.Body)
			}
		})
	}
}

// The results of a hidden call that stood beside the client's come with the
// client's own.
func TestPutBack_Beside(t *testing.T) {
	results := map[Format]string{
		Chat:      `{"role":"tool","tool_call_id":"c2","content":"1"}`,
		Responses: `{"type":"function_call_output","call_id":"c2","output":"1"}`,
		Messages:  `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","content":"1"}]}`,
		Gemini:    `{"role":"user","parts":[{"functionResponse":{"name":"one","response":{"output":"1"}}}]}`,
	}
	for format, streams := range answers {
		f := filterFor(format, hidden)
		out := pass(t, f, streams[2])
		round := Round{Said: f.Said()}
		round.Results = []Result{{Call: round.Said.Hidden[0], Text: "loaded"}}
		saw := clientSaw(t, format, out)
		if format == Chat || format == Messages { // as VS Code keeps them
			renamed := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte(`"c2"`), []byte(`"c2__vscode-17"`)) }
			said := renamed(saw.Messages[0])
			q := conversation(t, format, said, renamed([]byte(results[format])))
			got := string(q.Apply(&Edit{Inserted: q.PutBack(0, []Round{round})}))
			if strings.Count(got, `"c2__vscode-17"`) != 2 || strings.Contains(got, `"c2"`) {
				t.Errorf("%s: got %s, want the call and its result under the client's id", format, got)
			}
		}
		q := conversation(t, format, append(saw.Messages, []byte(results[format]))...)
		got := read(t, format, string(q.Apply(&Edit{Inserted: q.PutBack(0, []Round{round})})))
		calls, answered := 0, strings.Count(string(got.Body), `"loaded"`)
		for i := range got.Messages {
			calls += len(got.Messages[i].Calls)
		}
		if calls != 2 || answered != 1 {
			t.Errorf("%s: got %d calls and %d of the hidden one's results, want 2 and 1: %s", format, calls, answered, got.Body)
		}
		if format == Messages || format == Gemini {
			if len(got.Messages) != 2 {
				t.Errorf("%s: got %d messages, want the results in one: %s", format, len(got.Messages), got.Body)
			}
		}
	}
}

// A client may rewrite its history; then the calls come before what it kept.
func TestPutBack_ChangedHistory(t *testing.T) {
	round := Round{Said: Said{Text: "Look. ", Parts: 2, Hidden: []Call{{ID: "c1", Name: "mcp_load", Arguments: []byte(`{}`)}}}}
	round.Results = []Result{{Call: round.Said.Hidden[0], Text: "loaded"}}
	for format, message := range map[Format]string{
		Chat:     `{"role":"assistant","content":"Summary"}`,
		Messages: `{"role":"assistant","content":[{"type":"text","text":"Summary"}]}`,
		Gemini:   `{"role":"model","parts":[{"text":"Summary"}]}`,
	} {
		q := conversation(t, format, []byte(message))
		got := read(t, format, string(q.Apply(&Edit{Inserted: q.PutBack(0, []Round{round})})))
		if len(got.Messages) != 3 || len(got.Messages[0].Calls) != 1 || string(got.Raw(&got.Messages[2])) != message {
			t.Errorf("%s: got %s, want a call, its result and the message as it came", format, got.Body)
		}
	}
}
