package vscode_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/protocol"
)

const listing = "vscode:listing"

// handOver hands over a listing of MCP's tools and one of VS Code's own.
func handOver(h *enginetest.Host, n int) []protocol.RequestTool {
	return handOverSaying(h, n, "")
}

// handOverSaying is handOver of tools whose descriptions say more.
func handOverSaying(h *enginetest.Host, n int, more string) []protocol.RequestTool {
	tools := []protocol.RequestTool{{Name: "read_file", Description: "Reads a file."}}
	listed := []protocol.HostTool{{Name: "read_file", Description: "Reads a file."}}
	for i := range n {
		t := protocol.RequestTool{
			Name: fmt.Sprintf("mcp_notes_tool_%d", i), Description: fmt.Sprintf("Reads note %d.", i) + more, InputSchema: json.RawMessage(`{"type":"object"}`),
		}
		tools = append(tools, t)
		listed = append(listed, protocol.HostTool{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema, Tags: []string{"mcp"}})
	}
	enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{
		Source: listing, Tools: listed, WithOwn: true, Listing: &protocol.Listing{Servers: []string{"Notes"}},
	})
	return tools
}

func asked(words string) []protocol.MessageDigest {
	return []protocol.MessageDigest{{Role: "user", Parts: []protocol.MessagePart{{Kind: protocol.PartText, Text: words}}}}
}

// TestRoute_sources: a request that offers all that VS Code lists has the listing's
// catalogue, and one that offers less has its own; a listing that was never handed
// over is refused, as tools are that cannot be read.
func TestRoute_sources(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, map[string]any{"threshold": 1, "initialK": 2})
	p := protocol.ConversationRouteParams{Conversation: "chat", Initiator: "github.copilot-chat", Source: listing, Messages: asked("read note 3"), Tools: json.RawMessage(`[]`)}
	if e := enginetest.Refused(h, h.ConversationRoute, p); e.Data.Kind != protocol.KindUnknownSource {
		t.Errorf("got %v, want kind %s", e, protocol.KindUnknownSource)
	}
	tools := append(handOver(h, 10), protocol.RequestTool{Name: protocol.ProxyTool})
	p.Tools = json.RawMessage(`[[7]]`)
	if e := enginetest.Refused(h, h.ConversationRoute, p); e.Data.Kind != protocol.KindInvalidParams {
		t.Errorf("got %v for tools that are none, want kind %s", e, protocol.KindInvalidParams)
	}
	p.Tools = codec.Marshal(tools)
	all := enginetest.Call(h, h.ConversationRoute, p)
	if all.Pass || !slices.Equal(all.Keep, []int{0}) || len(all.Attachment.Tools) != 2 || all.Attachment.Tools[0].Server != "Notes" {
		t.Errorf("got %+v, want the host's own tool and two of Notes", all)
	}
	p.Conversation = "other"
	for range 2 {
		p.Tools = codec.Marshal(tools[:8])
		p.Messages = asked("read note 3")
		some := enginetest.Call(h, h.ConversationRoute, p)
		if some.Attachment.Counts.Scoped != 7 {
			t.Errorf("got %d tools in scope, want the 7 that are offered", some.Attachment.Counts.Scoped)
		}
	}
	sources := map[string]bool{}
	list, err := h.Engine.Inspector.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range list.Tasks {
		sources[task.Source] = true
	}
	if len(sources) != 2 || !sources[listing] {
		t.Errorf("got the sources %v, want the listing's and another", sources)
	}
}

