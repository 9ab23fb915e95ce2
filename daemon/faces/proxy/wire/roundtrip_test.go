package wire

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fullRequest returns a request of testdata: one by hand, with the fields of a
// provider's public schema and some that nobody knows, or the one of all fields.
func fullRequest(t testing.TB, format Format) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", "requests", string(format)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// Nothing cut: the body is the client's, byte for byte. Something cut: every
// other member still is, and every other tool and every message.
func TestApply_EveryField(t *testing.T) {
	arrays := map[Format]string{Chat: "messages", Responses: "input", Messages: "messages", Gemini: "contents"}
	for format, messages := range arrays {
		t.Run(string(format), func(t *testing.T) {
			body := fullRequest(t, format)
			q := read(t, format, string(body))
			if q.Continues {
				t.Error("the provider is said to keep the conversation, though both members are null")
			}
			managed := make([]bool, len(q.Tools))
			if got := q.Apply(&Edit{Managed: managed}); !bytes.Equal(got, body) {
				t.Errorf("nothing cut: got %s", got)
			}
			for i, tool := range q.Tools {
				managed[i] = strings.HasPrefix(tool.Namespace+tool.Name, "mcp_")
			}
			attached := slices.Index(managed, true)
			cut := q.Apply(&Edit{Managed: managed, Attached: []int{attached}})
			before, after := members(t, body), members(t, cut)
			if len(before) != len(after) {
				t.Errorf("got %d members, want %d", len(after), len(before))
			}
			for name, value := range before {
				if name != "tools" && !bytes.Equal(after[name], value) {
					t.Errorf("%s: got %s, want %s", name, after[name], value)
				}
			}
			rest := read(t, format, string(cut))
			if want := len(q.Tools) - 1; len(rest.Tools) != want {
				t.Errorf("got %d tools, want %d", len(rest.Tools), want)
			}
			for i := range q.elements {
				// Only what holds a managed tool may change.
				whole := !slices.ContainsFunc(q.elements[i].tools, func(k int) bool { return managed[k] })
				if text := q.elements[i].at.in(body); whole && !bytes.Contains(cut, text) {
					t.Errorf("the tool %s has changed: %s", text, cut)
				}
			}
			if len(rest.Messages) != len(q.Messages) || len(q.Messages) < 4 {
				t.Errorf("%s: got %d messages, want %d", messages, len(rest.Messages), len(q.Messages))
			}
		})
	}
}

// The same with every field that the providers' own packages declare, wherever
// it may stand; see testdata/requests.mjs.
func TestApply_DeclaredFields(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{Chat, Responses, Messages, Gemini} {
		body := fullRequest(t, format+".all")
		q := read(t, format, string(body))
		if len(q.Tools) == 0 || len(q.Messages) == 0 {
			t.Errorf("%s: %d tools and %d messages were read", format, len(q.Tools), len(q.Messages))
		}
		managed := make([]bool, len(q.Tools))
		if got := q.Apply(&Edit{Managed: managed}); !bytes.Equal(got, body) {
			t.Errorf("%s: nothing cut: got %s", format, got)
		}
		for i := range managed {
			managed[i] = true
		}
		before, after := members(t, body), members(t, q.Apply(&Edit{Managed: managed}))
		for name, value := range before {
			if name != "tools" && !bytes.Equal(after[name], value) {
				t.Errorf("%s: %s: got %s, want %s", format, name, after[name], value)
			}
		}
		rest := read(t, format, string(q.Apply(&Edit{Managed: managed})))
		if len(rest.Tools) != 0 || len(rest.Messages) != len(q.Messages) || len(after) != len(before) {
			t.Errorf("%s: all tools cut: %d tools, %d messages and %d members are left, want 0, %d and %d",
				format, len(rest.Tools), len(rest.Messages), len(after), len(q.Messages), len(before))
		}
	}
}

func members(t *testing.T, body []byte) map[string]json.RawMessage {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	return all
}
