package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// clientKnowledge is what the daemon alone knows: what VS Code's agent writes into
// its prompts, how names of tools are made, what stands for groups of tools, and
// what a tool costs.
var clientKnowledge = regexp.MustCompile(
	`activate_|Tools activated|userRequest|user_query|modeInstructions|reminderInstructions|conversation-summary|` +
		`Summarize the conversation|environment_info|VSCODE_|you are using|__vscode-|was previously shown|["'` + "`" + `]mcp_|mcp__`)

// TestExtensionDecidesNothing: the extension shows VS Code's requests to the daemon
// and does what that says. What it knew of prompts, names and groups beside the
// daemon once drifted into bugs.
func TestExtensionDecidesNothing(t *testing.T) {
	if !clientKnowledge.MatchString(`name.startsWith("mcp_")`) {
		t.Fatal("a name of a tool is not found")
	}
	for file := range tsImports(t) {
		if !strings.HasPrefix(file, "src/") || strings.HasSuffix(file, ".test.ts") || strings.HasSuffix(file, ".gen.ts") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, "extension", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		if found := clientKnowledge.FindString(string(text)); found != "" {
			t.Errorf("extension/%s knows %q, which is for daemon/engine/chats or daemon/engine/vscode to know", file, found)
		}
	}
}
