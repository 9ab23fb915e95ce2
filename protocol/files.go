package protocol

import "encoding/json"

// WinnowFile is Winnow's own configuration file: `.vscode/winnow.json` in a
// workspace folder, and `winnow.json` for the user. It is JSON; comments and
// trailing commas are allowed.
//
//	{
//	  "servers": {
//	    "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "${workspaceFolder}"] },
//	    "github": { "onlyAllow": ["create_issue", "search_issues"] }
//	  },
//	  "modes": {
//	    "review": { "allowedMcpServers": ["github"] }
//	  }
//	}
//
// Of the tags in this file, `json` is the key, `limits` the inclusive bounds of
// a number, `types` the JSON types a value of a union may have, and `values`
// the same for the values of a map.
type WinnowFile struct {
	// Address of the JSON schema, for editors that read it from the file.
	// Winnow ignores it.
	Schema string `json:"$schema,omitempty"`
	// MCP servers by name. An entry with `command` or `url` defines a server. An
	// entry with neither adds its policy (`onlyAllow`, `alwaysLoad`, …) to the
	// server of that name that another file defines, for example `.mcp.json`.
	Servers map[string]ServerEntry `json:"servers,omitempty"`
	// Modes by slug. A mode limits which servers a task sees.
	//
	// Example: `"modes": { "review": { "allowedMcpServers": ["github"] } }`
	Modes map[string]ModeEntry `json:"modes,omitempty"`
	// Values that are asked for when a server first needs them, and are written
	// `${input:id}` in the entries of `servers`.
	Inputs []InputEntry `json:"inputs,omitempty"`
	// Providers of models, by name, for `winnowd proxy`, which serves each under
	// `/to/NAME/`. The keys of your clients go there: one that a workspace's file
	// names is served only after you have agreed to its very address, by
	// `-consent URL`.
	//
	// Example: `"endpoints": { "local": { "url": "http://127.0.0.1:11434/v1", "wire": "chat" } }`
	Endpoints map[string]EndpointEntry `json:"endpoints,omitempty"`
	// Settings of Winnow by key, as in an editor's settings without `winnow.` before
	// it. What the editor's own settings say, or the file of `-settings`, comes
	// before your own file, and a workspace's settings before its file. `daemon.path`
	// belongs into the editor's: it counts before any file is read.
	//
	// Example: `{ "threshold": 20, "gateway.confirmWrites": "always" }`
	Settings map[string]json.RawMessage `json:"settings,omitempty"`
}

// EndpointEntry is one entry of `endpoints`.
type EndpointEntry struct {
	// The base address of the provider's API; the rest of a request's path is
	// appended to it.
	URL string `json:"url"`
	// What the provider speaks. Leave it out, and the path of each request says
	// it.
	Wire EndpointWire `json:"wire,omitempty"`
	// More tools that count as tools of MCP servers, by name; `*` stands for any
	// characters. Example: `["jira_*"]`
	IncludeTools []string `json:"includeTools,omitempty"`
	// Tools that are never left out, by name; `*` stands for any characters.
	ExcludeTools []string `json:"excludeTools,omitempty"`
	// Further forms of the names of MCP servers' tools, where a client writes them
	// otherwise than `mcp__server__tool`, `mcp_server_tool` and `server_tool`.
	//
	// Example: `["ext:{server}:{tool}"]`
	ToolNames []string `json:"toolNames,omitempty"`
	// Mark what is not attached for the provider's own tool search
	// (`defer_loading`), and do not leave it out: with `messages` and
	// `responses`, for models that can search for tools.
	DeferTools bool `json:"deferTools,omitempty"`
	// What you pay the provider for a million tokens, in your currency. With it
	// `/winnow/stats` says what each conversation has cost.
	//
	// Example: `{ "input": 3, "cacheRead": 0.3, "cacheWrite": 3.75, "output": 15 }`
	Prices *EndpointPrices `json:"prices,omitempty"`
}

// EndpointPrices are the prices of a million tokens.
type EndpointPrices struct {
	// Input that no cache had.
	Input float64 `json:"input,omitempty"`
	// Input that the provider's cache gave.
	CacheRead float64 `json:"cacheRead,omitempty"`
	// Input that the provider's cache took.
	CacheWrite float64 `json:"cacheWrite,omitempty"`
	// What the model wrote.
	Output float64 `json:"output,omitempty"`
}

// EndpointWire is the format of a model provider's API.
type EndpointWire string

// The values of [EndpointWire].
const (
	// OpenAI's chat completions, which most other providers speak too.
	WireChat EndpointWire = "chat"
	// OpenAI's Responses.
	WireResponses EndpointWire = "responses"
	// Anthropic's messages.
	WireMessages EndpointWire = "messages"
	// Google's generateContent.
	WireGemini EndpointWire = "gemini"
)

