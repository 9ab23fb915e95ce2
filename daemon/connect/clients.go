package connect

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Scope says whose file an entry goes to.
type Scope string

// The values of [Scope].
const (
	// User is the person's own file, for every folder.
	User Scope = "user"
	// Project is a file of the workspace folder, which may be committed.
	Project Scope = "project"
)

// Places are where files of clients are looked for.
type Places struct {
	// Home is the user's home folder, Config the folder for the configuration
	// of programs, Workspace the folder that is worked on.
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

// storage is the folder in which VS Code keeps what extensions write.
func (p Places) storage(elem ...string) string {
	return filepath.Join(append([]string{p.Config, "Code", "User", "globalStorage"}, elem...)...)
}

// Client is a program that starts MCP servers.
type Client struct {
	// ID names it in commands, Name to people.
	ID, Name string
	// Next is what its user does so that it sees the entry.
	Next string
	// root is the key below which its file has the servers.
	root string
	// toml: the file is TOML and not JSON.
	toml bool
	// folder is what the client replaces by the open folder in an entry. here: it
	// starts the servers of its file in the folder of the file, so that an entry
	// need not name one.
	folder string
	here   bool
	// entry is what starts a program.
	entry func(command string, args []string) any
	// files are its files by scope. nil: it takes an entry only by hand, in the
	// dialog that byHand names.
	files  func(p Places) map[Scope]string
	byHand string
	// own are the client's own command lines that add an entry of the user's and
	// take it out, where it has no file of the user's that can be written; nil for
	// none.
	own func(entry string) (add, remove []string)
}

// The shapes of an entry.
type (
	plainEntry struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	typedEntry struct {
		Type string `json:"type"`
		plainEntry
	}
	// dotMCPEntry: Claude Code hides the tools of a server behind its own search,
	// but for one that is always loaded.
	dotMCPEntry struct {
		typedEntry
		AlwaysLoad bool `json:"alwaysLoad"`
	}
	// copilotEntry: as much for Copilot.
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

// dotMCP is the file of a project that Claude Code and VS Code share. Both take
// the same entry: each starts the server in the folder of the file, and what
// either replaces in it the other refuses.
func dotMCP(p Places) map[Scope]string {
	return map[Scope]string{Project: filepath.Join(p.Workspace, ".mcp.json")}
}

// editorFolder is what Cursor replaces by the folder that is open.
const editorFolder = "${workspaceFolder}"

// restart is what to do with a client that reads its file at its start.
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

// Find returns the client of an id.
func Find(id string) (Client, bool) {
	all := Clients()
	i := slices.IndexFunc(all, func(c Client) bool { return c.ID == id })
	if i < 0 {
		return Client{}, false
	}
	return all[i], true
}

// dotFiles are a client's files below the home folder and below the workspace.
func dotFiles(elem ...string) func(Places) map[Scope]string {
	return func(p Places) map[Scope]string {
		below := filepath.Join(elem...)
		return map[Scope]string{User: filepath.Join(p.Home, below), Project: filepath.Join(p.Workspace, below)}
	}
}

// rooFiles are those of Roo Code and what has grown out of it.
func rooFiles(extension, folder string) func(Places) map[Scope]string {
	return func(p Places) map[Scope]string {
		return map[Scope]string{
			User: p.storage(extension, "settings", "mcp_settings.json"), Project: filepath.Join(p.Workspace, folder, "mcp.json"),
		}
	}
}

// firstThere returns the first path at which there is a file, or else the first
// of all.
func firstThere(paths ...string) string {
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return paths[0]
}

// ByHand is the dialog into which the entry is pasted, of a client that has no
// file; else it is empty.
func (c Client) ByHand() string { return c.byHand }

// Files returns the client's files by scope.
func (c Client) Files(p Places) map[Scope]string {
	if c.files == nil {
		return nil
	}
	return c.files(p)
}

// Where says where the entry goes, in words for people: the path of the project's
// file from the workspace folder, or else that of the user's, or a dialog.
func (c Client) Where() string {
	files := c.Files(Places{Home: "~", Config: "~", Environ: func(string) (string, bool) { return "", false }})
	return filepath.ToSlash(cmp.Or(files[Project], files[User], c.byHand))
}

// Text is the entry to paste: with the keys around it, for the client's file.
// folder is the workspace's path; empty leaves it to where the client starts
// its servers, or to what it replaces by the open folder. A client that always
// starts them in the folder of its file is told none.
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

// args are those of the program.
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

// table is the entry in TOML.
func (c Client) table(label, program string, args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = tomlString(arg)
	}
	return "[" + c.root + "." + label + "]\ncommand = " + tomlString(program) + "\nargs = [" + strings.Join(quoted, ", ") + "]\n"
}

// tomlString quotes a text for TOML, whose basic strings are those of JSON but
// for \/ and DEL, and need no escape for < and >.
func tomlString(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return `""`
	}
	return strings.ReplaceAll(string(quoted), "\x7f", `\u007f`)
}
