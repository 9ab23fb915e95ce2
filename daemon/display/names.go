package display

import "strings"

// longestPrefix is how long VS Code's prefix of a tool's name is at most, the
// last underscore included: mcp_github_ of mcp_github_create_issue. Where the
// server stands beside the tool, the prefix only takes the place of what a
// person looks for.
const longestPrefix = 18

// prefixOf finds the prefix that VS Code gave to the tools of one server, by the
// names of all its tools; the more, the surer. It is empty where they have none.
func prefixOf(names []string) string {
	if len(names) == 0 || !strings.HasPrefix(names[0], "mcp_") {
		return ""
	}
	shared := names[0][:min(len(names[0]), longestPrefix)]
	shortest := len(names[0])
	for _, name := range names {
		for !strings.HasPrefix(name, shared) {
			shared = shared[:len(shared)-1]
		}
		shortest = min(shortest, len(name))
	}
	end := strings.LastIndex(shared, "_") + 1
	if end <= len("mcp_") || shortest <= end {
		return ""
	}
	return shared[:end]
}
