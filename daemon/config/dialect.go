package config

import (
	"cmp"
	"time"
)

// Dialect is the format of one client's file: root key, type names, variables and
// peculiarities.
type Dialect string

// The values of [Dialect].
const (
	// Winnow is Winnow's own winnow.json.
	Winnow Dialect = "winnow"
	// Claude is Claude Code's .mcp.json and ~/.claude.json.
	Claude Dialect = "claude"
	// Roo is the mcp.json and mcp_settings.json of Roo Code.
	Roo Dialect = "roo"
	// Zoo is the same for Zoo Code, a fork of Roo Code.
	Zoo Dialect = "zoo"
	// Cursor is Cursor's mcp.json.
	Cursor Dialect = "cursor"
	// Copilot is the mcp-config.json of GitHub Copilot CLI, and .github/mcp.json.
	Copilot Dialect = "copilot"
	// Cline is Cline's cline_mcp_settings.json.
	Cline Dialect = "cline"
	// Kilo is the mcp.json and mcp_settings.json of Kilo Code, a fork of Roo Code.
	Kilo Dialect = "kilo"
	// KiloConfig is the configuration of Kilo Code based on opencode, kilo.json or
	// kilo.jsonc.
	KiloConfig Dialect = "kiloconfig"
	// Codex is the config.toml of Codex.
	Codex Dialect = "codex"
	// VSCode is VS Code's .vscode/mcp.json.
	VSCode Dialect = "vscode"
	// Lock is winnow.lock.json, which defines no servers. It is watched with the files
	// that do, and parsed elsewhere.
	Lock Dialect = "lock"
	// RooModes is the .roomodes and custom_modes.yaml of Roo Code and Zoo Code.
	RooModes Dialect = "roomodes"
	// Followed is a file that is only watched for changes.
	Followed Dialect = "followed"
)

// traits holds the properties of a dialect.
type traits struct {
	// client is the display name of the program that owns the file.
	client string
	// serversKey is the root key that holds the entries.
	serversKey string
	// own is set for Winnow's file, in which every unknown key is reported.
	own bool
	// strict is set when the client itself refuses comments and trailing commas.
	strict bool
	// urlNeedsType is set when the client refuses a url without a type.
	urlNeedsType bool
	// localType is set when the client's word for stdio is local.
	localType bool
	// nested is set when connection keys may be below transport.
	nested bool
	// opencode is set when entries are in opencode's format.
	opencode bool
	// allowKey is the client's name of [AllowKey], if it differs.
	allowKey string
	// toml is set when the file is TOML, with entries in Codex's format.
	toml bool
	// toolsKey is the key of the client's own list of offered tools, if any.
	toolsKey string
	// milliseconds is set when the client counts timeouts in milliseconds.
	milliseconds bool
	// inputs is set when the file may have an inputs section.
	inputs bool
	// variables are the variables that the client replaces in an entry.
	variables variableRules
}

// traits returns the traits of d.
func (d Dialect) traits() traits {
	switch d {
	case Winnow:
		return traits{client: "Winnow", serversKey: "servers", own: true, inputs: true, variables: variableRules{
			env: true, bare: true, workspace: true, home: true, input: true,
		}}
	case VSCode:
		return traits{client: "VS Code", serversKey: "servers", inputs: true, variables: variableRules{
			env: true, workspace: true, home: true, input: true, emptyEnv: true,
		}}
	case Claude:
		return traits{client: "Claude Code", serversKey: "mcpServers", milliseconds: true, variables: variableRules{bare: true}}
	case Cursor:
		return traits{client: "Cursor", serversKey: "mcpServers", variables: variableRules{env: true, workspace: true, home: true}}
	case Roo:
		return traits{client: "Roo Code", serversKey: "mcpServers", strict: true, urlNeedsType: true, variables: variableRules{
			env: true, rooWorkspace: true, slashes: true,
		}}
	case Zoo:
		t := Roo.traits()
		t.client = "Zoo Code"
		return t
	case Kilo:
		t := Roo.traits()
		t.client = "Kilo Code"
		return t
	case KiloConfig:
		return traits{client: "Kilo Code", serversKey: "mcp", opencode: true, milliseconds: true, variables: variableRules{
			env: true, emptyEnv: true, braces: true,
		}}
	case Codex:
		return traits{client: "Codex", serversKey: "mcp_servers", toml: true, variables: variableRules{env: true}}
	case Copilot:
		return traits{
			client: "GitHub Copilot CLI", serversKey: "mcpServers", localType: true, toolsKey: "tools",
			variables: variableRules{bare: true},
		}
	case Cline:
		return traits{client: "Cline", serversKey: "mcpServers", nested: true, allowKey: "autoApprove"}
	default:
		return traits{client: "Roo Code"}
	}
}

// Client returns the display name of the program that owns a file of the dialect.
func (d Dialect) Client() string { return d.traits().client }

// TakesRules reports whether a file of the dialect may contain Winnow's rules. Otherwise
// its client would refuse the file, or it is not JSON.
func (d Dialect) TakesRules() bool { return !d.traits().opencode && !d.traits().toml }

// ServersKey returns the root key of the servers in a file of the dialect.
func (d Dialect) ServersKey() string { return d.traits().serversKey }

// AllowKey is the key of the tools that run without confirmation in a server's entry.
const AllowKey = "alwaysAllow"

// AllowKey returns the name of [AllowKey] in files of the dialect.
func (d Dialect) AllowKey() string { return cmp.Or(d.traits().allowKey, AllowKey) }

// TimeoutUnit returns the unit of a timeout of the dialect. Claude Code and Kilo Code use
// milliseconds. Claude Code ignores values below 1000, so a smaller number counts as
// seconds.
func (d Dialect) TimeoutUnit(timeout float64) time.Duration {
	if d.traits().milliseconds && timeout >= 1000 {
		return time.Millisecond
	}
	return time.Second
}
