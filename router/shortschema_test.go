package router

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/tokens"
)

func TestShortSchema(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 60)
	for what, test := range map[string]struct{ schema, want string }{
		"prose, in place": {
			`{ "$schema": "x", "type": "object", "title": "T", "properties": {"title": {"title": "Title", "type": "string", "description": "The title. It is shown."}, "a": {"examples": ["x"], "default": {"title": "kept"}}}, "required": ["title"] }`,
			`{"type":"object","properties":{"title":{"type":"string","description":"The title."},"a":{"default":{"title": "kept"}}},"required":["title"]}`,
		},
		"lists and nested ones": {
			`{"properties":{"a":{"anyOf":[{"type":"string","title":"x"},{"items":{"description":"One, e.g. This. And more"}}]},"b":{"items":[true,{"$comment":"c","const":1}]},"c":{"additionalProperties":false}}}`,
			`{"properties":{"a":{"anyOf":[{"type":"string"},{"items":{"description":"One, e.g. This."}}]},"b":{"items":[true,{"const":1}]},"c":{"additionalProperties":false}}}`,
		},
		"long prose":                 {`{"description":"` + long + `"}`, `{"description":"` + strings.Repeat("word ", 32) + `…"}`},
		"no text for a description":  {`{"description":7,"title":null}`, `{"description":7}`},
		"characters":                 {`{"description":"a < b & \"c\" \u00e9. D"}`, `{"description":"a < b & \"c\" é."}`},
		"definitions":                {`{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/B"},"B":{},"C":{"$ref":"#/$defs/D"},"D":{"not":{"$ref":"#/$defs/D"}},"AB":{}}}`, `{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/B"},"B":{}}}`},
		"no definition is used":      {`{"type":"object","definitions":{"A":{},"B":{"$ref":"#/definitions/A"}}}`, `{"type":"object"}`},
		"within a definition":        {`{"items":{"$ref":"#/definitions/A/items"},"definitions":{"A":{"items":{}}}}`, `{"items":{"$ref":"#/definitions/A/items"},"definitions":{"A":{"items":{}}}}`},
		"definitions by other names": {`{"$ref":"#b","$defs":{"A":{"$anchor":"b"}}}`, `{"$ref":"#b","$defs":{"A":{"$anchor":"b"}}}`},
		"a reference with escapes":   {`{"$ref":"#\/$defs\/A","$defs":{"A":{}}}`, `{"$ref":"#\/$defs\/A","$defs":{"A":{}}}`},
		"no schema":                  {`[]`, `[]`},
	} {
		if got := string(shortSchema(json.RawMessage(test.schema))); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", what, got, test.want)
		}
	}
}

// TestView_small: in the profile for small models a tool is attached and found with a
// short schema, and is shown whole where its model asks for it by name or got it wrong.
func TestView_small(t *testing.T) {
	t.Parallel()
	raw := json.RawMessage(`{"name":"send","description":"Sends a letter.` + strings.Repeat(" More of it.", 60) + `","inputSchema":{"type":"object","properties":{"to":{"type":"string","title":"To","description":"Whom to. Long prose."}}}}`)
	server := ServerInput{Name: "mail", Tools: []json.RawMessage{raw}}
	const short = `{"type":"object","properties":{"to":{"type":"string","description":"Whom to."}}}`
	small := func(s *protocol.Settings) { s.Profile = protocol.ProfileSmall }
	attached := func(c *Catalog, edits ...func(*protocol.Settings)) Attached {
		return viewOf(c, edits...).Open(Opening{ID: "t", Message: "send a letter"}).Attached[0]
	}

	c := catalogOf(server)
	whole, a := attached(c), attached(c, small)
	if string(a.Schema) != short || len(a.Description) > shortText+len("…") || a.Tokens != bytesCount(string(PresentedJSON(a.Name, a.Description, a.Schema))) {
		t.Errorf("got %d tokens, %d of %s", a.Tokens, len(a.Description), a.Schema)
	}
	if string(whole.Schema) == short || whole.Tokens <= a.Tokens || whole.Description != c.Tools[0].Text() {
		t.Errorf("by default: %d tokens of %s", whole.Tokens, whole.Schema)
	}
	if _, text := (Task{Attached: []Attached{a}}).InvalidArguments(&c.Tools[0], []string{"to is missing"}); !strings.Contains(text, "Long prose.") {
		t.Errorf("after wrong arguments: %s", text)
	}

	v := viewOf(c, small)
	for query, want := range map[string]bool{"send a letter": false, selectPrefix + "send": true} {
		_, text := v.describeFound(Task{}, []int{0}, map[bool]int{true: 1}[want])
		if strings.Contains(text, "Long prose.") != want || !strings.Contains(text, "Whom to.") {
			t.Errorf("%s: %s", query, text)
		}
	}

	server.Policy.Overrides = map[string]string{"send": strings.Repeat("Mine. ", 100)}
	if a := attached(catalogOf(server), small); a.Description != server.Policy.Overrides["send"] {
		t.Errorf("the user's own text became %q", a.Description)
	}
	host := BuildCatalog(CatalogInput{Version: 1, Verbatim: true, Servers: []ServerInput{server}, Count: bytesCount}, nil)
	if a := attached(host, small); string(a.Schema) != string(host.Tools[0].Schema) || a.Tokens != host.Tools[0].Tokens {
		t.Errorf("of a tool that a host runs: %s", a.Schema)
	}
}

