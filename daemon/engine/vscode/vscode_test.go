package vscode

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/chats"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/tokens"
)

func text(s string) protocol.MessagePart {
	return protocol.MessagePart{Kind: protocol.PartText, Text: s}
}

func call(id, name string) protocol.MessagePart {
	return protocol.MessagePart{Kind: protocol.PartCall, CallID: id, Name: name}
}

func result(id, said string) protocol.MessageDigest {
	return user(protocol.MessagePart{Kind: protocol.PartResult, CallID: id, Content: []protocol.MessagePart{text(said)}})
}

func thinking(s string) protocol.MessagePart {
	return protocol.MessagePart{Kind: protocol.PartOther, Text: s}
}

func user(parts ...protocol.MessagePart) protocol.MessageDigest {
	return protocol.MessageDigest{Role: "user", Parts: parts}
}

func model(parts ...protocol.MessagePart) protocol.MessageDigest {
	return protocol.MessageDigest{Role: "assistant", Parts: parts}
}

func listed(name, reference string, tags ...string) protocol.HostTool {
	return protocol.HostTool{Name: name, FullReferenceName: reference, Tags: tags}
}

// TestListing: MCP's tools are told by their tag, their servers by what VS Code
// calls them, in the spelling of the file that defines them, else by their names.
func TestListing(t *testing.T) {
	t.Parallel()
	l := newListing([]protocol.HostTool{
		listed("mcp_fake", ""), listed("other_name", "", "mcp"), listed("mcp_winnow_mcp_load", "winnow-gateway/mcp_load", "mcp"),
		listed("mcp_other_mcp_load", "other/mcp_load", "mcp"), listed("mcp_secure-filesy_read_file", "my-files/read_file", "mcp"),
		listed("mcp_x_get-sum", "acme/everything/get-sum", "mcp"),
	}, []string{"My Files", "github", "GitHub Enterprise", "a.b", "filesystem extra one", "filesystem extra two"})
	for name, want := range map[string]bool{
		"mcp_fake": false, "other_name": true, "mcp_gone": true, "read_file": false, "mcp_winnow_mcp_load": false, "mcp_other_mcp_load": true,
	} {
		if got := l.isMCP(name); got != want {
			t.Errorf("%s is MCP's: got %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string][2]string{
		"mcp_secure-filesy_read_file": {"My Files", "read_file"}, "mcp_x_get-sum": {"acme/everything", "get-sum"},
		"mcp_github_create_issue": {"github", ""}, "mcp_a_b_tool": {"a.b", ""},
		"mcp_github_enterp_create": {"GitHub Enterprise", ""}, // cut after 17 characters
		"mcp_filesystem_ex_read":   {unknownServer, ""},       // of two servers
		"mcp_other_read":           {unknownServer, ""},
	} {
		if got := l.offered(&protocol.RequestTool{Name: name}); got.Server != want[0] || got.Tool != want[1] {
			t.Errorf("%s: got %q of %q, want %q of %q", name, got.Tool, got.Server, want[1], want[0])
		}
	}
}

var everything = newListing([]protocol.HostTool{
	listed("read_file", ""), listed("mcp_memory_add", "", "mcp"), listed("mcp_web_click", "", "mcp"),
	listed("mcp_web_type", "", "mcp"), listed("mcp_web_drag", "", "mcp"),
}, nil)

// offering returns the tools of a request.
func offering(names ...string) []protocol.RequestTool {
	var tools []protocol.RequestTool
	for _, name := range names {
		tools = append(tools, protocol.RequestTool{Name: name})
	}
	return tools
}

// TestOffers: tools are read once for as long as their JSON is the same, and anew
// for another listing and once they were forgotten.
func TestOffers(t *testing.T) {
	t.Parallel()
	o := &New(Options{}).offers
	of := func(l *listing, allListed bool, names ...string) *offer {
		got, err := o.of(&protocol.ConversationRouteParams{Tools: codec.Marshal(offering(names...)), AllListed: allListed}, l)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := of(everything, false, "mcp_web_click")
	for i := range maxOffers {
		of(everything, false, "mcp_web_type", fmt.Sprint(i))
		if of(everything, false, "mcp_web_click") != first {
			t.Fatal("the tools used last were read anew")
		}
	}
	if got := of(everything, true, "mcp_web_click"); len(got.mcp) != 0 || len(got.native) != 1 {
		t.Errorf("got %+v, want a tool of the host's own", got)
	}
	if got := of(newListing(nil, nil), false, "other_name"); len(got.native) != 1 {
		t.Errorf("got %+v, want a tool of the host's own", got)
	}
	if got := of(newListing([]protocol.HostTool{listed("other_name", "", "mcp")}, nil), false, "other_name"); len(got.mcp) != 1 {
		t.Errorf("got %+v, want one of MCP's", got)
	}
	for i := range maxOffers {
		of(everything, false, fmt.Sprint(i))
	}
	if again := of(everything, false, "mcp_web_click"); again == first || !reflect.DeepEqual(again, first) || len(o.known) != maxOffers {
		t.Errorf("got %+v of %d, want %+v read anew", again, len(o.known), first)
	}
}

var activation = []protocol.MessageDigest{
	user(text("click")), model(text(""), call("w1", "activate_web"), call("w2", "activate_more")),
	result("w1", "Tools activated: mcp_web_click, mcp_web_type, activate_sub, mcp_web_gone, read_file"), result("w2", "That failed."),
	model(call("w3", "activate_sub")), result("w3", "Tools activated: mcp_web_drag, activate_web"),
}

// TestHidden: what a group hides is read from its own answer since the user's last
// words, and offered as long as VS Code offers the group; groups may hold each
// other.
func TestHidden(t *testing.T) {
	t.Parallel()
	again := append(slices.Clone(activation), user(text("again")))
	reopened := append(slices.Clone(again), model(call("w4", "activate_web")), result("w4", "Tools activated: mcp_web_click"))
	for name, tt := range map[string]struct {
		messages []protocol.MessageDigest
		offers   []string
		want     []string
		rounds   int
	}{
		"opened":                       {activation, []string{"read_file", "mcp_memory_add", "activate_web"}, []string{"mcp_web_click", "mcp_web_drag", "mcp_web_type"}, 2},
		"its group is gone":            {activation, []string{"read_file", "mcp_memory_add"}, nil, 2},
		"one is visible":               {activation, []string{"mcp_web_click", "activate_web"}, []string{"mcp_web_drag", "mcp_web_type"}, 2},
		"before the user's last words": {again, []string{"activate_web"}, nil, 0},
		"opened anew":                  {reopened, []string{"activate_web"}, []string{"mcp_web_click"}, 1},
		"a message without a text":     {append(slices.Clone(reopened), user(text(""))), []string{"activate_web"}, []string{"mcp_web_click"}, 1},
	} {
		o, open := offerOf(offering(tt.offers...), false, everything), openedIn(tt.messages)
		var got []string
		for _, one := range sorted(hidden(o, &open, everything)) {
			got = append(got, one.Name)
		}
		if !slices.Equal(got, tt.want) || open.rounds != tt.rounds {
			t.Errorf("%s: got %q after %d rounds, want %q after %d", name, got, open.rounds, tt.want, tt.rounds)
		}
	}
}

// TestIsTask: chores of VS Code's agent, and requests without MCP's tools, pass.
func TestIsTask(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		q    request
		own  bool
		want bool
	}{
		"MCP's tools":        {request{params: &protocol.ConversationRouteParams{Conversation: "c"}, offer: &offer{mcp: []int{0}}}, false, true},
		"a group":            {request{params: &protocol.ConversationRouteParams{Conversation: "c"}, offer: &offer{groups: []int{0}}}, false, true},
		"none":               {request{params: &protocol.ConversationRouteParams{Conversation: "c"}, offer: &offer{native: []int{0}, proxy: true}}, false, false},
		"the daemon's":       {request{params: &protocol.ConversationRouteParams{Conversation: "c"}, offer: &offer{proxy: true}}, true, true},
		"out of reach":       {request{params: &protocol.ConversationRouteParams{Conversation: "c"}, offer: &offer{}}, true, false},
		"@winnow":            {request{params: &protocol.ConversationRouteParams{AllListed: true}}, false, true},
		"a chore":            {request{params: &protocol.ConversationRouteParams{}, agent: true, offer: &offer{mcp: []int{0}}}, false, false},
		"another extension":  {request{params: &protocol.ConversationRouteParams{}, offer: &offer{mcp: []int{0}}}, false, true},
		"asks for a summary": {request{params: &protocol.ConversationRouteParams{}, messages: []protocol.MessageDigest{user(text(summarize + " so far"))}, offer: &offer{mcp: []int{0}}}, false, false},
	} {
		if got := tt.q.isTask(tt.own); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}

// applied returns the messages after edits, as the extension applies them.
func applied(t *testing.T, messages []protocol.MessageDigest, edits []protocol.MessageEdit) []protocol.MessageDigest {
	t.Helper()
	read := func(raw json.RawMessage) (p protocol.MessagePart) {
		if err := codec.Unmarshal(raw, &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	further := func(all []protocol.EditMessage) (messages []protocol.MessageDigest) {
		for _, m := range all {
			one := protocol.MessageDigest{Role: m.Role}
			for _, raw := range m.Parts {
				one.Parts = append(one.Parts, read(raw))
			}
			messages = append(messages, one)
		}
		return messages
	}
	var next []protocol.MessageDigest
	for i, m := range messages {
		var edit protocol.MessageEdit
		if at := slices.IndexFunc(edits, func(e protocol.MessageEdit) bool { return e.Message == i }); at >= 0 {
			edit = edits[at]
		}
		if edit.Parts != nil {
			m.Parts = nil
			for _, p := range edit.Parts {
				if p.Part == nil {
					m.Parts = append(m.Parts, messages[i].Parts[p.Keep])
				} else {
					m.Parts = append(m.Parts, read(p.Part))
				}
			}
		}
		next = append(next, further(edit.Before)...)
		if !edit.Drop {
			next = append(next, m)
		}
		next = append(next, further(edit.After)...)
	}
	return next
}

// TestEdits: the model reads what it wrote and read, whatever VS Code has made of
// it.
func TestEdits(t *testing.T) {
	t.Parallel()
	answers := []protocol.CallAnswer{{Call: "h1", Text: "Attached: sum"}}
	round := func(parts ...protocol.MessagePart) protocol.InternalRound {
		r := protocol.InternalRound{Answers: answers}
		for _, p := range parts {
			r.Parts = append(r.Parts, codec.Marshal(p))
		}
		return r
	}
	question, load := user(text("add 4 and 5")), call("h1", "mcp_load")
	loaded := result("h1", "Attached: sum")
	said := round(text("Let me look. "), load)
	long := strings.Repeat("line of a file\n", 100)
	var repeats chats.Repeats
	repeats.Note(long)
	named := repeats.Note(long)
	for name, tt := range map[string]struct {
		edit     editor
		messages []protocol.MessageDigest
		want     []protocol.MessageDigest
	}{
		"a round goes back before its message, each with its own words": {
			editor{internal: []protocol.InternalRounds{{Message: 1, Rounds: []protocol.InternalRound{said}}}},
			[]protocol.MessageDigest{question, model(text("Let me look. Found it."), call("c1", "mcp_sum")), result("c1", "9")},
			[]protocol.MessageDigest{question, model(text("Let me look. "), load), loaded, model(text("Found it."), call("c1", "mcp_sum")), result("c1", "9")},
		},
		"words that VS Code changed are not said twice": {
			editor{internal: []protocol.InternalRounds{{Message: 1, Rounds: []protocol.InternalRound{said}}}},
			[]protocol.MessageDigest{question, model(text("Shortened."), call("c1", "mcp_sum"))},
			[]protocol.MessageDigest{question, model(load), loaded, model(text("Shortened."), call("c1", "mcp_sum"))},
		},
		"thinking stays in its own round": {
			editor{internal: []protocol.InternalRounds{{Message: 1, Rounds: []protocol.InternalRound{round(thinking("hm"), load)}}}},
			[]protocol.MessageDigest{question, model(thinking("hm"), thinking("now"), call("c1", "mcp_sum"))},
			[]protocol.MessageDigest{question, model(thinking("hm"), load), loaded, model(thinking("now"), call("c1", "mcp_sum"))},
		},
		"a load beside a real call goes back into that message, with its result": {
			editor{internal: []protocol.InternalRounds{{Message: 1, Calls: []json.RawMessage{codec.Marshal(load)}, Answers: answers}}},
			[]protocol.MessageDigest{question, model(call("c1", "read_file")), result("c1", "x")},
			[]protocol.MessageDigest{question, model(call("c1", "read_file"), load), loaded, result("c1", "x")},
		},
		"groups that the model never saw leave no trace": {
			editor{dropGroups: true},
			[]protocol.MessageDigest{
				question, model(text(""), call("w1", "activate_web")), result("w1", "Tools activated: mcp_web_click"),
				model(text("So."), call("w2", "activate_more"), call("c1", "read_file")), result("w2", ""), result("c1", "x"),
			},
			[]protocol.MessageDigest{question, model(text("So."), call("c1", "read_file")), result("c1", "x")},
		},
		"a result that stands above is named": {
			editor{repeats: true},
			[]protocol.MessageDigest{question, model(call("c1", "read_file")), result("c1", long), model(call("c2", "read_file")), result("c2", long), model(call("c3", "x")), result("c3", long+".")},
			[]protocol.MessageDigest{question, model(call("c1", "read_file")), result("c1", long), model(call("c2", "read_file")), result("c2", named), model(call("c3", "x")), result("c3", long+".")},
		},
		"another result of a call's id is sent": {
			editor{repeats: true},
			[]protocol.MessageDigest{question, result("c1", long), result("c2", long), result("c2", "else"), result("c1", long)},
			[]protocol.MessageDigest{question, result("c1", long), result("c2", named), result("c2", "else"), result("c1", named)},
		},
		"one that was cut away above is sent": {
			editor{repeats: true},
			[]protocol.MessageDigest{question, model(call("c2", "read_file")), result("c2", long)},
			[]protocol.MessageDigest{question, model(call("c2", "read_file")), result("c2", long)},
		},
		"groups that it saw stay": {editor{}, activation, activation},
		"calls of tools that are not offered are written as mcp_call": {
			editor{byCall: func(tool string) bool { return tool == "mcp_x" }},
			[]protocol.MessageDigest{model(protocol.MessagePart{Kind: protocol.PartCall, CallID: "c1", Name: "mcp_x", Input: []byte(`{"a":1}`)}, call("c2", "read_file"))},
			[]protocol.MessageDigest{model(protocol.MessagePart{Kind: protocol.PartCall, CallID: "c1", Name: "mcp_call", Input: []byte(`{"name":"mcp_x","arguments":{"a":1}}`)}, call("c2", "read_file"))},
		},
	} {
		tt.edit.messages = tt.messages
		if got := applied(t, tt.messages, tt.edit.edits()); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, tt.want)
		}
	}
}

// TestSections: each section is what the model gets, counted with the tokenizer,
// after the messages were edited; images and other data alone are estimated.
func TestSections(t *testing.T) {
	t.Parallel()
	count := tokens.New().Count
	prompt, asked := "You are an agent.\nBe brief, \"please\".", "Was steht in Gärten über 蚕豆?"
	input := `{"path":"garden.md"}`
	picture := protocol.MessagePart{Kind: protocol.PartData, MimeType: "image/png", Length: 500_000}
	sheet := protocol.MessagePart{Kind: protocol.PartData, MimeType: "application/pdf", Length: 9}
	read := protocol.MessagePart{Kind: protocol.PartCall, CallID: "c1", Name: "read", Input: json.RawMessage(input)}
	beans := protocol.MessagePart{Kind: protocol.PartResult, CallID: "c1", Content: []protocol.MessagePart{text("beans")}}
	messages := []protocol.MessageDigest{
		{Role: "system", Parts: []protocol.MessagePart{text(prompt)}}, user(text(asked), picture, sheet),
		{Role: "assistant", Parts: []protocol.MessagePart{text("I look. Then I read."), read}}, user(beans),
	}
	edits := []protocol.MessageEdit{
		{
			Message: 2, Before: []protocol.EditMessage{
				{Role: "assistant", Parts: []json.RawMessage{codec.Marshal(text("I look."))}},
				{Role: "user", Parts: []json.RawMessage{codec.Marshal(beans)}},
			},
			Parts: []protocol.EditPart{{Part: codec.Marshal(text(" Then I read."))}, {Keep: 1}},
		},
		{Message: 3, Drop: true},
	}
	tools := []protocol.RequestTool{{Name: "read"}, {Name: "mcp_x", Description: "1234"}, {Name: "grep", Description: "Finds.", InputSchema: json.RawMessage(`{ "type": "object" }`)}}
	got := newMeter(count).sections(messages, edits, tools, []int{0, 2})
	want := []protocol.UsageSection{
		{Name: "System prompt", Tokens: 4 + count(prompt)},
		{Name: "VS Code's tools", Tokens: count(`{"name":"read","description":"","inputSchema":{"type":"object","properties":{}}}`) +
			count(`{"name":"grep","description":"Finds.","inputSchema":{"type":"object"}}`)},
		{Name: "Conversation", Tokens: 4 + count(asked) + 1000 + 3 + 4 + count("I look.") + 4 + count("beans") +
			4 + count(" Then I read.") + count("read") + count(input)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestMeter_knows: a text is counted once, one that is very long by its beginning.
func TestMeter_knows(t *testing.T) {
	t.Parallel()
	counted := 0
	m := newMeter(func(text string) int { counted += len(text); return len(text) })
	long := strings.Repeat("x", 3*maxCounted)
	for range 2 {
		if n := m.text(long) + m.text("word"); n != len(long)+4 {
			t.Errorf("counted %d, want %d", n, len(long)+4)
		}
	}
	if counted != maxCounted+4 {
		t.Errorf("%d bytes were counted, want %d", counted, maxCounted+4)
	}
}

// TestMended: a schema loses what VS Code's agent takes away for every model, and
// nothing else.
func TestMended(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		``:                  ``,
		`{"type":"object"}`: `{"type":"object","properties":{}}`,
		`{"type":"string"}`: `{"type":"object","properties":{}}`,
		`true`:              `{"type":"object","properties":{}}`,
		`{"properties":{}}`: `{"type":"object","properties":{}}`,
		`{ "type": "object", "oneOf": [{"required":["a"]}], "properties": {"a": {"oneOf": []}}, "not": {} }`: `{"type":"object","properties":{"a": {"oneOf": []}}}`,
		`{ "type": "object", "properties": {"not": 1} }`:                                                     `{ "type": "object", "properties": {"not": 1} }`,
	} {
		if got := string(mended(json.RawMessage(given))); got != want {
			t.Errorf("of %s got %s, want %s", given, got, want)
		}
	}
}
