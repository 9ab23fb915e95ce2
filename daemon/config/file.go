package config

import (
	"slices"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
)

// File is the content of one source. It is immutable.
type File struct {
	Source Source
	// Entries holds the server entries in the order of the file.
	Entries []Entry
	// Modes holds the modes in the order of the file.
	Modes []Mode
	// Inputs holds the inputs for ${input:id} in this file.
	Inputs []Input
	// Endpoints holds the providers of models in the order of the file.
	Endpoints []Endpoint
	// Text is the text of a [Lock] file; otherwise nil.
	Text []byte
	// Settings is the JSON of that key, preceded by blanks so that positions match the
	// file; nil if there is none.
	Settings []byte
	// Problems holds all problems, in the order of the text.
	Problems []Problem
	// Broken reports that the text could not be parsed at all, so earlier content is
	// better.
	Broken bool
}

// Names reports whether the file has an entry with that name.
func (f File) Names(server string) bool {
	return slices.ContainsFunc(f.Entries, func(e Entry) bool { return e.Name == server })
}

// Origin is a position in a source.
type Origin struct {
	Source Source
	// Line and Column are 1-based, as in [Problem].
	Line, Column int
}

// Entry is one server entry of one file, before files are merged.
type Entry struct {
	Name   string
	Origin Origin
	// Definition has no Transport if the entry only adds policy to a server of another
	// file.
	Definition Definition
	Policy     Policy
	// Invalid says why the entry is unusable; nil if it is usable. It is also among the
	// file's problems.
	Invalid *Problem
}

// DefinesServer reports whether the entry claims the server's name, even if it is
// unusable.
func (e Entry) DefinesServer() bool { return e.Definition.Transport != "" || e.Invalid != nil }

// Transport is how a server is reached: [Stdio], [HTTP] or [SSE], whatever the file's
// word.
type Transport = protocol.ServerType

// The values of [Transport].
const (
	Stdio = protocol.TypeStdio
	HTTP  = protocol.TypeHTTP
	SSE   = protocol.TypeSSE
)

// Definition says how a server is started or reached. Before [Expand] its strings may
// contain variables.
type Definition struct {
	Transport Transport
	Command   string
	Args      []string
	// Cwd is the working directory; empty means the workspace folder.
	Cwd string
	Env map[string]string
	// UnsetEnv names the variables to unset, sorted.
	UnsetEnv []string
	// EnvFile is a file of NAME=value lines; Env overrides it.
	EnvFile string
	URL     string
	Headers map[string]string
	OAuth   protocol.OAuthEntry
	// Sandbox is what the program may access; nil means no sandbox.
	Sandbox *protocol.SandboxEntry
	// Share is who uses the same process; empty means the result of [ShareOf].
	Share protocol.ServerShare
}

// Policy says how a server's tools may be used. Nil or zero means unset.
type Policy struct {
	// Disabled keeps the server from running.
	Disabled *bool
	// Timeout limits one tool call.
	Timeout time.Duration
	// OnlyAllow, when it is not empty, names the only tools in scope.
	OnlyAllow []string
	// DisabledTools names tools out of scope while OnlyAllow is empty.
	DisabledTools []string
	// Further holds rules of other files that also apply, after merging.
	Further []ToolRule
	// DescriptionOverrides replaces descriptions, by tool.
	DescriptionOverrides map[string]string
	// AlwaysLoad names the tools that every task gets.
	AlwaysLoad *AlwaysLoad
	// AlwaysAllow names the tools that run without confirmation; "*" means all.
	AlwaysAllow []string
}

// AlwaysLoad is a set of a server's tools: all of them, or those named.
type AlwaysLoad struct {
	All   bool
	Tools []string
}

// Mode limits the servers of a task.
type Mode struct {
	Slug        string
	Name        string
	Description string
	Origin      Origin
	// NoTools reports that the mode has no MCP tools: a .roomodes entry without the group
	// `mcp`, or a mode with an unreadable list of servers.
	NoTools bool
	// Allowed, if not nil, names the only servers in scope; empty means none. It
	// overrides Blocked.
	Allowed *[]string
	// Blocked names servers out of scope while Allowed is nil.
	Blocked []string
	// User is the user's own mode with the same slug, whose limits are included above;
	// nil if there is none, or this is it.
	User *Mode
}

// Input is a value to ask the user for.
type Input struct {
	ID string
	// Pick offers Options instead of a line of text.
	Pick        bool
	Description string
	Password    bool
	Default     string
	Options     []string
	Origin      Origin
}