// TestWild_short: the short schemas of all captured tools differ from the whole ones
// in what says nothing about arguments, and in nothing else.
func TestWild_short(t *testing.T) {
	servers := wildServers(t)
	counter := tokens.New()
	c := BuildCatalog(CatalogInput{Servers: servers, Qualified: true, Count: counter.Count}, nil)
	before, after := 0, 0
	settings := protocol.ProfileSettings(protocol.ProfileSmall)
	v := NewView(c, &settings, nil)
	for i := range c.Tools {
		tool := &c.Tools[i]
		short := v.presented(i)
		before, after = before+tool.Tokens, after+short.tokens
		var was, is map[string]any
		if err := json.Unmarshal(tool.Schema, &was); err != nil {
			t.Fatal(tool.ID, err)
		}
		if err := json.Unmarshal(short.schema, &is); err != nil {
			t.Fatal(tool.ID, err)
		}
		for _, key := range []string{"$defs", "definitions"} {
			all, _ := was[key].(map[string]any)
			kept, _ := is[key].(map[string]any)
			for name := range all {
				if _, ok := kept[name]; !ok {
					delete(all, name)
				}
			}
			if len(all) == 0 {
				delete(was, key)
			}
		}
		text, err := json.Marshal(is)
		if err != nil {
			t.Fatal(tool.ID, err)
		}
		for ref := range references(is) {
			name := ref[strings.LastIndexByte(ref, '/')+1:]
			if (strings.HasPrefix(ref, "#/$defs/") || strings.HasPrefix(ref, "#/definitions/")) && !strings.Contains(string(text), `"`+name+`":`) {
				t.Errorf("%v: %s is not there any more", tool.ID, ref)
			}
		}
		if !reflect.DeepEqual(withoutProse(was), withoutProse(is)) {
			t.Errorf("%v:\n%s\nbecame\n%s", tool.ID, tool.Schema, short.schema)
		}
	}
	t.Logf("%d tools of %d servers: %d tokens, %d short", len(c.Tools), len(c.Servers), before, after)
}

// references yields the $refs of a schema.
func references(schema any) map[string]bool {
	all := map[string]bool{}
	switch s := schema.(type) {
	case map[string]any:
		for key, value := range s {
			if ref, ok := value.(string); ok && key == "$ref" {
				all[ref] = true
			}
			for ref := range references(value) {
				all[ref] = true
			}
		}
	case []any:
		for _, value := range s {
			for ref := range references(value) {
				all[ref] = true
			}
		}
	}
	return all
}

// withoutProse takes what is no schema out of a schema, whatever it is in.
func withoutProse(schema any) any {
	switch s := schema.(type) {
	case map[string]any:
		for key, value := range s {
			_, object := value.(map[string]any)
			if !object && slices.Contains([]string{"title", "description", "$comment", "$schema", "examples"}, key) {
				delete(s, key)
				continue
			}
			s[key] = withoutProse(value)
		}
	case []any:
		for i := range s {
			s[i] = withoutProse(s[i])
		}
	}
	return schema
}
