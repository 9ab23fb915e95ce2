package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
)

// pages serves the pages of a list by their cursors.
func pages(all map[string]page) func(context.Context, string) (page, error) {
	return func(_ context.Context, cursor string) (page, error) {
		p, ok := all[cursor]
		if !ok {
			return page{}, fmt.Errorf("no page %q", cursor)
		}
		return p, nil
	}
}

func rawTools(texts ...string) []json.RawMessage {
	var out []json.RawMessage
	for _, text := range texts {
		out = append(out, json.RawMessage(text))
	}
	return out
}

func TestCollectTools(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		pages    map[string]page
		want     string
		warnings []string
	}{
		"empty":            {map[string]page{"": {}}, "", nil},
		"one page":         {map[string]page{"": {Tools: rawTools(`{"name":"a"}`, `{"name":"b"}`)}}, "a b", nil},
		"several pages":    {map[string]page{"": {Tools: rawTools(`{"name":"b"}`), NextCursor: "2"}, "2": {Tools: rawTools(`{"name":"a"}`), NextCursor: "3"}, "3": {}}, "b a", nil},
		"across pages":     {map[string]page{"": {Tools: rawTools(`{"name":"a"}`), NextCursor: "2"}, "2": {Tools: rawTools(`{"name":"a"}`, `{"name":"b"}`)}}, "a b", []string{`tool "a" is listed more than once`}},
		"repeated":         {map[string]page{"": {Tools: rawTools(`{"name":"a"}`), NextCursor: "2"}, "2": {Tools: rawTools(`{"name":"b"}`), NextCursor: "2"}}, "a b", []string{`repeats the cursor "2"`}},
		"many twice":       {map[string]page{"": {Tools: rawTools(`{"name":"a"}`, `{"name":"a"}`, `{"name":"a"}`)}}, "a", []string{"more than once", "2 tools in all"}},
		"not tools":        {map[string]page{"": {Tools: rawTools(`1`, `{"name":"a"}`, `{}`, `{"name":""}`)}}, "a", []string{"3 entries"}},
		"case matters":     {map[string]page{"": {Tools: rawTools(`{"name":"a"}`, `{"name":"A"}`)}}, "a A", nil},
		"escaped is equal": {map[string]page{"": {Tools: rawTools(`{"name":"a"}`, `{"name":"\u0061"}`)}}, "a", []string{"more than once"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := collectTools(t.Context(), pages(test.pages))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(toolNames(l), " "); got != test.want {
				t.Errorf("tools %q, want %q", got, test.want)
			}
			if len(l.Warnings) != len(test.warnings) {
				t.Fatalf("warnings %q, want %q", l.Warnings, test.warnings)
			}
			for i, want := range test.warnings {
				if !strings.Contains(l.Warnings[i], want) {
					t.Errorf("warning %q, want %q", l.Warnings[i], want)
				}
			}
		})
	}
}

// TestCollectTools_Limits: each limit ends the list with a warning.
func TestCollectTools_Limits(t *testing.T) {
	t.Parallel()
	large := `,"description":"` + strings.Repeat("x", 1<<20) + `"}`
	tests := map[string]struct {
		tool func(n int) string
		each int
		want int
		says string
	}{
		"tools": {func(n int) string { return fmt.Sprintf(`{"name":"t%d"}`, n) }, 1000, maxTools, "more than 10000 tools"},
		"pages": {func(n int) string { return fmt.Sprintf(`{"name":"t%d"}`, n) }, 1, maxPages, "more than 200 pages"},
		"bytes": {func(n int) string { return fmt.Sprintf(`{"name":"t%d"`, n) + large }, 1, maxListBytes>>20 - 1, "more than 64 MB"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			l, err := collectTools(t.Context(), func(context.Context, string) (page, error) {
				var p page
				for range test.each {
					n++
					p.Tools = append(p.Tools, json.RawMessage(test.tool(n)))
				}
				p.NextCursor = fmt.Sprint(n)
				return p, nil
			})
			if err != nil || len(l.Tools) != test.want {
				t.Fatalf("%d tools (%v), want %d", len(l.Tools), err, test.want)
			}
			if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], test.says) {
				t.Errorf("warnings %q", l.Warnings)
			}
		})
	}
}

