package router

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// marshal returns v as JSON.
func marshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// rawTool returns an MCP Tool object without parameters.
func rawTool(name, description string) json.RawMessage {
	return marshal(map[string]any{
		"name": name, "description": description,
		"inputSchema": map[string]any{"type": "object", "properties": map[string]any{}},
	})
}

// serverOf returns a server with tools of these names and no description.
func serverOf(name string, tools ...string) ServerInput {
	s := ServerInput{Name: name}
	for _, tool := range tools {
		s.Tools = append(s.Tools, rawTool(tool, ""))
	}
	return s
}

// wordFor returns a word that nothing else has: no stemmer changes it and no
// splitter takes it apart.
func wordFor(i int) string {
	const letters = "bcdfghjklm"
	return "zq" + string([]byte{letters[i/100%10], letters[i/10%10], letters[i%10]})
}

// numbered returns a server of n tools, `<name>_<word>` with the words from
// wordFor(first) on, so that a message can ask for exactly those it wants.
// All of them share the word "common".
func numbered(name string, first, n int) ServerInput {
	s := ServerInput{Name: name}
	for i := first; i < first+n; i++ {
		s.Tools = append(s.Tools, rawTool(name+"_"+wordFor(i), "A common thing."))
	}
	return s
}

// words returns a message that asks for the tools first to first+n-1 of
// numbered servers.
func words(first, n int) string {
	message := ""
	for i := first; i < first+n; i++ {
		message += wordFor(i) + " "
	}
	return message
}

// toolNames returns the names of the tools first to first+n-1 of a numbered
// server.
func toolNames(server string, first, n int) []string {
	var names []string
	for i := first; i < first+n; i++ {
		names = append(names, server+"_"+wordFor(i))
	}
	return names
}

// bytesCount takes every byte for a token, so that a sum can be done by hand.
func bytesCount(text string) int { return len(text) }

func catalogOf(servers ...ServerInput) *Catalog {
	return BuildCatalog(CatalogInput{Version: 1, Servers: servers, Count: bytesCount}, nil)
}

// settingsOf returns the defaults with the ranker whose matches are exactly
// the documents that share a word.
func settingsOf(edits ...func(*protocol.Settings)) *protocol.Settings {
	s := protocol.DefaultSettings()
	s.Ranker = protocol.RankerBM25
	for _, edit := range edits {
		edit(&s)
	}
	return &s
}

func viewOf(c *Catalog, edits ...func(*protocol.Settings)) *View {
	return NewView(c, settingsOf(edits...), nil)
}

func topKOf(k int) func(*protocol.Settings) {
	return func(s *protocol.Settings) { s.Strategy, s.TopK = protocol.StrategyTopK, k }
}

func maxTools(n int) func(*protocol.Settings) {
	return func(s *protocol.Settings) { s.MaxTools = n }
}

func searchTurns(n int) func(*protocol.Settings) {
	return func(s *protocol.Settings) { s.SearchTurns = n }
}

// attachedNames returns the names of a task's tools in their order.
func attachedNames(t *Task) []string {
	names := make([]string, len(t.Attached))
	for i := range t.Attached {
		names[i] = t.Attached[i].Name
	}
	return names
}

// attachReasons counts the attached tools by reason.
func attachReasons(t *Task) map[protocol.AttachReason]int {
	counts := map[protocol.AttachReason]int{}
	for i := range t.Attached {
		counts[t.Attached[i].Reason]++
	}
	return counts
}

func wantNames(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// wantSame fails unless got and want are the same JSON, byte for byte.
func wantSame(t *testing.T, what string, got, want any) {
	t.Helper()
	g, w := string(marshal(got)), string(marshal(want))
	if g == w {
		return
	}
	at := 0
	for at < min(len(g), len(w)) && g[at] == w[at] {
		at++
	}
	from := max(0, at-100)
	t.Errorf("%s differs at byte %d:\n got …%.300s\nwant …%.300s", what, at, g[from:], w[from:])
}

// ref returns a tool's identity, for a call such as ref("a", "b").
func ref(server, tool string) ToolID { return ToolID{Server: server, Tool: tool} }

// refs returns references to tools of one server.
func refs(server string, tools ...string) []protocol.ToolRef {
	var list []protocol.ToolRef
	for _, tool := range tools {
		list = append(list, protocol.ToolRef{Server: server, Tool: tool})
	}
	return list
}

// ruleOf words the rule that refused; empty when it was none.
func ruleOf(r *Refusal) string {
	if r.Cause == nil {
		return ""
	}
	return reasons.Text(*r.Cause)
}
