package connect

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Scope says who owns the file of an entry.
type Scope string

// The values of [Scope].
const (
	// User is the user's own file, for every folder.
	User Scope = "user"
	// Project is a file of the workspace folder, which may be committed.
	Project Scope = "project"
)

// Places says where clients' files are looked for.
type Places struct {
	// Home is the user's home folder, Config the folder for programs' configurations, and
	// Workspace the workspace folder.
	Home, Config, Workspace string
	// Environ looks up the environment.
	Environ func(name string) (string, bool)
}

// env returns a variable's value, or else a path.
func (p Places) env(name string, otherwise ...string) string {
	if value, ok := p.Environ(name); ok && value != "" {
		return value
	}
	return filepath.Join(otherwise...)
}

// storage returns a path in VS Code's folder for extensions' data.
func (p Places) storage(elem ...string) string {
	return filepath.Join(append([]string{p.Config, "Code", "User", "globalStorage"}, elem...)...)
}

// Client is a program that starts MCP servers.
type Client struct {
	// ID is for commands, Name for display.
	ID, Name string
	// Next is the user's step that makes the client use the entry.
	Next string
	// root is the key of the servers in its file.
	root string
	// toml reports that the file is TOML, not JSON.
	toml bool
	// folder is the variable that the client replaces by the open folder. here reports
	// that it starts the servers in the folder of its file, so an entry need not name
	// one.
	folder string
	here   bool
	// entry returns the entry that starts a program.
	entry func(command string, args []string) any
	// files returns its files by scope. If nil, the entry can only be pasted in the
	// dialog that byHand names.
	files  func(p Places) map[Scope]string
	byHand string
	// own returns the client's own command lines that add and remove a user entry, if it
	// has no user file that can be written; nil otherwise.
	own func(entry string) (add, remove []string)
}

// Formats of an entry.
type (
	plainEntry struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	typedEntry struct {
		Type string `json:"type"`
		plainEntry
	}
	// dotMCPEntry: Claude Code hides a server's tools behind its own search, unless the
	// server is always loaded.
	dotMCPEntry struct {
		typedEntry
		AlwaysLoad bool `json:"alwaysLoad"`
	}
	// copilotEntry is the same for Copilot.
	copilotEntry struct {
		typedEntry
		Tools      []string `json:"tools"`
		DeferTools string   `json:"deferTools"`
	}
	opencodeEntry struct {
		Type    string   `json:"type"`
		Command []string `json:"command"`
		Enabled bool     `json:"enabled"`
	}
)

func plain(command string, args []string) any { return plainEntry{command, args} }

func alwaysLoaded(command string, args []string) any {
	return dotMCPEntry{typedEntry{"stdio", plainEntry{command, args}}, true}
}

func opencode(command string, args []string) any {
	return opencodeEntry{"local", append([]string{command}, args...), true}
}

func copilot(command string, args []string) any {
	return copilotEntry{typedEntry{"local", plainEntry{command, args}}, []string{"*"}, "never"}
}

// dotMCP is the project file that Claude Code and VS Code share, with the same entry.
// Both start the server in the folder of the file, and each refuses the other's
// variables.
func dotMCP(p Places) map[Scope]string {
	return map[Scope]string{Project: filepath.Join(p.Workspace, ".mcp.json")}
}

// editorFolder is Cursor's variable for the open folder.
const editorFolder = "${workspaceFolder}"

// restart is the next step for a client that reads its file at its start.
const restart = "Start it anew."

