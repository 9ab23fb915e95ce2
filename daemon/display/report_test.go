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
		"**Off**, switched off in its server's entry: `drop`\n\n", "`/why` and a tool's name")
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
		"**Off**, its server has changed it, and you have not approved that yet: `fetch`", "**Off**, switched off in its server's entry: `drop`")
	has(t, WhyReport(&protocol.TaskExplainResult{}), "**0 of 0 tools attached**.\n\n`/why`")
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

func TestUsageReport(t *testing.T) {
	free := 500
	u := &protocol.TaskUsageResult{Total: 1500, ContextTokens: 2000, Free: &free, Sections: []protocol.UsageSection{
		{Name: "MCP tools", Tokens: 1400, Children: []protocol.UsageSection{{Name: "<b>\nc", Tokens: 1400}}},
		{Name: "Conversation", Tokens: 100},
	}, Turns: []protocol.UsageTurn{{Turn: 1, Added: 30, Tokens: 1300}, {Turn: 2, Added: 2, Tokens: 100}}}
	task := &protocol.TaskSummary{Client: true}
	task.Counts.Attached, task.Counts.Scoped = 32, 200
	task.Tokens.Attached, task.Tokens.Client, task.Tokens.All, task.Tokens.ClientSaved = 1400, 4500, 9000, 3100
	has(t, UsageReport(u, task), "**Attached 32 of 200 tools, 3.1k tokens fewer than VS Code by itself.**\n\n",
		"| MCP tools | 1,400 | 93% |\n| &nbsp;&nbsp;&nbsp;\\<b\\> c | 1,400 | 93% |", "| **Total** | **1,500** |  |\n| Free | 500 |  |",
		"| 2 | 2 | 100 |", "VS Code by itself, with what it hides behind groups, sends 4,500 tokens. All of the tools cost 9,000 tokens.")
	// The shares are those of the panel, and what is too much is no negative space.
	if got := usageRows(u, nil)[0].Share; got != "93%" {
		t.Errorf("the panel says %s of the tools, want 93%%", got)
	}
	free, u.ContextTokens = -300, 1200
	has(t, UsageReport(u, task), "| Beyond the window | 300 |  |")
	task.Shadow = true
	has(t, UsageReport(u, task), "**Would attach 32 of 200 tools", shadowMode, "Its requests would carry")
}

func TestLoadReport(t *testing.T) {
	r := &protocol.TaskLoadResult{}
	has(t, LoadReport(r, "a *b*"), `No tool fits “a \*b\*”.`)
	has(t, LoadReport(r, strings.Repeat("é", 1<<20)), "No tool fits “"+strings.Repeat("é", maxRepeated)+"…”.")
	r.Loaded = []protocol.LoadedTool{{Name: "one", Server: "s"}, {Name: "two", Server: "s", Already: true}}
	r.Attachment.Counts.Attached, r.Attachment.Counts.Scoped = 5, 1000
	has(t, LoadReport(r, ""), "- `one` (s)\n- `two` (s), was attached before\n\n5 of 1,000 tools attached.")
}

func TestModesReport(t *testing.T) {
	has(t, ModesReport(&protocol.ModeListResult{}), "There are no modes.", ".vscode/winnow.json")
	none, some := []string{}, []string{"a_b", "c"}
	has(t, ModesReport(&protocol.ModeListResult{Current: "calm", Modes: []protocol.ModeInfo{
		{Slug: "calm", Name: "Calm", AllowedMcpServers: &some},
		{Slug: "none", Name: "None", AllowedMcpServers: &none},
		{Slug: "most", Name: "Most", BlockedMcpServers: []string{"mail"}},
		{Slug: "open", Name: "Open"},
	}}), "The mode is `calm`.", "| `calm` (current) | Calm | a\\_b, c |", "| `none` | None | none |", "| `most` | Most | all but mail |", "| `open` | Open | all |")
}

func TestQuestion(t *testing.T) {
	if q := Question(&protocol.TaskDescribeCallResult{Tool: "read"}); q != nil {
		t.Errorf("got %+v for a call that nobody is asked about", q)
	}
	r := &protocol.TaskDescribeCallResult{Confirm: true, Server: "mail", Tool: "se`nd", Arguments: []byte(`{"to":"` + "```" + `"}`)}
	q := Question(r)
	has(t, q.Markdown, "**Run `se nd` of the MCP server `mail`?** It may change something", "````json\n{\n  \"to\": \"```\"\n}\n````")
	has(t, q.Title+"\n"+q.Detail, "Run se`nd of the MCP server mail?\nIt may change something: its server does not say that it only reads.\n\n{\n")
	r.ReadOnly, r.Arguments = true, []byte(`{"a":"`+strings.Repeat("é", 4000)+`"}`)
	q = Question(r)
	has(t, q.Markdown, "that it only reads. Once you have let it run", "é\n… (4,013 characters)\n```")
	if !strings.HasSuffix(q.Detail, "é…") || len([]rune(q.Detail)) > maxInDialog+200 {
		t.Errorf("got a detail of %d bytes that ends in %q, want its beginning", len(q.Detail), q.Detail[len(q.Detail)-10:])
	}
	r.Arguments = nil
	has(t, Question(r).Detail, "{}")
}
