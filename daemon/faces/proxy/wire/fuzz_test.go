package wire

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/chats"
)

// A body is edited to JSON whose other members are those that came, or refused;
// and one of which nothing is cut is the body itself.
func FuzzRead(f *testing.F) {
	formats := []Format{Chat, Responses, Messages, Gemini}
	for i, format := range formats {
		f.Add(i, []byte(requests[format]))
		f.Add(i, fullRequest(f, format))
		f.Add(i, []byte(`{"tools":[{"type":"namespace","tools":[{}]},null,1,{"functionDeclarations":{}}],"messages":"x","input":7,"contents":[[],{"parts":[null]}]}`))
	}
	f.Fuzz(func(t *testing.T, i int, body []byte) {
		format := formats[uint(i)%uint(len(formats))]
		q, err := Read(format, body)
		if err != nil {
			return
		}
		all := make([]bool, len(q.Tools))
		var attached []int
		for i := range all {
			all[i] = i%3 != 0
			if i%3 == 2 {
				attached = append([]int{i}, attached...)
			}
		}
		for i := range q.Messages {
			if chats.Digest(q.Messages[i].Said) == "" {
				t.Errorf("message %d has no digest", i)
			}
		}
		if out := q.Apply(&Edit{Managed: make([]bool, len(q.Tools))}); !bytes.Equal(out, body) {
			t.Errorf("got %s, want the body as it came", out)
		}
		out := q.Apply(&Edit{Managed: all, Attached: attached, Added: []Declaration{load}})
		if !json.Valid(out) {
			t.Errorf("%s became no JSON: %s", body, out)
		}
		for at := range q.Messages {
			round := Round{Said: Said{Parts: 1, Text: q.Messages[at].Text, Hidden: []Call{{ID: "c", Name: "mcp_load"}}}}
			round.Results = []Result{{Call: round.Said.Hidden[0], Text: "t"}}
			if out := q.Apply(&Edit{Managed: all, Attached: attached, Inserted: q.PutBack(at, []Round{round})}); !json.Valid(out) {
				t.Errorf("%s became no JSON: %s", body, out)
			}
		}
	})
}

// Whatever a provider streams, each event that the client gets is JSON, and a
// hidden call is never among them.
func FuzzFilter(f *testing.F) {
	formats := []Format{Chat, Responses, Messages, Gemini}
	for i, format := range formats {
		for _, stream := range answers[format] {
			f.Add(i, []byte(stream))
		}
	}
	f.Fuzz(func(t *testing.T, i int, stream []byte) {
		format := formats[uint(i)%uint(len(formats))]
		filter := filterFor(format, hidden)
		for line := range bytes.Lines(stream) {
			events, err := filter.Pass(Event{Data: line})
			if err != nil {
				return
			}
			for _, e := range events {
				if !json.Valid(e.Data) && !bytes.Equal(bytes.TrimSpace(e.Data), done) {
					t.Fatalf("%s: %s became no JSON: %s", format, line, e.Data)
				}
			}
		}
		for _, m := range filter.Said().Messages {
			if !json.Valid(m) {
				t.Errorf("%s: what was said is no JSON: %s", format, m)
			}
		}
	})
}

// Whatever a provider answers at once is refused, or becomes JSON for the
// client and for the next request; without hidden calls, it is not touched.
func FuzzReadAnswer(f *testing.F) {
	formats := []Format{Chat, Responses, Messages, Gemini}
	for i, answer := range []string{
		`{"choices":[{"message":{"role":"assistant","content":"a","tool_calls":[{"id":"c1","type":"function","function":{"name":"mcp_load","arguments":"{}"}},{"id":"c2","function":{"name":"one"}}]}}]}`,
		`{"output":[{"type":"reasoning","id":"r"},{"type":"message","content":[{"type":"output_text","text":"a"}]},{"type":"function_call","call_id":"c1","name":"mcp_load","arguments":"{}"}]}`,
		`{"content":[{"type":"thinking","thinking":"a","signature":"s"},{"type":"tool_use","id":"c1","name":"mcp_load","input":{}},{"type":"text","text":"a"}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a"},{"functionCall":{"name":"mcp_load","args":{}}}]}}]}`,
	} {
		f.Add(i, []byte(answer))
	}
	f.Fuzz(func(t *testing.T, i int, body []byte) {
		q := &Request{Format: formats[uint(i)%uint(len(formats))]}
		a, err := ReadAnswer(q, body, hidden)
		if err != nil {
			return
		}
		out := a.Body(q.Format)
		if !json.Valid(out) || len(a.Said.Hidden) == 0 && !bytes.Equal(out, body) {
			t.Errorf("%s: %s became %s", q.Format, body, out)
		}
		if twice := a.Body(q.Format, a); !json.Valid(twice) {
			t.Errorf("%s: %s became no JSON: %s", q.Format, body, twice)
		}
		for _, m := range a.Said.Messages {
			if !json.Valid(m) {
				t.Errorf("%s: what was said is no JSON: %s", q.Format, m)
			}
		}
	})
}
