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

// processSnippets are the configurations by which other clients start
// `winnowd mcp`, to paste.
//
// program is the path of winnowd; folder is that of the workspace, empty where
// none is open: the client's own is meant then.
func processSnippets(label, program, folder string) []protocol.GatewaySnippet {
	var snippets []protocol.GatewaySnippet
	for _, c := range connect.Clients() {
		snippet := protocol.GatewaySnippet{Client: c.Name, By: protocol.ByProcess, File: c.Where(), Text: c.Text(label, program, folder)}
		if c.ID == "claude" {
			// Its own command also writes the user's file, which Claude Code
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

// addressSnippets are the configurations by which other clients reach the
// gateway at its address, to paste.
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

// fileSnippet is the text for a file that names servers under root.
func fileSnippet(by protocol.GatewayWay, client, file, root, label string, entry map[string]any) protocol.GatewaySnippet {
	// Maps of strings always encode.
	text, err := json.MarshalIndent(map[string]any{root: map[string]any{label: entry}}, "", "  ")
	if err != nil {
		text = nil
	}
	return protocol.GatewaySnippet{Client: client, By: by, File: file, Text: string(text)}
}

// commandLine writes a command for the shell of this machine's users.
func commandLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellWord(word)
	}
	return strings.Join(quoted, " ")
}

// plainLetters are those that no shell reads otherwise.
const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-"

func shellWord(word string) string {
	switch {
	case strings.Trim(word, plainLetters) == "":
		return word
	case runtime.GOOS == "windows": // where no path holds a quotation mark
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// pathIn is the path of a snippet's file, where it is one of the workspace's and
// there: one with a folder belongs to the workspace, or to the home folder; a
// bare name is in a place that its client knows.
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

// languageOf is the language of a snippet for a file; a command has none.
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

// firstFolder is the path of the workspace's first folder; empty where none is
// open.
func firstFolder(folders []workspace.Folder) string {
	if len(folders) == 0 {
		return ""
	}
	return folders[0].Path
}

// freeLabel is a name that no server of the user's has.
func freeLabel(taken func(name string) bool) string {
	free := label
	for n := 2; ; n++ {
		if !taken(free) {
			return free
		}
		free = fmt.Sprintf("%s%d", label, n)
	}
}
