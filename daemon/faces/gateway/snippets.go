package gateway

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/protocol"
)

// editorFolder is what Cursor and VS Code replace by the folder that is open.
const editorFolder = "${workspaceFolder}"

// processSnippets are the configurations by which other clients start
// `winnowd mcp`, to paste.
//
// program is the path of winnowd; folder is that of the workspace, empty where
// none is open: the client's own is meant then.
func processSnippets(label, program, folder string) []protocol.GatewaySnippet {
	args := func(folder string) []string {
		if folder == "" {
			return []string{"mcp"}
		}
		return []string{"mcp", "-workspace", folder}
	}
	file := func(client, file, root, folder string, more map[string]any) protocol.GatewaySnippet {
		entry := map[string]any{"command": program, "args": args(folder)}
		return fileSnippet(protocol.ByProcess, client, file, root, label, merged(entry, more))
	}
	command := append([]string{"claude", "mcp", "add", label, "--", program}, args(folder)...)
	return []protocol.GatewaySnippet{
		file("Cursor", ".cursor/mcp.json", "mcpServers", editorFolder, nil),
		{Client: "Claude Code", By: protocol.ByProcess, Text: commandLine(command)},
		file("Zoo Code", ".roo/mcp.json", "mcpServers", folder, nil),
		file("Cline", "cline_mcp_settings.json", "mcpServers", folder, nil),
		file("VS Code", ".vscode/mcp.json", "servers", editorFolder, map[string]any{"type": "stdio"}),
	}
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
		file("Zoo Code", ".roo/mcp.json", "mcpServers", map[string]any{"type": "streamable-http"}),
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

// program is the path of winnowd, for who starts one more: the one that is
// given, or else that of this process.
func program(given string) string {
	if given != "" {
		return given
	}
	path, err := os.Executable()
	if err != nil {
		return "winnowd" // as it is found in the PATH
	}
	return path
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
func freeLabel(c *workspace.Configuration) string {
	free := label
	for n := 2; ; n++ {
		if _, taken := c.Server(free); !taken {
			return free
		}
		free = fmt.Sprintf("%s%d", label, n)
	}
}