// ServerEntry is one entry of `servers`.
//
// `command`, `args`, `cwd`, `env`, `envFile`, `url` and `headers` may hold
// variables: `${workspaceFolder}`, `${workspaceFolder:name}`, `${userHome}`,
// `${env:NAME}`, `${NAME}`, `${NAME:-default}` and `${input:id}`. A variable
// that has no value is left as it is written, and reported.
type ServerEntry struct {
	// How the server is reached. Leave it out, and `command` means `stdio` and
	// `url` means `http`.
	Type ServerType `json:"type,omitempty"`
	// The program to run, for a server on stdio. Example: `"npx"`
	Command string `json:"command,omitempty"`
	// Arguments of the program. Example: `["-y", "@modelcontextprotocol/server-memory"]`
	Args []string `json:"args,omitempty"`
	// The folder the program runs in. A relative path starts at the workspace
	// folder, which is also the default.
	Cwd string `json:"cwd,omitempty"`
	// Environment variables of the program, on top of a minimal set. A number is
	// passed as text, `null` takes a variable away.
	//
	// Example: `{ "GITHUB_TOKEN": "${input:github-token}" }`
	Env map[string]EnvValue `json:"env,omitempty" values:"string,number,null"`
	// A file of `NAME=value` lines that are added to the environment. `env` wins
	// over it. Example: `"${workspaceFolder}/.env"`
	EnvFile string `json:"envFile,omitempty"`
	// The address of a remote server. Example: `"https://mcp.example.com/mcp"`
	URL string `json:"url,omitempty"`
	// HTTP headers for a remote server.
	//
	// Example: `{ "Authorization": "Bearer ${env:EXAMPLE_TOKEN}" }`
	Headers map[string]string `json:"headers,omitempty"`
	// How to sign in to a remote server that does not allow clients to register
	// themselves. Leave it out unless the server's documentation asks for it.
	OAuth *OAuthEntry `json:"oauth,omitempty"`
	// Run the program in a sandbox, on Linux only, by bubblewrap (`bwrap`, which
	// has to be installed): `true`, or what it may have besides. It then reads
	// the system's programs and its own working directory, has an empty home and
	// an empty `/tmp`, and no network. Where there can be no sandbox the server
	// does not start. Default: `false`.
	//
	// Example: `{ "network": true, "write": ["${workspaceFolder}/notes"] }`
	Sandbox Sandbox `json:"sandbox,omitempty" types:"boolean,SandboxEntry"`
	// Who uses the same process of the program: everything that you run (`user`),
	// what works in the same folders (`folder`), or each client its own (`client`).
	// Only what starts alike is shared: the same program, arguments, variables and
	// working directory. With `user` a program without `cwd` runs in your home
	// folder. A change starts the server anew.
	//
	// Default: `client` for servers known to keep what belongs to one
	// conversation, such as a browser; `user` for those known not to look at their
	// folder; `folder` for all others. A server with `folder` or `user` written here
	// also stops while nothing uses it, see `winnow.servers.start`: write it only where
	// the program keeps nothing that a later call needs.
	Share ServerShare `json:"share,omitempty"`
	// Keep the entry, but do not run the server. Default: `false`.
	Disabled *bool `json:"disabled,omitempty"`
	// Seconds that one tool call may take. Default: `60`.
	Timeout *float64 `json:"timeout,omitempty" limits:"1,3600"`
	// The only tools of this server that may be used. When it lists at least one
	// tool it wins over `disabledTools`; empty is the same as left out.
	//
	// Example: `["create_issue", "search_issues"]`
	OnlyAllow []string `json:"onlyAllow,omitempty"`
	// Tools of this server that may not be used. Example: `["delete_repository"]`
	DisabledTools []string `json:"disabledTools,omitempty"`
	// Descriptions that models read instead of the server's own, by tool. A good
	// description also makes a tool easier to find.
	//
	// Example: `{ "search": "Full-text search over our internal wiki." }`
	ToolDescriptionOverrides map[string]string `json:"toolDescriptionOverrides,omitempty"`
	// Attach these tools to every task, before any ranking: `true` for all tools
	// of the server, or a list of their names. Default: `false`.
	//
	// Example: `["search_issues"]`
	AlwaysLoad AlwaysLoad `json:"alwaysLoad,omitempty" types:"boolean,string[]"`
	// `false` is another way to write `alwaysLoad: true`.
	Deferred *bool `json:"deferred,omitempty"`
	// `"never"` is another way to write `alwaysLoad: true`, as in GitHub
	// Copilot's command line. Default: `"auto"`.
	DeferTools DeferTools `json:"deferTools,omitempty"`
	// Tools that run without asking first. `"*"` stands for every tool of the
	// server. Example: `["search_issues"]`
	AlwaysAllow []string `json:"alwaysAllow,omitempty"`
}