// Clients lists the clients that can be connected, by name.
func Clients() []Client {
	return []Client{
		{
			// Claude Code rewrites the user's own file while it runs.
			ID: "claude", Name: "Claude Code", Next: "Start it anew, and allow the server when it asks.", root: "mcpServers",
			here: true, entry: alwaysLoaded, files: dotMCP,
			own: func(entry string) (add, remove []string) {
				return []string{"claude", "mcp", "add-json", "--scope", "user", label, entry}, []string{"claude", "mcp", "remove", "--scope", "user", label}
			},
		},
		{
			ID: "cline", Name: "Cline", Next: "It sees the entry at once.", root: "mcpServers", entry: plain,
			files: func(p Places) map[Scope]string {
				own := p.env("CLINE_MCP_SETTINGS_PATH", p.Home, ".cline", "data", "settings", "cline_mcp_settings.json")
				inCode := p.storage("saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json")
				return map[Scope]string{User: firstThere(own, inCode)}
			},
		},
		{
			ID: "codex", Name: "Codex", Next: restart, root: "mcp_servers", toml: true, entry: plain,
			files: func(p Places) map[Scope]string {
				return map[Scope]string{User: filepath.Join(p.env("CODEX_HOME", p.Home, ".codex"), "config.toml")}
			},
		},
		{
			ID: "copilot", Name: "GitHub Copilot CLI", Next: restart, root: "mcpServers", entry: copilot,
			files: func(p Places) map[Scope]string {
				return map[Scope]string{
					User:    filepath.Join(p.env("COPILOT_HOME", p.Home, ".copilot"), "mcp-config.json"),
					Project: filepath.Join(p.Workspace, ".github", "mcp.json"),
				}
			},
		},
		{
			ID: "cursor", Name: "Cursor", Next: "Switch the server on in its settings, under MCP.", root: "mcpServers",
			folder: editorFolder, entry: plain, files: dotFiles(".cursor", "mcp.json"),
		},
		{
			ID: "gemini", Name: "Gemini CLI", Next: restart, root: "mcpServers", entry: plain, files: dotFiles(".gemini", "settings.json"),
		},
		{
			ID: "jetbrains", Name: "JetBrains AI Assistant", root: "mcpServers", entry: plain,
			byHand: "Settings, Tools, AI Assistant, Model Context Protocol",
		},
		{
			ID: "junie", Name: "JetBrains Junie", Next: restart, root: "mcpServers", entry: plain, files: dotFiles(".junie", "mcp", "mcp.json"),
		},
		{
			ID: "opencode", Name: "opencode", Next: restart, root: "mcp", entry: opencode,
			files: func(p Places) map[Scope]string {
				// It follows XDG on every system.
				dir := filepath.Join(p.env("XDG_CONFIG_HOME", p.Home, ".config"), "opencode")
				return map[Scope]string{
					User:    firstThere(filepath.Join(dir, "opencode.json"), filepath.Join(dir, "opencode.jsonc")),
					Project: firstThere(filepath.Join(p.Workspace, "opencode.json"), filepath.Join(p.Workspace, "opencode.jsonc")),
				}
			},
		},
		{
			ID: "qwen", Name: "Qwen Code", Next: restart, root: "mcpServers", entry: plain, files: dotFiles(".qwen", "settings.json"),
		},
		{ID: "roo", Name: "Roo Code", Next: "It sees the entry at once.", root: "mcpServers", entry: plain, files: rooFiles("rooveterinaryinc.roo-cline", ".roo")},
		{
			ID: "vscode", Name: "VS Code", Next: "Start the server from the file, or from MCP: List Servers.", root: "mcpServers",
			here: true, entry: alwaysLoaded, files: dotMCP,
		},
		{
			ID: "zed", Name: "Zed", Next: "It sees the entry at once.", root: "context_servers", entry: plain,
			files: func(p Places) map[Scope]string {
				return map[Scope]string{
					User:    filepath.Join(p.env("XDG_CONFIG_HOME", p.Home, ".config"), "zed", "settings.json"),
					Project: filepath.Join(p.Workspace, ".zed", "settings.json"),
				}
			},
		},
		{ID: "zoo", Name: "Zoo Code", Next: "It sees the entry at once.", root: "mcpServers", entry: plain, files: rooFiles("zoocodeorganization.zoo-code", ".zoo")},
	}
}

// Find returns a client by ID.
func Find(id string) (Client, bool) {
	all := Clients()
	i := slices.IndexFunc(all, func(c Client) bool { return c.ID == id })
	if i < 0 {
		return Client{}, false
	}
	return all[i], true
}

// dotFiles returns a client's files below the home folder and the workspace.
func dotFiles(elem ...string) func(Places) map[Scope]string {
	return func(p Places) map[Scope]string {
		below := filepath.Join(elem...)
		return map[Scope]string{User: filepath.Join(p.Home, below), Project: filepath.Join(p.Workspace, below)}
	}
}

// rooFiles returns the files of Roo Code and its forks.
func rooFiles(extension, folder string) func(Places) map[Scope]string {
	return func(p Places) map[Scope]string {
		return map[Scope]string{
			User: p.storage(extension, "settings", "mcp_settings.json"), Project: filepath.Join(p.Workspace, folder, "mcp.json"),
		}
	}
}

// firstThere returns the first path with an existing file, or else the first path.
func firstThere(paths ...string) string {
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return paths[0]
}

// ByHand returns the dialog in which to paste the entry for a client without a file, or
// "".
func (c Client) ByHand() string { return c.byHand }

// Files returns the client's files by scope.
func (c Client) Files(p Places) map[Scope]string {
	if c.files == nil {
		return nil
	}
	return c.files(p)
}

// Where describes the place of the entry: the path of the project's file from the
// workspace folder, or else that of the user's, or a dialog.
func (c Client) Where() string {
	files := c.Files(Places{Home: "~", Config: "~", Environ: func(string) (string, bool) { return "", false }})
	return filepath.ToSlash(cmp.Or(files[Project], files[User], c.byHand))
}

// Text returns the entry to paste, with the keys around it. folder is the workspace's
// path; "" leaves it to where the client starts its servers, or to its variable for the
// open folder. It is omitted for a client that starts servers in the folder of its file.
func (c Client) Text(label, program, folder string) string {
	if c.toml {
		return c.table(label, program, c.args(folder))
	}
	// Maps of strings and the shapes above always encode.
	text, err := json.MarshalIndent(map[string]any{c.root: map[string]any{label: c.entry(program, c.args(folder))}}, "", "  ")
	if err != nil {
		return ""
	}
	return string(text)
}

// args returns the arguments of the program.
func (c Client) args(folder string) []string {
	switch {
	case c.here:
		folder = ""
	case c.folder != "":
		folder = c.folder
	}
	return mcpArgs(folder)
}

func mcpArgs(folder string) []string {
	if folder == "" {
		return []string{"mcp"}
	}
	return []string{"mcp", "-workspace", folder}
}

// callsUnasked is the line of the TOML entry by which Codex (0.169) does not ask before a
// call of mcp_call. It does not know which tool that calls. Winnow, which does, asks.
const callsUnasked = "tools.mcp_call.approval_mode = \"approve\"\n"

// table returns the entry in TOML.
func (c Client) table(label, program string, args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = tomlString(arg)
	}
	return "[" + c.root + "." + label + "]\ncommand = " + tomlString(program) + "\nargs = [" + strings.Join(quoted, ", ") + "]\n" + callsUnasked
}

// tomlString quotes a text for TOML, whose basic strings are JSON's except for \/ and
// DEL, and need no escape for < and >.
func tomlString(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return `""`
	}
	return strings.ReplaceAll(string(quoted), "\x7f", `\u007f`)
}
