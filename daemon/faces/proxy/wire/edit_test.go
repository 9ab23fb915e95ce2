package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// managed says of the requests in this test which tools may be cut: all behind
// the client's own two.
var managed = []bool{false, false, true, true, true}

var load = Declaration{Name: "mcp_load", Description: "more", Schema: json.RawMessage(`{"type":"object"}`)}

// toolNames lists the tools of a body in their order, as a model sees them.
func toolNames(t *testing.T, format Format, body []byte) string {
	t.Helper()
	if !json.Valid(body) {
		t.Fatalf("no JSON: %s", body)
	}
	var names []string
	for _, tool := range read(t, format, string(body)).Tools {
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}

// When nothing is cut the body is passed on byte for byte, whatever it holds.
func TestApply_NothingCut(t *testing.T) {
	for format, body := range requests {
		q := read(t, format, body)
		for _, e := range []Edit{
			{Managed: managed, Attached: []int{2, 3, 4}},
			{Managed: managed, Attached: []int{4, 2, 3}},
			{Managed: make([]bool, 5)},
		} {
			if got := string(q.Apply(&e)); got != body {
				t.Errorf("%s: got %s, want the body as it came", format, got)
			}
		}
	}
}

func TestApply_Tools(t *testing.T) {
	for format, body := range requests {
		prefix := map[Format]string{Chat: "mcp__%s__", Messages: "mcp__%s__", Gemini: "mcp_%s_"}[format]
		name := func(server, tool string) string {
			if prefix == "" {
				return tool
			}
			return fmt.Sprintf(prefix, server) + tool
		}
		one, two, three := name("a", "one"), name("a", "two"), name("b", "three")
		added := []Declaration{load}
		for _, tt := range []struct {
			want string
			edit Edit
		}{
			{"read edit", Edit{Managed: managed}},
			{"read edit mcp_load", Edit{Managed: managed, Added: added}},
			{"read edit mcp_load " + two, Edit{Managed: managed, Added: added, Attached: []int{3}}},
			{"read edit mcp_load " + three + " " + one, Edit{Managed: managed, Added: added, Attached: []int{4, 2}}},
			{"read edit " + two + " " + one, Edit{Managed: managed, Attached: []int{3, 2}}},
			{"edit mcp_load " + two, Edit{Managed: []bool{true, false, true, true, true}, Added: added, Attached: []int{3}}},
		} {
			got := toolNames(t, format, read(t, format, body).Apply(&tt.edit))
			if got != tt.want {
				t.Errorf("%s: got %s, want %s", format, got, tt.want)
			}
		}
	}
}

// Everything that is not cut keeps its bytes: what the client sent beside the
// tools, and each tool that stays.
func TestApply_KeepsBytes(t *testing.T) {
	for format, body := range requests {
		q := read(t, format, body)
		got := string(q.Apply(&Edit{Managed: managed, Attached: []int{2}}))
		before, after := body[:q.tools.start], body[q.tools.end:]
		if !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
			t.Errorf("%s: what stands around the tools changed: %s", format, got)
		}
		for _, i := range []int{0, 1, 2} {
			tool := strings.TrimSuffix(string(q.Tools[i].at.in(q.Body)), "}") // a breakpoint may follow
			if !strings.Contains(got, tool) {
				t.Errorf("%s: got %s, want %s in it", format, got, tool)
			}
		}
	}
}

