package gateway

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/connect"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/protocol"
)

// processSnippets returns the configurations by which other clients start `winnowd mcp`.
//
// program is the path of winnowd. folder is the workspace folder; if empty, the client's
// own folder is used.
func processSnippets(label, program, folder string) []protocol.GatewaySnippet {
	var snippets []protocol.GatewaySnippet
	for _, c := range connect.Clients() {
		snippet := protocol.GatewaySnippet{Client: c.Name, By: protocol.ByProcess, File: c.Where(), Text: c.Text(label, program, folder)}
		if c.ID == "claude" {
			// The client's own command also writes the user's file, which Claude Code
			// changes while it runs.
			command := []string{"claude", "mcp", "add", label, "--", program, "mcp"}
			if folder != "" {
				command = append(command, "-workspace", folder)
			}
			snippet.File, snippet.Text = "", commandLine(command)
		}
		snippets = append(snippets, snippet)
	}
	return snippets
}

// addressSnippets returns the configurations by which other clients reach the gateway at
// its address.
func addressSnippets(label, url, token string) []protocol.GatewaySnippet {
	authorization := "Bearer " + token
	file := func(client, file, root string, more map[string]any) protocol.GatewaySnippet {
		entry := map[string]any{"url": url, "headers": map[string]string{"Authorization": authorization}}
		return fileSnippet(protocol.ByAddress, client, file, root, label, merged(entry, more))
	}
	command := []string{"claude", "mcp", "add", "--transport", "http", label, url, "--header", "Authorization: " + authorization}
	return []protocol.GatewaySnippet{
		file("Cursor", ".cursor/mcp.json", "mcpServers", nil),
		{Client: "Claude Code", By: protocol.ByAddress, Text: commandLine(command)},
		file("Zoo Code", ".zoo/mcp.json", "mcpServers", map[string]any{"type": "streamable-http"}),
		file("Cline", "cline_mcp_settings.json", "mcpServers", map[string]any{"type": "streamableHttp"}),
		file("VS Code", ".vscode/mcp.json", "servers", map[string]any{"type": "http"}),
	}
}

func merged(entry, more map[string]any) map[string]any {
	for key, value := range more {
		entry[key] = value
	}
	return entry
}

// fileSnippet returns the text for a file that lists servers under root.
func fileSnippet(by protocol.GatewayWay, client, file, root, label string, entry map[string]any) protocol.GatewaySnippet {
	// Maps of strings always encode.
	text, err := json.MarshalIndent(map[string]any{root: map[string]any{label: entry}}, "", "  ")
	if err != nil {
		text = nil
	}
	return protocol.GatewaySnippet{Client: client, By: by, File: file, Text: string(text)}
}

// commandLine quotes a command for the usual shell of this machine.
func commandLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellWord(word)
	}
	return strings.Join(quoted, " ")
}

// plainLetters are the characters without a special meaning in any shell.
const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-"

func shellWord(word string) string {
	switch {
	case strings.Trim(word, plainLetters) == "":
		return word
	case runtime.GOOS == "windows": // no path contains a quotation mark there
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// pathIn returns the path of a snippet's file if it exists in the workspace's folder, else
// "". It also returns "" for a file below ~, the home folder, and for a bare name, whose
// place only the client knows.
func pathIn(folder, file string) string {
	if folder == "" || !strings.Contains(file, "/") || strings.HasPrefix(file, "~") {
		return ""
	}
	path := filepath.Join(folder, filepath.FromSlash(file))
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// languageOf returns the language of a snippet: shellscript for a command.
func languageOf(file string) string {
	switch {
	case file == "":
		return "shellscript"
	case strings.HasSuffix(file, ".toml"):
		return "toml"
	default:
		return "json"
	}
}

// firstFolder returns the path of the workspace's first folder, or "".
func firstFolder(folders []workspace.Folder) string {
	if len(folders) == 0 {
		return ""
	}
	return folders[0].Path
}

// freeLabel returns a name that is not taken by a server of the user.
func freeLabel(taken func(name string) bool) string {
	free := label
	for n := 2; ; n++ {
		if !taken(free) {
			return free
		}
		free = fmt.Sprintf("%s%d", label, n)
	}
}
