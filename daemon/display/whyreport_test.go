package display

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// has checks that a text holds each part, in their order.
func has(t *testing.T, got string, parts ...string) {
	t.Helper()
	rest := got
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Fatalf("want %q (in the order %q) in\n%s", part, parts, got)
		}
		rest = after
	}
}

func fourTools() *protocol.TaskExplainResult {
	return &protocol.TaskExplainResult{Ranker: "auto", Tools: []protocol.ExplainedTool{
		{Server: "mail", Name: "mcp__mail__send", Attached: true, Turn: 1, Reason: protocol.ReasonRanked, Rank: 1, Tokens: 1200, Sentence: "Its name has “send”."},
		{Server: "mail", Name: "pin|ned", Attached: true, Turn: 1, Reason: protocol.ReasonPinned, Tokens: 1},
		{Server: "*web*", Name: "fetch", Rank: 2, Tokens: 30, Cause: &protocol.Cause{Kind: protocol.CauseRank, Key: "initialK"}},
		{Server: "web", Name: "drop", Cause: &protocol.Cause{Kind: protocol.CauseServer, Owner: "web", Key: "disabledTools"}},
	}}
}

// The tools in scope are counted as everywhere else, and each says why it is
// there or not.
func TestWhyReport(t *testing.T) {
	r := fourTools()
	has(t, WhyReport(r),
		"**2 of 3 tools attached**.\n\n- `mcp__mail__send` (mail), 1,200 tokens: Its name has “send”\\.\n- `pin ned` (mail), 1 token\n\n",
		"**Not attached**, the best first. The model can find them, and you can by `/load`.\n\n- `fetch` (\\*web\\*), 30 tokens\n\n",
		"**Off** (1), switched off in its server's entry: `drop`\n\n", "`/why` and a tool's name")
	r.Tools[0].Missed, r.Tools[0].Attached = true, false
	r.Shadow = true
	has(t, WhyReport(r), "**1 of 3 tools would be attached; as you only watch, all are**",
		"**Missed**, called without being attached:\n\n- `mcp__mail__send`", "**Would not be attached**, the best first.\n\n- `fetch`")
}

// What is kept for the cache is in the requests, and not among those in scope.
func TestWhyReport_outOfScope(t *testing.T) {
	r := fourTools()
	r.Tools[1].Cause = &protocol.Cause{Kind: protocol.CauseMode, Owner: "calm", Key: "blockedMcpServers"}
	r.Tools[2].Cause = &protocol.Cause{Kind: protocol.CauseChanged, Owner: "web"}
	has(t, WhyReport(r), "**1 of 1 tool attached**.", "**In the requests, and cannot be called any more**:\n\n- `pin ned`",
		"**Off** (1), its server has changed it, and you have not approved that yet: `fetch`", "**Off** (1), switched off in its server's entry: `drop`")
	has(t, WhyReport(&protocol.TaskExplainResult{}), "**0 of 0 tools attached**.\n\n`/why`")
}

// How many tools a mode takes away is said with the mode's name.
func TestWhyReport_mode(t *testing.T) {
	r := fourTools()
	for _, name := range []string{"one", "two"} {
		r.Tools = append(r.Tools, protocol.ExplainedTool{Server: "web", Name: name, Cause: &protocol.Cause{Kind: protocol.CauseMode, Owner: "calm", Key: "blockedMcpServers"}})
	}
	has(t, WhyReport(r), "**2 of 3 tools attached**.", "**Off** (2), mode “calm” leaves its server out: `one`, `two`")
}

func TestWhyReport_many(t *testing.T) {
	r := &protocol.TaskExplainResult{Tools: make([]protocol.ExplainedTool, 1000)}
	for i := range r.Tools {
		r.Tools[i] = protocol.ExplainedTool{Name: "tool", Server: "s", Attached: i < 45}
	}
	has(t, WhyReport(r), "**45 of 1,000 tools attached**.", "- … and 5 more", "**Not attached**", "- … and 945 more")
}

func TestWhyToolReport(t *testing.T) {
	tool := fourTools().Tools[0]
	tool.Sentence, tool.Verdict, tool.Score = "It fits.", "attached in turn 1", 1.5
	tool.Parts = []protocol.ScorePart{{Name: "words", Value: 1.5, Detail: "a|b"}}
	has(t, WhyToolReport(&tool), "**`mcp__mail__send`** of mail: It fits\\.\n\nattached in turn 1\\.\n\n",
		"| Part of the score | Value | Matched |\n| --- | --: | --- |\n| words | 1.50 | a\\|b |\n\n",
		"Score: 1.50. The tool costs 1,200 tokens in each request.")
}
