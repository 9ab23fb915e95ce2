package protocol

import "encoding/json"

// OwnSource is the source of the servers that the daemon runs; every other one
// is a list of tools that a host has handed over.
const OwnSource = ""

// CatalogListParams asks for the servers and tools: catalog/list.
type CatalogListParams struct {
	// Source is a host tool list; empty is the servers the daemon runs.
	Source string `json:"source,omitzero"`
	// Mode is the slug whose policy decides the scope; empty is the current
	// mode.
	Mode string `json:"mode,omitzero"`
	// Server restricts the answer to one server.
	Server string `json:"server,omitzero"`
	// ServersOnly leaves the list of tools empty; the servers still tell how
	// many they have.
	ServersOnly bool `json:"serversOnly,omitzero"`
	// WithOwn adds to a host's list the servers that the daemon runs, if a task on
	// that list may have their tools.
	WithOwn bool `json:"withOwn,omitzero"`
	// Memory asks for the memory of each server that runs, which takes some
	// milliseconds.
	Memory bool `json:"memory,omitzero"`
}

// CatalogListResult is one version of the catalogue, servers and tools in a
// stable order.
type CatalogListResult struct {
	Version int64        `json:"version"`
	Servers []ServerInfo `json:"servers"`
	Tools   []ToolInfo   `json:"tools"`
	// Consents are what the user is to be asked before it starts, and what was
	// declined; of the servers that the daemon runs.
	Consents []ConsentQuestion `json:"consents,omitzero"`
	// Faults are what is wrong in the configuration files.
	Faults []FileFault `json:"faults,omitzero"`
}

// FileFault is a mistake in a configuration file. It quotes no value of it.
type FileFault struct {
	File string `json:"file"`
	// Warning: what is written there is in effect, though hardly as it was meant.
	// Otherwise it is not in effect.
	Warning bool `json:"warning,omitzero"`
	// Line and Column count from 1; absent for a file that cannot be read.
	Line    int    `json:"line,omitzero"`
	Column  int    `json:"column,omitzero"`
	Message string `json:"message"`
	// Next says what to do; it may be absent.
	Next string `json:"next,omitzero"`
}

// ServerInfo describes one server.
type ServerInfo struct {
	Name string `json:"name"`
	// Source is the host tool list it came in; empty for the daemon's own.
	Source string      `json:"source"`
	State  ServerState `json:"state"`
	// Error says why the server does not work, and what to do.
	Error string `json:"error,omitzero"`
	// Cause says what the server waits for, or of one of the host's that its entry
	// switches it off; absent when it may run.
	Cause *Cause `json:"cause,omitzero"`
	// Tools counts the server's tools; Tokens is what all of them cost.
	Tools  int `json:"tools"`
	Tokens int `json:"tokens"`
	// InScope counts the tools that the asked mode admits; ScopeTokens is what
	// these cost.
	InScope     int `json:"inScope"`
	ScopeTokens int `json:"scopeTokens"`
	// AlwaysLoad: `alwaysLoad` of the server is true, for all of its tools.
	AlwaysLoad bool `json:"alwaysLoad,omitzero"`
	// File and Line are where the server is defined.
	File string `json:"file,omitzero"`
	Line int    `json:"line,omitzero"`
	// Shadowed lists files that define the name too and lost.
	Shadowed []string `json:"shadowed,omitzero"`
	// Warnings lists what the server did that Winnow had to mend, such as a
	// name listed twice or a cap that was reached.
	Warnings []string `json:"warnings,omitzero"`
	// Changes counts what the server changed and the user has not answered.
	Changes int `json:"changes,omitzero"`
	// ResourcesHeld: its resources are neither listed nor read before the user has
	// approved of them.
	ResourcesHeld bool `json:"resourcesHeld,omitzero"`
	// Held counts the tools that models do not get until the user approves of them.
	Held int `json:"held,omitzero"`
	// OutOfMode counts the tools that the asked mode takes away; those that another
	// rule keeps out as well are none of them.
	OutOfMode int `json:"outOfMode,omitzero"`
	// Content names all that the server says, for an answer about it by
	// lock/approve or lock/keep; absent while the lock is off.
	Content string `json:"content,omitzero"`
	// ProtocolVersion is the MCP version agreed on.
	ProtocolVersion string `json:"protocolVersion,omitzero"`
	// PID is the process of a local server that runs, and RunsSince is when it was
	// connected, in milliseconds since 1970.
	PID       int   `json:"pid,omitzero"`
	RunsSince int64 `json:"runsSince,omitzero"`
	// Memory is what the process and its descendants held at MemoryAt, in bytes; what
	// they share counts for each. 0 where that was not asked for, or is not known.
	Memory int64 `json:"memory,omitzero"`
	// MemoryAt is in milliseconds since 1970.
	MemoryAt int64 `json:"memoryAt,omitzero"`
	// Share says which clients use the process of a local server, and ShareWhy why,
	// in words.
	Share    ServerShare `json:"share,omitzero"`
	ShareWhy string      `json:"shareWhy,omitzero"`
	// StartMs is how long the last start took; FirstUseMs how long the first
	// call waited for a lazy start.
	StartMs    int64 `json:"startMs,omitzero"`
	FirstUseMs int64 `json:"firstUseMs,omitzero"`
}

// ServerState is where a server is in its life.
type ServerState string