// TestRoute_toolsID: a list of tools is sent once, and named from then on; one that
// is not known is refused, and its tools are to be sent.
func TestRoute_toolsID(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, map[string]any{"threshold": 1, "initialK": 2})
	tools := codec.Marshal(handOver(h, 10))
	route := func(id string, tools json.RawMessage) protocol.ConversationRouteParams {
		return protocol.ConversationRouteParams{
			Conversation: "chat", Initiator: "github.copilot-chat", Source: listing, Messages: asked("read note 3"), ToolsID: id, Tools: tools,
		}
	}
	e := enginetest.Refused(h, h.ConversationRoute, route("0", nil))
	if e.Data.Kind != protocol.KindUnknownSource || e.Data.Next != "Send them with the request." {
		t.Errorf("got %+v, want kind %s and what to send", e.Data, protocol.KindUnknownSource)
	}
	for i := range 9 {
		enginetest.Call(h, h.ConversationRoute, route(fmt.Sprint(i), tools))
		got := enginetest.Call(h, h.ConversationRoute, route(fmt.Sprint(i), nil))
		if !slices.Equal(got.Keep, []int{0}) || len(got.Attachment.Tools) != 2 {
			t.Errorf("got %+v, want the host's own tool and two of Notes", got)
		}
	}
	enginetest.Call(h, h.ConversationRoute, route("1", nil))
	if e := enginetest.Refused(h, h.ConversationRoute, route("0", nil)); e.Data.Kind != protocol.KindUnknownSource {
		t.Errorf("got %v for the ninth list, want kind %s", e, protocol.KindUnknownSource)
	}
	handOver(h, 5) // what is listed decides anew about the tools of a list that is known
	if got := enginetest.Call(h, h.ConversationRoute, route("1", nil)); got.Attachment.Counts.Scoped != 10 {
		t.Errorf("got %d tools in scope, want the ten that are offered", got.Attachment.Counts.Scoped)
	}
}

// TestRoute_mended: a schema that VS Code's agent mends where it offers a tool is no
// change of its server's, and the model gets it mended.
func TestRoute_mended(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, map[string]any{"threshold": 100})
	tools := handOver(h, 10)
	const mended = `{"type":"object","properties":{}}`
	tools[1].InputSchema = json.RawMessage(mended)
	p := protocol.ConversationRouteParams{Conversation: "chat", Initiator: "github.copilot-chat", Source: listing, Messages: asked("read note 3"), Tools: codec.Marshal(tools)}
	got := enginetest.Call(h, h.ConversationRoute, p).Attachment
	mendedIn := func(a protocol.Attachment) bool {
		at := slices.Index(enginetest.Names(a), tools[1].Name)
		return at >= 0 && string(a.Tools[at].InputSchema) == mended
	}
	if got.Counts.Scoped != 10 || !mendedIn(got) {
		t.Errorf("got %q of %d, want all ten, and %s as it is offered", enginetest.Names(got), got.Counts.Scoped, tools[1].Name)
	}
	// So it does what a call attaches, in the further rounds of the request.
	h.ChangeSettings(`{"threshold":1,"initialK":1}`)
	p.Conversation, p.Messages = "another", asked("read note 7")
	first := enginetest.Call(h, h.ConversationRoute, p)
	loaded := enginetest.Call(h, h.ConversationCall, protocol.ConversationCallParams{
		Task: first.Task, Name: "mcp_load", Arguments: json.RawMessage(`{"names":["` + tools[1].Name + `"]}`),
	})
	if mendedIn(first.Attachment) || loaded.Attachment == nil || !mendedIn(*loaded.Attachment) {
		t.Errorf("got %+v after a load, want %s as it is offered", loaded.Attachment, tools[1].Name)
	}
}

// TestRoute_mendedHidden: a tool that a group hides, which VS Code's agent has not
// offered, is attached with the schema that it would have.
func TestRoute_mendedHidden(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, map[string]any{"threshold": 100})
	handOver(h, 2)
	messages := append(asked("read note 1"),
		protocol.MessageDigest{Role: "assistant", Parts: []protocol.MessagePart{{Kind: protocol.PartCall, CallID: "w1", Name: "activate_rest"}}},
		protocol.MessageDigest{Role: "user", Parts: []protocol.MessagePart{{Kind: protocol.PartResult, CallID: "w1", Content: []protocol.MessagePart{
			{Kind: protocol.PartText, Text: "Tools activated: mcp_notes_tool_1"},
		}}}},
	)
	a := enginetest.Call(h, h.ConversationRoute, protocol.ConversationRouteParams{
		Conversation: "chat", Initiator: "github.copilot-chat", Source: listing, Messages: messages,
		Tools: codec.Marshal([]protocol.RequestTool{{Name: "activate_rest"}, {Name: protocol.ProxyTool}}),
	}).Attachment
	if len(a.Tools) != 1 || string(a.Tools[0].InputSchema) != `{"type":"object","properties":{}}` {
		t.Errorf("got %+v, want the hidden tool with properties", a.Tools)
	}
}

