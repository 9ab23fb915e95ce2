package display

import "strings"

// maxPrefix is the longest prefix that VS Code puts before the names of a
// server's MCP tools, the last underscore included: mcp_github_create_issue.
const maxPrefix = 18

// NamePrefix returns the prefix that VS Code gave to the tools of one server,
// which only takes the place of what a person looks for where the server stands
// beside the tool. Names are those of all its tools: the more, the surer. It is
// empty where they have none.
func NamePrefix(names []string) string {
	if len(names) == 0 || !strings.HasPrefix(names[0], "mcp_") {
		return ""
	}
	shared := names[0][:min(maxPrefix, len(names[0]))]
	for _, name := range names[1:] {
		for !strings.HasPrefix(name, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	end := strings.LastIndexByte(shared, '_') + 1
	if end <= len("mcp_") {
		return ""
	}
	for _, name := range names {
		if len(name) == end {
			return ""
		}
	}
	return shared[:end]
}