// The values of [ServerState].
const (
	// ServerConfigured: defined, not started yet, tools unknown.
	ServerConfigured ServerState = "configured"
	// ServerKnown: not started, tools known from an earlier run.
	ServerKnown ServerState = "known"
	// ServerStarting: being started.
	ServerStarting ServerState = "starting"
	// ServerReady: connected.
	ServerReady ServerState = "ready"
	// ServerSignedOut: waits for server/signIn.
	ServerSignedOut ServerState = "signedOut"
	// ServerFailed: could not start or lost; it is tried again.
	ServerFailed ServerState = "failed"
	// ServerDisabled: switched off by its `disabled`.
	ServerDisabled ServerState = "disabled"
	// ServerStopped: stopped by server/stop.
	ServerStopped ServerState = "stopped"
	// ServerWaitingForTrust: defined by a workspace that is not trusted.
	ServerWaitingForTrust ServerState = "waitingForTrust"
	// ServerWaitingForConsent: the user has not agreed by server/consent to what
	// it starts, or to something else.
	ServerWaitingForConsent ServerState = "waitingForConsent"
	// ServerDeclined: the user declined to run it.
	ServerDeclined ServerState = "declined"
	// ServerHost: its tools were handed over by the host.
	ServerHost ServerState = "host"
)

// ToolInfo describes one tool in the catalogue.
type ToolInfo struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Name is the name that a model would get.
	Name string `json:"name"`
	// Title and Description are the server's own words.
	Title       string `json:"title,omitzero"`
	Description string `json:"description,omitzero"`
	// Override is the description that models get instead.
	Override string `json:"override,omitzero"`
	// Tokens is what the tool costs in a request.
	Tokens  int  `json:"tokens"`
	InScope bool `json:"inScope"`
	// Cause says what keeps the tool out of scope.
	Cause *Cause `json:"cause,omitzero"`
	// AlwaysLoad: the tool is attached to each task from the start.
	AlwaysLoad bool `json:"alwaysLoad,omitzero"`
	ReadOnly   bool `json:"readOnly,omitzero"`
	// Available is false while its server cannot be called.
	Available bool `json:"available"`
	// Lock is what the lock says of the tool; absent while it is off.
	Lock LockState `json:"lock,omitzero"`
	// Content names what the server says of the tool, for an answer about it by
	// lock/approve; absent while the lock is off.
	Content string `json:"content,omitzero"`
	// Findings are what a person should look at.
	Findings []Finding `json:"findings,omitzero"`
}

// SetHostToolsParams hands over a host tool list: catalog/setHostTools. The
// list replaces the source's earlier one.
type SetHostToolsParams struct {
	// Source names the list; it must not be empty. What stands before its last
	// colon names the host: a server of one name is the same one in all lists of
	// a host, and the lock on tools knows it as such.
	Source string     `json:"source"`
	Tools  []HostTool `json:"tools"`
	// WithOwn adds the servers that the daemon runs, but for those that the list
	// has by the same name: one scope and one ranking for all. Their tools are
	// called by task/call.
	WithOwn bool `json:"withOwn,omitzero"`
	// Listing: the host is VS Code, and Tools are all that it lists. The tools of
	// MCP servers are told by what is said of them there, and so are the servers.
	Listing *Listing `json:"listing,omitzero"`
}

// Listing is what VS Code knows besides the tools that it lists.
type Listing struct {
	// Servers are the names of the servers in VS Code's own files, as they are
	// written there.
	Servers []string `json:"servers"`
}

// HostTool is a tool that the host runs itself.
type HostTool struct {
	// Server is empty in a [Listing].
	Server string `json:"server"`
	// Name is the host's own, unique in its source, presented verbatim.
	Name string `json:"name"`
	// Tool is the tool's own name on its server, where the host knows it. A
	// policy may name the tool by either.
	Tool        string          `json:"tool,omitzero"`
	Description string          `json:"description,omitzero"`
	InputSchema json.RawMessage `json:"inputSchema,omitzero"`
	Annotations json.RawMessage `json:"annotations,omitzero"`
	// Tags and FullReferenceName are VS Code's, in a [Listing].
	Tags              []string `json:"tags,omitzero"`
	FullReferenceName string   `json:"fullReferenceName,omitzero"`
	// BuiltIn: the tool is the host's own, and no server's: rules and the lock are
	// about servers. Not in a [Listing].
	BuiltIn bool `json:"builtIn,omitzero"`
}

// SetHostToolsResult answers catalog/setHostTools.
type SetHostToolsResult struct {
	Version int64 `json:"version"`
	Count   int   `json:"count"`
	// Warnings names tools that were left out, and why.
	Warnings []string `json:"warnings,omitzero"`
}

// CatalogSearchParams asks for the tools that fit some words: catalog/search.
type CatalogSearchParams struct {
	Query string `json:"query"`
	// Limit is the most tools to return; default `winnow.searchK`.
	Limit   int    `json:"limit,omitzero"`
	Source  string `json:"source,omitzero"`
	Mode    string `json:"mode,omitzero"`
	Explain bool   `json:"explain,omitzero"`
}

// CatalogSearchResult holds the tools in scope, best first.
type CatalogSearchResult struct {
	Version int64 `json:"version"`
	// Ranker names what ranked.
	Ranker string      `json:"ranker"`
	Tools  []FoundTool `json:"tools"`
}

// FoundTool is a tool found by a search.
type FoundTool struct {
	Server      string  `json:"server"`
	Tool        string  `json:"tool"`
	Name        string  `json:"name"`
	Description string  `json:"description,omitzero"`
	Score       float64 `json:"score"`
	// Why holds the parts of the score; they sum to it.
	Why []ScorePart `json:"why,omitzero"`
}

// ScorePart is one named summand of a score.
type ScorePart struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Detail string  `json:"detail"`
}

// CatalogDidChangeParams tells of a new version: catalog/didChange.
type CatalogDidChangeParams struct {
	Version int64 `json:"version"`
	// Source is the host tool list that changed; empty is the daemon's own.
	Source string `json:"source"`
	// Servers names the servers whose state, tools or policy changed; none when
	// only the faults of the files did.
	Servers []string `json:"servers"`
}