// TestRoute_repeats: a result that stands above is named, unless nothing of results
// is to be changed.
func TestRoute_repeats(t *testing.T) {
	t.Parallel()
	page := protocol.MessagePart{Kind: protocol.PartText, Text: strings.Repeat("line of a page. ", 100)}
	for settings, want := range map[string]int{`{}`: 1, `{"results":{"maxChars":0}}`: 0, `{"shadow":true}`: 0} {
		h := enginetest.Start(t, enginetest.Options{}, nil)
		h.ChangeSettings(settings)
		p := protocol.ConversationRouteParams{Conversation: "chat", Initiator: "github.copilot-chat", Source: listing, Messages: asked("read note 3"), Tools: codec.Marshal(handOver(h, 10))}
		for _, id := range []string{"a", "b"} {
			p.Messages = append(p.Messages,
				protocol.MessageDigest{Role: "assistant", Parts: []protocol.MessagePart{{Kind: protocol.PartCall, CallID: id, Name: "read_file"}}},
				protocol.MessageDigest{Role: "user", Parts: []protocol.MessagePart{{Kind: protocol.PartResult, CallID: id, Content: []protocol.MessagePart{page}}}})
		}
		got := enginetest.Call(h, h.ConversationRoute, p).Edits
		if len(got) != want || want == 1 && (got[0].Message != 4 || !strings.Contains(string(got[0].Parts[0].Part), "the same result")) {
			t.Errorf("%s: edits %+v", settings, got)
		}
	}
}

