package protocol

import "encoding/json"

// Version is the protocol version that this daemon speaks. A daemon refuses an
// initialize that names another one.
const Version = 1

// InitializeParams opens a session. It must be the first message.
type InitializeParams struct {
	Client ClientInfo `json:"client"`
	// ProtocolVersion must equal [Version].
	ProtocolVersion  int               `json:"protocolVersion"`
	WorkspaceFolders []WorkspaceFolder `json:"workspaceFolders,omitzero"`
	// StoragePath is an absolute path to a folder of this workspace's own, for
	// caches and consents. Empty keeps everything in memory.
	StoragePath string `json:"storagePath,omitzero"`
	// Trusted says whether the user trusts the workspace. Nothing that a
	// workspace file defines starts before.
	Trusted bool `json:"trusted"`
	// Settings holds the settings that differ from their defaults, named as in
	// [Settings]. Unknown keys are reported by window/showMessage.
	Settings json.RawMessage `json:"settings,omitzero"`
	// WorkspaceSettings is as in [DidChangeSettingsParams].
	WorkspaceSettings json.RawMessage `json:"workspaceSettings,omitzero"`
	// WorkspaceSettingsFile is as in [DidChangeSettingsParams].
	WorkspaceSettingsFile string `json:"workspaceSettingsFile,omitzero"`
	// SettingsFile is the path of the file that Settings is the text of, named
	// with a line in messages about them. Empty: they come from elsewhere.
	SettingsFile string             `json:"settingsFile,omitzero"`
	Capabilities ClientCapabilities `json:"capabilities,omitzero"`
	// ToolNames is how a tool's name is shown to models: `short` (default) uses
	// the tool's own name where it is unique, `qualified` always uses
	// mcp__server__tool.
	ToolNames ToolNames `json:"toolNames,omitzero"`
	// BuiltInNames are the host's own tools: no tool of a server is told to a model
	// under one of these names, nor under one that differs in case, or in - and _.
	BuiltInNames []string `json:"builtInNames,omitzero"`
	// Mode is the slug of the mode to start in; empty is no mode.
	Mode string `json:"mode,omitzero"`
	// UserConfigDir is the folder of the user's own winnow.json. Default: the
	// operating system's configuration folder, in winnow/.
	UserConfigDir string `json:"userConfigDir,omitzero"`
	// HomeDir is where other clients keep their user files. Default: the
	// user's home folder.
	HomeDir string `json:"homeDir,omitzero"`
	// GlobalStorageDirs are globalStorage folders of the host's extensions, in
	// which Roo Code and Zoo Code keep their global files.
	GlobalStorageDirs []string `json:"globalStorageDirs,omitzero"`
	// ChatsDir is the folder in which the host keeps the chats of this workspace,
	// a file each, named by the id that requests have as Conversation. Tasks of
	// chats that are gone from it are not listed; and the chat whose file is the
	// first to be written in a session is the one that is open.
	ChatsDir string  `json:"chatsDir,omitzero"`
	Network  Network `json:"network,omitzero"`
	// HTTP is VS Code's settings under `http`, for a host that has those instead
	// of Network, which wins.
	HTTP HTTPSettings `json:"http,omitzero"`
}

// ClientInfo names the host.
type ClientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version,omitzero"`
}

// ClientCapabilities names what the host can do for the daemon. Nothing waits
// for a host that cannot.
type ClientCapabilities struct {
	// Prompt: the host answers input/request.
	Prompt bool `json:"prompt,omitzero"`
	// Secrets: the host answers secret/get and secret/set.
	Secrets bool `json:"secrets,omitzero"`
	// HostTools: the host hands over tools by catalog/setHostTools.
	HostTools bool `json:"hostTools,omitzero"`
	// OpenExternal: the host answers window/openExternal.
	OpenExternal bool `json:"openExternal,omitzero"`
	// ExternalURL: the host answers window/externalUrl.
	ExternalURL bool `json:"externalUrl,omitzero"`
	// ClaimConfirm: the host answers claim/confirm.
	ClaimConfirm bool `json:"claimConfirm,omitzero"`
	// Faults: the host shows the faults of configuration files at their lines, as
	// long as they are there. It gets no message of them.
	Faults bool `json:"faults,omitzero"`
}

// Network is the host's proxy and certificate configuration, for HTTP servers.
type Network struct {
	// Proxy is the URL of a proxy; empty uses the environment's.
	Proxy string `json:"proxy,omitzero"`
	// NoProxy lists hosts that are reached directly, comma separated; "*" reaches
	// all so. Empty uses the environment's.
	NoProxy string `json:"noProxy,omitzero"`
	// ProxyAuthorization is the Proxy-Authorization header that a proxy is sent
	// for https addresses.
	ProxyAuthorization string `json:"proxyAuthorization,omitzero"`
	// InsecureSkipVerify accepts any certificate.
	InsecureSkipVerify bool `json:"insecureSkipVerify,omitzero"`
	// ExtraCACerts are paths of PEM files with additional authorities.
	ExtraCACerts []string `json:"extraCACerts,omitzero"`
}