// A provider of cached prompts takes four breakpoints at most: one that stood
// at a tool that is cut moves to the last attached one, and none is added.
func TestApply_CacheBreakpoints(t *testing.T) {
	const mark = `"cache_control":{"type":"ephemeral"}`
	for name, tt := range map[string]struct {
		attached []int
		want     string // the tool that ends the cached part
	}{
		"cut":            {[]int{3}, "mcp__a__two"},
		"kept last":      {[]int{3, 4}, "mcp__b__three"},
		"kept, not last": {[]int{4, 3}, "mcp__a__two"},
		"none attached":  {nil, "edit"},
	} {
		t.Run(name, func(t *testing.T) {
			q := read(t, Messages, requests[Messages])
			out := q.Apply(&Edit{Managed: managed, Attached: tt.attached, Added: []Declaration{load}})
			edited := read(t, Messages, string(out))
			got := ""
			for _, tool := range edited.Tools {
				if tool.Marked {
					got += tool.Name
				}
			}
			if got != tt.want {
				t.Errorf("got the breakpoint at %q, want %q: %s", got, tt.want, out)
			}
			if before, after := strings.Count(requests[Messages], mark), strings.Count(string(out), mark); after > before {
				t.Errorf("got %d breakpoints, want at most %d", after, before)
			}
		})
	}
}

// What is deferred comes last, with the provider's own search tool, and without
// a cache breakpoint: the two together are refused.
func TestApply_Deferred(t *testing.T) {
	for _, format := range []Format{Messages, Responses} {
		q := read(t, format, requests[format])
		out := q.Apply(&Edit{Managed: managed, Attached: []int{3}, Deferred: []int{2, 4}})
		if strings.Count(string(out), `"type":"tool_search`) != 1 {
			t.Errorf("%s: got %s, want one search tool", format, out)
		}
		edited := read(t, format, string(out))
		var got []string
		for _, tool := range edited.Tools {
			got = append(got, fmt.Sprintf("%s deferred=%v marked=%v", strings.TrimPrefix(strings.TrimPrefix(tool.Name, "mcp__a__"), "mcp__b__"), tool.Deferred, tool.Marked))
		}
		want := []string{
			"read deferred=false marked=false", "edit deferred=false marked=false", "two deferred=false marked=" + fmt.Sprint(format == Messages),
			"one deferred=true marked=false", "three deferred=true marked=false",
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", format, got, want)
		}
		again := edited.Apply(&Edit{Managed: []bool{true, false, false, false, false}, Deferred: []int{0}})
		if strings.Count(string(again), `"type":"tool_search`) != 1 {
			t.Errorf("%s: got %s, want the search tool that is there", format, again)
		}
	}
	for _, format := range []Format{Chat, Gemini} {
		if read(t, format, requests[format]).Defers() {
			t.Errorf("%s is said to defer", format)
		}
	}
}

func TestApply_Insert(t *testing.T) {
	for format, body := range requests {
		q := read(t, format, body)
		n := len(q.Messages)
		added := []byte(`{"role":"user","content":"put in"}`)
		out := q.Apply(&Edit{Managed: managed, Attached: []int{2, 3, 4}, Inserted: []Insertion{
			{At: 1, Messages: [][]byte{added}, Replace: true}, {At: n, Messages: [][]byte{added, added}},
		}})
		edited := read(t, format, string(out))
		if got, want := len(edited.Messages), n+2; got != want {
			t.Fatalf("%s: got %d messages, want %d: %s", format, got, want, out)
		}
		for i, want := range map[int]string{0: string(q.Raw(&q.Messages[0])), 1: string(added), 2: string(q.Raw(&q.Messages[2])), n: string(added), n + 1: string(added)} {
			if got := string(edited.Raw(&edited.Messages[i])); got != want {
				t.Errorf("%s message %d: got %s, want %s", format, i, got, want)
			}
		}
	}
}

// What is attached later stands last: the tools before it, and so a provider's
// cache of them, stay as they were.
func TestApply_GrowsAtTheEnd(t *testing.T) {
	for _, format := range []Format{Chat, Messages, Gemini} {
		q := read(t, format, requests[format])
		var before string
		for _, attached := range [][]int{{4}, {4, 2}} {
			out := q.Apply(&Edit{Managed: managed, Attached: attached, Added: []Declaration{load}})
			names := toolNames(t, format, out)
			if !strings.HasPrefix(names, before) {
				t.Errorf("%s: got %s, want it to begin with %s", format, names, before)
			}
			before = names
		}
	}
}
