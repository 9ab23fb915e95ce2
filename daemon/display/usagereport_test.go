package display

import (
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

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
		"| 2 | 2 | 100 |", "VS Code by itself, with these servers in its own file and what it hides behind groups, sends 4,500 tokens. All of the tools cost 9,000 tokens.")
	// The shares are those of the panel, and what is too much is no negative space.
	if got := usageRows(u, nil)[0].Share; got != "93%" {
		t.Errorf("the panel says %s of the tools, want 93%%", got)
	}
	free, u.ContextTokens = -300, 1200
	has(t, UsageReport(u, task), "| Beyond the window | 300 |  |")
	task.Shadow = true
	has(t, UsageReport(u, task), "**Would attach 32 of 200 tools", shadowMode, "Its requests would carry")
}