// TestRoute_deep: a tool that is nested too deep costs that tool only, as in a
// listing.
func TestRoute_deep(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, map[string]any{"threshold": 1, "initialK": 2})
	tools := handOver(h, 10)
	nested := func(levels int) json.RawMessage {
		return json.RawMessage(`{"type":"object","default":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + "}")
	}
	for name, levels := range map[string]int{"mcp_notes_deep": 1000, "mcp_notes_deepest": 999} {
		tools = append(tools, protocol.RequestTool{Name: name, InputSchema: nested(levels)})
	}
	p := protocol.ConversationRouteParams{Conversation: "chat", Initiator: "github.copilot-chat", Source: listing, Messages: asked("read note 3"), Tools: codec.Marshal(tools)}
	if got := enginetest.Call(h, h.ConversationRoute, p); got.Attachment.Counts.Scoped != 11 {
		t.Errorf("got %d tools in scope, want 11: the twelfth is nested deeper", got.Attachment.Counts.Scoped)
	}
}

// TestRoute_week: the requests of @winnow, which no client would have sent, are in
// no sum of the week; those of routed models all are, also where what VS Code shows
// by itself is not known any more.
func TestRoute_week(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, map[string]any{"threshold": 1, "initialK": 2})
	tools := handOver(h, 10)
	requests := func() int {
		list, err := h.Engine.Inspector.List()
		if err != nil {
			t.Fatal(err)
		}
		return list.Week.Requests
	}
	enginetest.Call(h, h.ConversationRoute, protocol.ConversationRouteParams{
		Conversation: "own", Source: listing, Messages: asked("read note 3"), Tools: codec.Marshal(tools[:1]), AllListed: true,
	})
	if got := requests(); got != 0 {
		t.Errorf("got %d requests after one of @winnow, want none", got)
	}
	after := append(asked("read note 8"),
		protocol.MessageDigest{Role: "assistant", Parts: []protocol.MessagePart{{Kind: protocol.PartCall, CallID: "w1", Name: "activate_rest"}}},
		protocol.MessageDigest{Role: "user", Parts: []protocol.MessagePart{{Kind: protocol.PartResult, CallID: "w1"}}},
	)
	offered := append(slices.Clone(tools), protocol.RequestTool{Name: "activate_rest"}, protocol.RequestTool{Name: protocol.ProxyTool})
	routed := enginetest.Call(h, h.ConversationRoute, protocol.ConversationRouteParams{
		Conversation: "chat", Initiator: "github.copilot-chat", Source: listing, Messages: after, Tools: codec.Marshal(offered),
	})
	if got := requests(); got != 0 {
		t.Errorf("got %d requests before the model has answered any, and want none: it may fail", got)
	}
	for range 2 { // rounds of one request
		enginetest.Call(h, h.ConversationAnswer, protocol.ConversationAnswerParams{Task: routed.Task, Request: routed.Request})
	}
	if got := requests(); got != 1 {
		t.Errorf("got %d requests after one of a chat whose groups were open before the daemon started, want 1", got)
	}
}

// TestRoute_groups: what VS Code hides is opened first, and then offered.
func TestRoute_groups(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{}, map[string]any{"threshold": 1, "initialK": 5})
	tools := handOver(h, 10)
	offered := append(slices.Clone(tools[:4]), protocol.RequestTool{Name: "activate_rest"}, protocol.RequestTool{Name: protocol.ProxyTool})
	p := protocol.ConversationRouteParams{Conversation: "chat", Initiator: "github.copilot-chat", Source: listing, Messages: asked("read note 8"), Tools: codec.Marshal(offered)}
	if got := enginetest.Call(h, h.ConversationRoute, p); !slices.Equal(got.Open, []string{"activate_rest"}) {
		t.Fatalf("got %+v, want the group to be opened", got)
	}
	p.Initiator, p.Conversation = "github.copilot-chat", "chat"
	p.Messages = append(asked("read note 8"),
		protocol.MessageDigest{Role: "assistant", Parts: []protocol.MessagePart{{Kind: protocol.PartCall, CallID: "w1", Name: "activate_rest"}}},
		protocol.MessageDigest{Role: "user", Parts: []protocol.MessagePart{{Kind: protocol.PartResult, CallID: "w1", Content: []protocol.MessagePart{
			{Kind: protocol.PartText, Text: "Tools activated: mcp_notes_tool_7, mcp_notes_tool_8"},
		}}}},
	)
	got := enginetest.Call(h, h.ConversationRoute, p)
	if got.Attachment.Counts.Scoped != 5 || !slices.Contains(enginetest.Names(got.Attachment), "mcp_notes_tool_8") {
		t.Errorf("got %v of %d, want the tools that are shown and those that were opened", enginetest.Names(got.Attachment), got.Attachment.Counts.Scoped)
	}
	if len(got.Edits) != 2 || !got.Edits[0].Drop || !got.Edits[1].Drop {
		t.Errorf("got %+v, want the group's call and result to be dropped", got.Edits)
	}
}

// TestRoute_savedByOlder: a chat that was kept by a version whose extension made the
// digests goes on with its task and its tools.
func TestRoute_savedByOlder(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	h := enginetest.Start(t, enginetest.Options{Storage: storage}, map[string]any{"threshold": 1, "initialK": 2})
	handOver(h, 10)
	// As that version's digests.ts made them.
	old := []protocol.MessageDigest{{Role: "system", Digest: "HC3sP5wS6p8gnOcdJs4J2o"}, {Role: "user", Digest: "Og5Ue6BDXsqQuou3L2HIRa"}}
	first := enginetest.Call(h, h.ConversationRoute, protocol.ConversationRouteParams{
		Conversation: "chat#NHZsWbE8ArB-6d-OZ530YB", Source: listing, Message: "read note 3", Messages: old,
	})
	loaded := enginetest.Call(h, h.ConversationCall, protocol.ConversationCallParams{
		Task: first.Task, Name: "mcp_load", Arguments: json.RawMessage(`{"names":["mcp_notes_tool_7"]}`),
	})
	h.Close()

	h = enginetest.Start(t, enginetest.Options{Storage: storage}, map[string]any{"threshold": 1, "initialK": 2})
	tools := append(handOver(h, 10), protocol.RequestTool{Name: protocol.ProxyTool})
	system := protocol.MessageDigest{Role: "system", Parts: []protocol.MessagePart{{Kind: protocol.PartText, Text: "You are an agent.\n<x>\n"}}}
	done := protocol.MessageDigest{Role: "assistant", Parts: []protocol.MessagePart{{Kind: protocol.PartText, Text: "Done."}}}
	got := enginetest.Call(h, h.ConversationRoute, protocol.ConversationRouteParams{
		Conversation: "chat", Initiator: "github.copilot-chat", Source: listing, Tools: codec.Marshal(tools),
		Messages: slices.Concat([]protocol.MessageDigest{system}, asked("read note 3"), []protocol.MessageDigest{done}, asked("and on")),
	})
	want := enginetest.Names(*loaded.Attachment)
	if names := enginetest.Names(got.Attachment); got.Task != first.Task || len(names) < len(want) || !slices.Equal(names[:len(want)], want) {
		t.Errorf("got the task %s with %v, want %s with %v", got.Task, names, first.Task, want)
	}
}
