package display

import "testing"

// VS Code's prefix is found, and nothing of the tools' own names.
func TestPrefixOf(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"mcp_memory-server_create_entities", "mcp_memory-server_read_graph"}, "mcp_memory-server_"},
		{[]string{"mcp_everything_re_echo"}, "mcp_everything_re_"},
		{[]string{"mcp_thinking_sequentialthinking"}, "mcp_thinking_"},
		{[]string{"mcp_playwright_browser_click", "mcp_playwright_browser_close"}, "mcp_playwright_"},
		{[]string{"mcp_git_status", "mcp_git_status_all"}, "mcp_git_"},
		{[]string{"create_issue", "create_label"}, ""},
		{[]string{"mcp_a", "mcp_b"}, ""},
		{nil, ""},
	} {
		if got := prefixOf(c.names); got != c.want {
			t.Errorf("prefixOf(%q) = %q, want %q", c.names, got, c.want)
		}
	}
}