// HTTPSettings are those of VS Code's settings under `http` that say how the
// network is reached. Others are ignored.
type HTTPSettings struct {
	Proxy        string   `json:"proxy,omitzero"`
	ProxySupport string   `json:"proxySupport,omitzero"`
	NoProxy      []string `json:"noProxy,omitzero"`
	// ProxyStrictSSL is true unless it is said.
	ProxyStrictSSL *bool `json:"proxyStrictSSL,omitzero"`
	// ProxyAuthorization is a header's value; null, the default, sends none.
	ProxyAuthorization *string `json:"proxyAuthorization,omitzero"`
}

// ToolNames is how tools are named for a model.
type ToolNames string

// The values of [ToolNames].
const (
	// ToolNamesShort uses the tool's own name where it is unique.
	ToolNamesShort ToolNames = "short"
	// ToolNamesQualified always uses mcp__server__tool.
	ToolNamesQualified ToolNames = "qualified"
)

// WorkspaceFolder is one root of the workspace.
type WorkspaceFolder struct {
	// URI is a file: URI. Folders of other schemes are ignored with a warning.
	URI  string `json:"uri"`
	Name string `json:"name,omitzero"`
}

// InitializeResult answers initialize.
type InitializeResult struct {
	Server          ServerIdentity     `json:"server"`
	ProtocolVersion int                `json:"protocolVersion"`
	Capabilities    ServerCapabilities `json:"capabilities"`
}

// ServerIdentity names the daemon.
type ServerIdentity struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// ServerCapabilities names the optional parts that this daemon has.
type ServerCapabilities struct {
	Strategies []Strategy   `json:"strategies"`
	Rankers    []RankerKind `json:"rankers"`
}

// Empty is the params or the result of a method that has none.
type Empty struct{}

// CancelParams asks to end a request: $/cancelRequest.
type CancelParams struct {
	// ID is the id of the request, a number or a string.
	ID json.RawMessage `json:"id"`
}

// ProgressParams reports on a long operation: $/progress. The token is
// `server:` and a name while a server starts, or the token of a call.
type ProgressParams struct {
	Token string        `json:"token"`
	Value ProgressValue `json:"value"`
}

// ProgressValue is one step of a progress report, as LSP's WorkDoneProgress.
type ProgressValue struct {
	Kind    ProgressKind `json:"kind"`
	Title   string       `json:"title,omitzero"`
	Message string       `json:"message,omitzero"`
	// Percentage is between 0 and 100; absent where the total is unknown.
	Percentage *float64 `json:"percentage,omitzero"`
}

// ProgressKind is the stage of a progress report.
type ProgressKind string

// The values of [ProgressKind].
const (
	ProgressBegin  ProgressKind = "begin"
	ProgressReport ProgressKind = "report"
	ProgressEnd    ProgressKind = "end"
)

// DidChangeSettingsParams carries settings: settings/didChange. A key that is
// left out keeps its value; null returns it to its default.
type DidChangeSettingsParams struct {
	Settings json.RawMessage `json:"settings"`
	// WorkspaceSettings is all that the workspace says, over the user's own
	// settings: of those that a workspace must not loosen the stricter counts. With
	// it Settings is all that the user says, too, and a key that is left out is at
	// its default.
	WorkspaceSettings json.RawMessage `json:"workspaceSettings,omitzero"`
	// WorkspaceSettingsFile is the path of the file that the editor keeps the
	// workspace's settings in, named with a line in messages about them.
	WorkspaceSettingsFile string `json:"workspaceSettingsFile,omitzero"`
}

// DidChangeFoldersParams carries the new roots: workspace/didChangeFolders.
type DidChangeFoldersParams struct {
	WorkspaceFolders []WorkspaceFolder `json:"workspaceFolders"`
}

// LogLevel is how much the daemon writes to its standard error.
type LogLevel string

// The values of [LogLevel].
const (
	LogDebug   LogLevel = "debug"
	LogInfo    LogLevel = "info"
	LogWarning LogLevel = "warn"
	LogError   LogLevel = "error"
)

// SetLogLevelParams changes what the daemon logs from now on:
// logging/setLevel. At its start that is up to its flag -log.
type SetLogLevelParams struct {
	Level LogLevel `json:"level"`
}