// TestCollectTools_Error: an error on a later page is an error of the list:
// half a list would look as if tools had been removed.
func TestCollectTools_Error(t *testing.T) {
	t.Parallel()
	_, err := collectTools(t.Context(), pages(map[string]page{"": {Tools: rawTools(`{"name":"a"}`), NextCursor: "2"}}))
	if err == nil || !strings.Contains(err.Error(), `no page "2"`) {
		t.Errorf("error %v", err)
	}
}

func TestPage_Keep(t *testing.T) {
	t.Parallel()
	p := page{Tools: rawTools(`{"name":"a"}`, `{"name":"b"}`, `7`)}
	p.keep(func(tool json.RawMessage) error {
		if strings.Contains(string(tool), `"a"`) {
			return errors.New("its headers are wrong")
		}
		return nil
	})
	if want := `[{"name":"b"} 7]`; fmt.Sprintf("%s", p.Tools) != want {
		t.Errorf("kept %s, want %s", p.Tools, want)
	}
	if want := []string{`tool "a" is not used: its headers are wrong`}; !slices.Equal(p.warnings, want) {
		t.Errorf("warnings %q, want %q", p.warnings, want)
	}
}

func TestListing_Equal(t *testing.T) {
	t.Parallel()
	l := fakeListing("a", "b")
	for name, test := range map[string]struct {
		other []Tool
		want  bool
	}{
		"same":    {fakeListing("a", "b").Tools, true},
		"order":   {fakeListing("b", "a").Tools, false},
		"fewer":   {fakeListing("a").Tools, false},
		"changed": {[]Tool{{Name: "a", Raw: json.RawMessage(`{"name":"a"}`)}, {Name: "b", Raw: json.RawMessage(`{"name": "b"}`)}}, false},
	} {
		if l.Equal(test.other) != test.want {
			t.Errorf("%s: %t", name, !test.want)
		}
	}
}

// FuzzToolPage: any answer to tools/list gives tools with a name and their own
// bytes, or an error; a cache round trip changes nothing.
func FuzzToolPage(f *testing.F) {
	for _, seed := range []string{
		`{"tools":[{"name":"a","inputSchema":{"$ref":"#"}},{"name":"a"},null,3],"nextCursor":"x"}`,
		`{"tools":null}`, `{"tools":{}}`, `{"tools":[[]],"nextCursor":7}`, `[]`, `{"tools":[{"name":"\ud800"}]}`,
		"{\"tools\":[ {\"name\" : \"spaced\"\n}\n]}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		first := true
		l, err := collectTools(t.Context(), func(context.Context, string) (page, error) {
			if !first {
				return page{}, nil
			}
			first = false
			return parsePage(answer)
		})
		if errors.Is(err, clean.ErrNotObject) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range l.Tools {
			if tool.Name == "" || !strings.Contains(string(answer), string(tool.Raw)) {
				t.Errorf("tool %q with %s", tool.Name, tool.Raw)
			}
		}
	})
}

// TestCollectTools_StopsAtTheLimit: no page is read after as many entries as are
// used at most, whether they are used or not.
func TestCollectTools_StopsAtTheLimit(t *testing.T) {
	t.Parallel()
	for name, tool := range map[string]func(i int) string{
		"tools":      func(i int) string { return fmt.Sprintf(`{"name":"t%d"}`, i) },
		"duplicates": func(int) string { return `{"name":"again"}` },
		"nameless":   func(int) string { return `{}` },
	} {
		read := 0
		l, err := collectTools(t.Context(), func(context.Context, string) (page, error) {
			read++
			p := page{NextCursor: fmt.Sprint(read)}
			for i := range maxTools / 4 {
				p.Tools = append(p.Tools, json.RawMessage(tool(read*maxTools+i)))
			}
			return p, nil
		})
		if err != nil || read != 4 || !strings.Contains(strings.Join(l.Warnings, "\n"), "the pages after them are not read") {
			t.Errorf("%s: %d pages read (%v), warnings %.300q", name, read, err, l.Warnings)
		}
	}
}
