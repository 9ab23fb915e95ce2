package display

import "strings"

// longestPrefix is the longest prefix of VS Code's names of tools, with the last
// underscore: mcp_github_ of mcp_github_create_issue. Where the server is shown beside
// the tool, the prefix only takes space.
const longestPrefix = 18

// prefixOf returns the prefix that VS Code gave to the tools of one server, or "", by all
// their names. More names make it more reliable.
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
