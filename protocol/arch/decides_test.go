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

// decisions are what code, comments aside, has that chooses or writes in the daemon's
// place: a name of one of Winnow's tools, a sentence for a model, and a rule by which
// names of tools or groups are told apart.
var decisions = regexp.MustCompile(
	`\bmcp_[a-z]+|\bwinnow_call\b|` +
		`\b(?:text|textResult|LanguageModelTextPart)\((?:[^()\n]*,\s*)?["'` + "`" + `][^"'` + "`" + `$\n]*\w+ \w+|` +
		`role: ["']system["']|["'` + "`" + `](?:- )?You (?:are|see|have) |` +
		`(?i:\b\w*(?:tool|name|group)s?)(?:\?)?\.(?:startsWith|endsWith|includes|match|search)\(["'` + "`" + `/]\^?\w|/\^?\w[^/\n]*/\w*\.test\((?i:\w+\.)*(?i:\w*(?:tool|name|group))\)`)

// comments are the comments of TypeScript.
var comments = regexp.MustCompile(`(?s:/\*.*?\*/)|(?m:(?:^|\s)//.*$)`)

// TestDecisions_samples: each kind of decision is found where somebody writes it, and
// what only shows or passes on is not.
func TestDecisions_samples(t *testing.T) {
	for _, sample := range []string{
		`if (name === "mcp_load") return;`,
		"const advice = `ask for it by mcp_search`;",
		`tools.filter(({ name }) => name !== "winnow_call")`,
		`return [text("The user declined this call.")];`,
		`textResult(callId, "This call was not made.")`,
		`messages.unshift({ role: "system", parts })`,
		`"You are Winnow, an assistant",`,
		`tools.filter((tool) => tool.name.startsWith("activate_"))`,
		`if (groupName.includes("browser")) open.push(groupName);`,
		`const hidden = /^group_/.test(tool.name);`,
	} {
		if !decisions.MatchString(sample) && !clientKnowledge.MatchString(sample) {
			t.Errorf("not found: %s", sample)
		}
	}
	for _, sample := range []string{
		`return [text(PROTOCOL_CALL_DECLINED)];`, `this.#host.report(text(part.text));`, `models.some(({ name }) => name.endsWith(suffix))`,
		`text(` + "`[resource ${uri}]`" + `)`,
	} {
		if found := decisions.FindString(sample); found != "" {
			t.Errorf("%q is found in %s", found, sample)
		}
	}
}

// TestExtensionDecidesNothing: the extension shows VS Code's requests to the daemon
// and does what that says. What it knew of prompts, names and groups beside the
// daemon once drifted into bugs.
func TestExtensionDecidesNothing(t *testing.T) {
	for file := range tsImports(t) {
		if !strings.HasPrefix(file, "src/") || strings.HasSuffix(file, ".test.ts") || strings.HasSuffix(file, ".gen.ts") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, "extension", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		if found := decisions.FindString(comments.ReplaceAllString(string(text), "")); found != "" {
			t.Errorf("extension/%s decides by %q, which is for the daemon: its texts for models are in protocol or daemon/engine", file, found)
		}
		if found := clientKnowledge.FindString(string(text)); found != "" {
			t.Errorf("extension/%s knows %q, which is for daemon/engine/chats or daemon/engine/vscode to know", file, found)
		}
	}
}