// OAuthEntry is what was registered by hand with a remote server's
// authorization server.
type OAuthEntry struct {
	// The client id that was registered.
	ClientID string `json:"clientId,omitempty"`
	// The secret that belongs to the client id, if there is one. Prefer
	// `${input:…}` to the secret itself.
	ClientSecret string `json:"clientSecret,omitempty"`
	// The address of a client ID metadata document that lets Winnow stand for
	// itself, at `https://`: authorization servers that read such documents take
	// it as the client id, and nothing is registered with them. It has to permit
	// redirects to `http://127.0.0.1/callback` at any port.
	ClientMetadataURL string `json:"clientMetadataUrl,omitempty"`
	// The scopes to ask for. Default: those the server names.
	Scopes []string `json:"scopes,omitempty"`
	// The port of the redirect address that was registered
	// (`http://localhost:PORT/…`). Default: any free port.
	CallbackPort int `json:"callbackPort,omitempty" limits:"1,65535"`
	// The address of the authorization server's metadata, for servers that do
	// not name it.
	AuthServerMetadataURL string `json:"authServerMetadataUrl,omitempty"`
}

// Sandbox is whether a program runs in a sandbox: true, false, or a
// [SandboxEntry].
type Sandbox any

// SandboxEntry is what a program in a sandbox may have. Paths may hold the same
// variables as `cwd`; a relative one starts at the workspace folder.
type SandboxEntry struct {
	// Files and folders that it may read. Example: `["${userHome}/.nvm"]`
	Read []string `json:"read,omitempty"`
	// Files and folders that it may read and write. Example: `["${workspaceFolder}"]`
	Write []string `json:"write,omitempty"`
	// Whether it has the network, this machine's own ports included. Default:
	// `false`.
	Network bool `json:"network,omitempty"`
	// Most memory that each of its processes may fill with data, in megabytes.
	// Default: no limit.
	MemoryMB int `json:"memoryMB,omitempty" limits:"16,1048576"`
	// Most processes and threads at a time. Default: no limit.
	Processes int `json:"processes,omitempty" limits:"1,1000000"`
}

// ServerType is how a server is reached.
type ServerType string

// The values of [ServerType].
const (
	// A program that Winnow starts and talks to over its standard input and
	// output.
	TypeStdio ServerType = "stdio"
	// A remote server: streamable HTTP, and SSE when the server speaks nothing
	// newer.
	TypeHTTP ServerType = "http"
	// A remote server that speaks streamable HTTP.
	TypeStreamableHTTP ServerType = "streamable-http"
	// A remote server that speaks the older SSE transport.
	TypeSSE ServerType = "sse"
)

// ServerShare is who uses the same process of a server.
type ServerShare string

// The values of [ServerShare].
const (
	// Every client of yours, in whatever folder.
	ShareUser ServerShare = "user"
	// Every client of yours that works in the same folders.
	ShareFolder ServerShare = "folder"
	// No other client.
	ShareClient ServerShare = "client"
)

// DeferTools is when a server's tools may be left out of a request.
type DeferTools string

// The values of [DeferTools].
const (
	// Winnow decides, tool by tool.
	DeferAuto DeferTools = "auto"
	// Never: the tools are attached to every task.
	DeferNever DeferTools = "never"
)

// EnvValue is the value of an environment variable in a file: a string, a
// number, or null, which takes the variable away.
type EnvValue any

// AlwaysLoad names the tools of a server that every task gets: true for all of
// them, or a list of tool names.
type AlwaysLoad any

// ModeEntry is one entry of `modes`.
type ModeEntry struct {
	// The name people see. Default: the slug.
	Name string `json:"name,omitempty"`
	// One line about what the mode is for.
	Description string `json:"description,omitempty"`
	// The only servers that a task in this mode sees, by exact name. When it is
	// set it wins over `blockedMcpServers`. **An empty list means none**; left
	// out means all.
	//
	// Example: `["github", "files"]`
	AllowedMcpServers *[]string `json:"allowedMcpServers,omitempty"`
	// Servers that a task in this mode does not see, by exact name. Example:
	// `["playwright"]`
	BlockedMcpServers []string `json:"blockedMcpServers,omitempty"`
}

// InputEntry is one entry of `inputs`.
type InputEntry struct {
	// What `${input:…}` calls the value. Example: `"github-token"`
	ID string `json:"id"`
	// How the value is asked for.
	Type InputKind `json:"type"`
	// The question that is shown.
	Description string `json:"description,omitempty"`
	// Hide what is typed. The value is kept in the editor's secret storage
	// either way. Default: `false`.
	Password bool `json:"password,omitempty"`
	// The value that is offered first.
	Default string `json:"default,omitempty"`
	// The values to choose from, for `pickString`.
	Options []string `json:"options,omitempty"`
}
